/** Contract: keys, erasure of users and tenants with receipts that can be verified, and the audit log. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { PrincipalInput } from '../domain/principal.ts';
import { NIL_TENANT } from '../domain/principal.ts';
import { NOTHING_COUNTED, type Receipt } from '../domain/erasure.ts';
import type { Memory } from '../operations/memory.ts';
import { wireOf } from '../operations/wire.ts';
import { failure, listed, nth } from './contract-assertions.ts';
import { UserLife } from './contract-erasure-life.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const OTHER_TENANT = '00000000-0000-4000-8000-00000000000b';
const ROOT: PrincipalInput = { userId: 'root', roles: ['admin'] };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As anyone can who has the receipt as it travels: sorted keys, no spaces, without the hash itself. */
function recomputedHash(receipt: Receipt): string {
  const { hash: _, ...rest } = wireOf('admin.eraseUser').output.encode(receipt) as Record<string, unknown>;
  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .map(([key, inner]): [string, unknown] => [key, sorted(inner)])
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value;
  return sha256(JSON.stringify(sorted(rest)));
}

function livesOf(subject: MemorySubject): { alice: UserLife; almost: UserLife; memories: Memory[] } {
  const [alice, almost] = [subject.as({ userId: 'u1' }), subject.as({ userId: 'u10' })];
  const memories = [alice, almost, subject.as(ROOT), subject.as({ userId: 'u1', agentId: 'helper' })];
  return { alice: new UserLife(alice, 'u1', 'quokka'), almost: new UserLife(almost, 'u10', 'numbat'), memories };
}

export function adminContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('administration', () => {
    keyTests(test);
    userErasureTests(test);
    verificationTests(test);
    tenantErasureTests(test);
    auditTests(test);
  });
}

type Test = ReturnType<typeof memoryTest>;

function keyTests(test: Test): void {
  test('makes, lists and revokes keys', async (subject) => {
    const { keys } = subject.as(ROOT);
    const { key, ...made } = await keys.create({ name: 'robot', userId: 'robot', roles: ['admin'], expiresInDays: 2 });
    assert.match(key, /^lam_/);
    assert.equal(Date.parse(made.expiresAt ?? '') - Date.parse(made.createdAt), 2 * 86_400_000);
    assert.deepEqual(await keys.list({}), { keys: [made], count: 1, nextCursor: null });
    assert.deepEqual(await keys.revoke({ keyId: made.keyId }), { revoked: true });
    const revoked = nth((await keys.list({})).keys);
    assert.equal(typeof revoked.revokedAt, 'string');
    const { entries } = await subject.as(ROOT).admin.audit({});
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), ['keys.create', 'keys.revoke']);
    // What is revoked stays as it was, and is logged but once.
    assert.deepEqual(await keys.revoke({ keyId: made.keyId }), { revoked: true });
    assert.deepEqual(await keys.revoke({ keyId: 'another' }), { revoked: false });
    assert.deepEqual(nth((await keys.list({})).keys), revoked);
    assert.deepEqual((await subject.as(ROOT).admin.audit({})).entries, entries);
    assert.deepEqual((await subject.as({ ...ROOT, tenantId: OTHER_TENANT }).keys.list({})).keys, []);
  });
}

