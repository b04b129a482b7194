/** Contract: a tenant is exported and imported page by page, by its administrators, and nothing else comes along. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationOutput } from '../operations/table.ts';
import { failure, nth } from './contract-assertions.ts';
import { ManualClock } from './manual-clock.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';

const OTHER_TENANT = '00000000-0000-4000-8000-00000000000b';
const ROOT: PrincipalInput = { userId: 'root', roles: ['admin'] };
const OTHER_ROOT: PrincipalInput = { ...ROOT, tenantId: OTHER_TENANT };

type Page = OperationOutput<'admin.exportPage'>;

async function pagesOf(memory: Memory, limit: number): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await memory.admin.exportPage({ limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

const itemsIn = (pages: readonly Page[]): unknown[] =>
  pages.flatMap(({ collection, items }) => items.map((item) => ({ collection, item })));

/** Something of what there is; what others may not see is among it. */
async function live(subject: MemorySubject): Promise<string> {
  const alice = subject.as({ userId: 'alice' });
  const { memory } = await alice.add({
    content: 'the quokka sleeps',
    layer: 'user',
    metadata: { a: { b: [null, 1] } },
  });
  await alice.update({ id: memory.id, content: 'the quokka smiles' });
  await alice.facts.add({ factType: 'home', subject: 'quokka', predicate: 'lives on', object: 'an island' });
  await alice.working.set({ planId: 'plan', key: 'key', value: { deep: [1] } });
  await alice.plans.create({ planId: 'plan', goalEvent: 'go' });
  await alice.pools.create({ poolId: 'pool', access: { read: ['bob'] } });
  await subject.as(ROOT).keys.create({ name: 'robot', userId: 'alice' });
  return memory.id;
}

export function bundleContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('export and import', () => {
    test(
      'carries a tenant to another one, and twice changes nothing',
      async (subject) => {
        const id = await live(subject);
        const [root, other] = [subject.as(ROOT), subject.as(OTHER_ROOT)];
        const pages = await pagesOf(root, 2);
        assert.ok(pages.every(({ items }) => items.length <= 2));
        const { counts, latestVersion = 0 } = nth(pages);
        assert.equal(counts?.entries, 1);
        assert.deepEqual(new Set(Object.keys(counts ?? {})).has('apiKeys'), false);
        for (let turn = 0; turn < 2; turn += 1) {
          for (const { collection, items } of pages) {
            const { receivedCount } = await other.admin.importPage({ collection, items, latestVersion });
            assert.equal(receivedCount, items.length);
          }
          const arrived = await pagesOf(other, 100);
          assert.deepEqual(itemsIn(arrived), itemsIn(pages));
        }
        const alice = subject.as({ userId: 'alice', tenantId: OTHER_TENANT });
        const { results } = await alice.search({ query: 'quokka smiles', threshold: 0 });
        assert.deepEqual(
          results.map(({ memory }) => memory.id),
          [id],
        );
        assert.equal((await alice.versions({ id })).versions.length, 2);
        assert.deepEqual((await alice.working.get({ planId: 'plan', key: 'key' }))?.value, { deep: [1] });
        assert.ok((await alice.working.set({ planId: 'plan', key: 'key', value: 1 })).version > latestVersion);
        assert.deepEqual((await other.keys.list({})).keys, []);
        const bob = subject.as({ userId: 'bob', tenantId: OTHER_TENANT });
        assert.equal((await bob.pools.get({ poolId: 'pool' }))?.ownerId, 'alice');
        assert.equal((await bob.search({ query: 'quokka smiles', threshold: 0 })).results.length, 0);
        // Who did it is known, on either side.
        const actions = async (memory: Memory): Promise<string[]> =>
          (await memory.admin.audit({})).entries.map(({ action, actor }) => `${actor}: ${action}`).toSorted();
        assert.deepEqual(await actions(root), ['root: keys.create', 'root: tenants.export']);
        assert.deepEqual(await actions(other), ['root: tenants.export', 'root: tenants.import']);
      },
      { clock: new ManualClock() },
    );

    test('embeds what comes without a vector', async (subject) => {
      await live(subject);
      const other = subject.as(OTHER_ROOT);
      const { items } = nth(
        (await pagesOf(subject.as(ROOT), 100)).filter(({ collection }) => collection === 'entries'),
      );
      const bare = items.map(({ entry }) => ({ entry }));
      assert.equal((await other.admin.importPage({ collection: 'entries', items: bare })).embeddedCount, 1);
      assert.equal((await other.admin.importPage({ collection: 'entries', items: bare })).embeddedCount, 0);
    });

    test('carries when memories were read', async (subject) => {
      const id = await live(subject);
      const other = subject.as(OTHER_ROOT);
      const { items } = nth(
        (await pagesOf(subject.as(ROOT), 100)).filter(({ collection }) => collection === 'entries'),
      );
      const accessTimes = ['2026-11-15T09:30:00.000Z', '2026-11-14T09:30:00.000Z'];
      const read = items.map(({ entry }) => ({
        entry: { ...(entry as object), accessCount: 2, lastAccessedAt: accessTimes[0] },
        accessTimes,
      }));
      await other.admin.importPage({ collection: 'entries', items: read });
      const alice = subject.as({ userId: 'alice', tenantId: OTHER_TENANT });
      assert.deepEqual((await alice.decay({ id })).accesses, accessTimes);
      const arrived = (await pagesOf(other, 100)).find(({ collection }) => collection === 'entries');
      assert.deepEqual(arrived?.items[0]?.['accessTimes'], accessTimes);
    });

    test('is for administrators, and refuses what is not whole', async (subject) => {
      await live(subject);
      const [alice, other] = [subject.as({ userId: 'alice' }), subject.as(OTHER_ROOT)];
      await failure('FORBIDDEN', alice.admin.exportPage({}));
      await failure('FORBIDDEN', alice.admin.importPage({ collection: 'users', items: [] }));
      await failure('VALIDATION_FAILED', other.admin.exportPage({ cursor: 'broken' }));
      for (const collection of ['apiKeys', 'auditEntries'] as const) {
        await failure('FORBIDDEN', other.admin.importPage({ collection, items: [] }));
      }
      const user = { id: 'mallory', createdAt: '2026-01-01T00:00:00.000Z' };
      const wrong = [{ ...user, tenantId: OTHER_TENANT }, { id: 'x' }, { ...user, createdAt: 'yesterday' }];
      for (const item of wrong) {
        await failure('VALIDATION_FAILED', other.admin.importPage({ collection: 'users', items: [user, item] }));
      }
      const pages = await pagesOf(other, 100);
      assert.deepEqual(
        itemsIn(pages).filter((item) => JSON.stringify(item).includes('mallory')),
        [],
      );
    });
  });
}