function userErasureTests(test: Test): void {
  test('erases all that is a user’s, and nothing of anybody else', async (subject) => {
    const { alice, almost, memories } = livesOf(subject);
    await almost.live();
    const root = subject.as(ROOT);
    await root.delete({ id: almost.commonId });
    await alice.live();
    await root.keys.create({ name: 'robot', userId: 'u1' });
    const receipt = await root.admin.eraseUser({ userId: 'u1' });
    assert.deepEqual(receipt.counts, { ...alice.expected, apiKeys: 1 });
    assert.deepEqual([receipt.subject, receipt.subjectHash], ['user', sha256('u1')]);
    assert.equal(receipt.hash, recomputedHash(receipt));
    await alice.assertGone(memories);
    await almost.assertThere();
    assert.deepEqual((await root.keys.list({})).keys, []);
    assert.deepEqual((await root.admin.eraseUser({ userId: 'u1' })).counts, NOTHING_COUNTED);
  });

  test('keeps what belongs to a layer, without the name of who wrote it', async (subject) => {
    const { alice } = livesOf(subject);
    await alice.live();
    await subject.as(ROOT).admin.eraseUser({ userId: 'u1' });
    const { versions } = await subject.as({ userId: 'bob' }).versions({ id: alice.commonId });
    assert.deepEqual(
      versions.map(({ memory }) => [memory.content, memory.identifiers, memory.ownerId]),
      [
        ['Atlas stands on two hills', { projectId: 'atlas' }, null],
        ['Atlas stands on a hill', { projectId: 'atlas' }, null],
      ],
    );
    // It can still be found, and changed by whoever is in the project.
    const project = { layer: 'project', identifiers: { projectId: 'atlas' } } as const;
    assert.deepEqual(await listed(subject.as({ userId: 'bob' }), project), ['Atlas stands on two hills']);
    await subject.as({ userId: 'bob' }).update({ id: alice.commonId, content: 'Atlas stands on three hills' });
  });

  test('erases many, and lets who comes back begin anew', async (subject) => {
    const [memory, root] = [subject.as({ userId: 'u1' }), subject.as(ROOT)];
    const texts = Array.from({ length: 450 }, (_, n) => ({ content: `Note number ${n}`, layer: 'user' as const }));
    await memory.addMany(texts);
    const { counts } = await root.admin.eraseUser({ userId: 'u1' });
    assert.deepEqual([counts.entries, counts.embeddings, counts.events, counts.users], [450, 450, 450, 1]);
    const { texts: embedded } = subject.embedder;
    const [again] = await memory.addMany(texts.slice(0, 1));
    assert.deepEqual([again?.status, again?.memory.version], ['created', 1]);
    // Its vector was not in the cache either.
    assert.equal(subject.embedder.texts, embedded + 1);
    assert.equal((await root.admin.eraseUser({ userId: 'u1' })).counts.users, 1);
  });

  test('erases a user of another tenant never', async (subject) => {
    const elsewhere = subject.as({ userId: 'u1', tenantId: OTHER_TENANT });
    await elsewhere.add({ content: 'Tea', layer: 'user' });
    assert.deepEqual((await subject.as(ROOT).admin.eraseUser({ userId: 'u1' })).counts, NOTHING_COUNTED);
    assert.deepEqual(await listed(elsewhere, { layer: 'user' }), ['Tea']);
  });

  test('erases the administrator itself, and does not name it afterwards', async (subject) => {
    const root = subject.as(ROOT);
    await root.add({ content: 'Tea', layer: 'user' });
    await root.keys.create({ name: 'robot', userId: 'robot' });
    const { counts } = await root.admin.eraseUser({ userId: 'root' });
    // Of the log only the entry of the key: that of the erasure never had the name.
    assert.deepEqual([counts.entries, counts.users, counts.mentions], [1, 1, 1]);
    const { entries } = await subject.as({ ...ROOT, userId: 'deputy' }).admin.audit({});
    const pseudonym = `sha256:${sha256('root')}`;
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ['users.erase', pseudonym],
        ['keys.create', pseudonym],
      ],
    );
  });
}

function verificationTests(test: Test): void {
  const clock = new ManualClock();
  test(
    'verifies that nothing is left, until there is something again',
    async (subject) => {
      const { alice } = livesOf(subject);
      await alice.live();
      const { admin } = subject.as(ROOT);
      const { erasureId, completedAt } = await admin.eraseUser({ userId: 'u1' });
      assert.equal(completedAt, new Date(clock.now()).toISOString());
      clock.advance(1000);
      const checkedAt = new Date(clock.now()).toISOString();
      const nothing = { erasureId, verified: true, remaining: NOTHING_COUNTED, checkedAt };
      assert.deepEqual(await admin.verifyErasure({ erasureId, userId: 'u1' }), nothing);
      await subject.as({ userId: 'u1' }).add({ content: 'Back again', layer: 'user' });
      const something = await admin.verifyErasure({ erasureId, userId: 'u1' });
      assert.deepEqual(something, {
        ...nothing,
        verified: false,
        remaining: { ...NOTHING_COUNTED, entries: 1, embeddings: 1, events: 1, users: 1 },
      });
    },
    { clock },
  );

  test('verifies only what was erased, by who is asked about', async (subject) => {
    const { admin } = subject.as(ROOT);
    const { erasureId } = await admin.eraseUser({ userId: 'u1' });
    await failure('VALIDATION_FAILED', admin.verifyErasure({ erasureId, userId: 'u10' }));
    await failure('VALIDATION_FAILED', admin.verifyErasure({ erasureId, tenantId: NIL_TENANT }));
    await failure('VALIDATION_FAILED', admin.verifyErasure({ erasureId }));
    await failure('VALIDATION_FAILED', admin.verifyErasure({ erasureId, userId: 'u1', tenantId: NIL_TENANT }));
    await failure('FORBIDDEN', admin.verifyErasure({ erasureId, tenantId: OTHER_TENANT }));
    const unknown = '00000000-0000-4000-8000-000000000000';
    assert.equal(await admin.verifyErasure({ erasureId: unknown, userId: 'u1' }), null);
    const elsewhere = subject.as({ ...ROOT, tenantId: OTHER_TENANT });
    assert.equal(await elsewhere.admin.verifyErasure({ erasureId, userId: 'u1' }), null);
  });
}

function tenantErasureTests(test: Test): void {
  test('erases a tenant, which can begin anew', async (subject) => {
    const { alice, almost, memories } = livesOf(subject);
    await alice.live();
    const elsewhere = subject.as({ userId: 'u1', tenantId: OTHER_TENANT });
    await elsewhere.add({ content: 'Tea', layer: 'user' });
    const root = subject.as(ROOT);
    await root.keys.create({ name: 'robot', userId: 'u1' });
    const receipt = await root.admin.eraseTenant({ tenantId: NIL_TENANT });
    assert.deepEqual(receipt.counts, {
      ...alice.expected,
      // With the knowledge of the project, its past and its two events.
      entries: alice.expected.entries + 1,
      versions: alice.expected.versions + 1,
      embeddings: alice.expected.embeddings + 1,
      events: alice.expected.events + 2,
      facts: alice.expected.facts + 1,
      apiKeys: 1,
      users: 2,
      auditEntries: 1,
      mentions: 0,
    });
    assert.deepEqual([receipt.subject, receipt.subjectHash], ['tenant', sha256(NIL_TENANT)]);
    assert.equal(receipt.hash, recomputedHash(receipt));
    await alice.assertGone(memories);
    assert.deepEqual(await listed(elsewhere, { layer: 'user' }), ['Tea']);
    const { erasureId } = receipt;
    assert.equal((await root.admin.verifyErasure({ erasureId, tenantId: NIL_TENANT }))?.verified, true);
    const elsewhereRoot = subject.as({ ...ROOT, tenantId: OTHER_TENANT });
    assert.equal(await elsewhereRoot.admin.verifyErasure({ erasureId, tenantId: OTHER_TENANT }), null);
    await almost.live();
    await almost.assertThere();
    assert.equal((await root.admin.verifyErasure({ erasureId, tenantId: NIL_TENANT }))?.verified, false);
  });

  test('drops the cached vectors of a tenant', async (subject) => {
    const memory = subject.as({ userId: 'u1' });
    const { id } = (await memory.add({ content: 'The heron flew south', layer: 'user' })).memory;
    await memory.update({ id, content: 'The heron flew north' });
    await subject.as(ROOT).admin.eraseTenant({ tenantId: NIL_TENANT });
    const { texts } = subject.embedder;
    await memory.addMany(
      ['The heron flew south', 'The heron flew north'].map((content) => ({ content, layer: 'user' })),
    );
    assert.equal(subject.embedder.texts, texts + 2);
  });

  test('erases no tenant but one’s own, whether it is there or not', async (subject) => {
    const elsewhere = subject.as({ userId: 'u1', tenantId: OTHER_TENANT });
    await elsewhere.add({ content: 'Tea', layer: 'user' });
    const { admin } = subject.as(ROOT);
    const there = await failure('FORBIDDEN', admin.eraseTenant({ tenantId: OTHER_TENANT }));
    const absent = await failure('FORBIDDEN', admin.eraseTenant({ tenantId: OTHER_TENANT.replace('b', 'c') }));
    assert.equal(there.message, absent.message);
    await failure('VALIDATION_FAILED', admin.eraseTenant({ tenantId: 'all' }));
    assert.deepEqual(await listed(elsewhere, { layer: 'user' }), ['Tea']);
    assert.deepEqual((await admin.eraseTenant({ tenantId: NIL_TENANT })).counts, NOTHING_COUNTED);
  });
}

function auditTests(test: Test): void {
  test('keeps a log that says what was done and names nobody who is gone', async (subject) => {
    const { admin, keys } = subject.as(ROOT);
    const made = await keys.create({ name: 'robot', userId: 'u1' });
    const user = await admin.eraseUser({ userId: 'u1' });
    await keys.revoke({ keyId: made.keyId });
    const { entries, count } = await admin.audit({});
    assert.deepEqual([entries.length, count], [2, 2]);
    assert.deepEqual(nth(entries).receipt, user);
    assert.deepEqual(nth(entries, 1).keyId, made.keyId);
    assert.doesNotMatch(JSON.stringify(entries), /u1/);
    const tenant = await admin.eraseTenant({ tenantId: NIL_TENANT });
    await admin.eraseUser({ userId: 'u2' });
    const after = (await admin.audit({})).entries;
    assert.deepEqual(
      after.map(({ action }) => action),
      ['users.erase', 'tenants.erase'],
    );
    assert.deepEqual(nth(after, 1).receipt, tenant);
    assert.equal(nth(after, 1).actor, `sha256:${sha256('root')}`);
    assert.deepEqual((await subject.as({ ...ROOT, tenantId: OTHER_TENANT }).admin.audit({})).entries, []);
  });

  const clock = new ManualClock();
  test(
    'pages through the log, newest first',
    async (subject) => {
      const { admin } = subject.as(ROOT);
      const ids: string[] = [];
      for (let count = 0; count < 7; count += 1) {
        const { erasureId } =
          count === 3 ? await admin.eraseTenant({ tenantId: NIL_TENANT }) : await admin.eraseUser({ userId: 'u' });
        ids.unshift(erasureId);
        if (count % 3 === 0) clock.advance(1);
      }
      const read: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await admin.audit({ limit: 2, ...(cursor && { cursor }) });
        read.push(...page.entries.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      // What came before the tenant was erased was erased with it.
      assert.deepEqual(read, ids.slice(0, 4));
      await failure('VALIDATION_FAILED', admin.audit({ cursor: 'nonsense' }));
    },
    { clock },
  );
}
