/**
 * Engine contract: whoever may read or change an entry can, by every way there is. An engine whose database decides
 * who that is would fail here if it were too strict, or mixed up for whom it works. What becomes of those who may not
 * is decided in the core, and held by its own suite.
 */

import assert from 'node:assert/strict';
import { reachOf } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { scopeOf } from '../domain/scope.ts';
import type { Entries, EntryTransaction } from '../ports/entry-store.ts';
import { assertSameMembers } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';

/** Names that a careless comparison takes for one another, for syntax, or for nobody. */
const NAMES = ['u1', 'u10', "o'brien", '%', 'u1","x', 'Ünï🦊 cödé', 'null', 'public'];

const PRINCIPALS: readonly Principal[] = [TENANT, OTHER_TENANT].flatMap(({ tenantId }) =>
  NAMES.map((userId) => ({ tenantId, userId })),
);

const [ALICE, BOB, CAROL] = [userOf('alice'), userOf('bob'), userOf('carol')];

const WORDS = 'one two three';

/** Of this user, in the project that all of them have in common; they all say the same under the same name. */
function ownEntry({ userId }: Principal, fields: Partial<Entry> = {}): Entry {
  return entryOf({ content: WORDS, externalId: 'x', ownerId: userId, visibility: 'private', ...fields });
}

async function insert(store: Entries, principal: Principal, entry: Entry): Promise<void> {
  await store.transaction(principal, async (tx) => tx.insert([await writeOf(entry)]));
}

const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

/** Looks in every way for whatever the principal may see of the project; each must show these entries. */
async function assertSeen(store: Entries, principal: Principal, expected: readonly Entry[]): Promise<void> {
  const partitions = reachOf(principal, [scopeOf('project', { projectId: 'p' })]);
  const wanted = ids(expected);
  const embedding = await embeddingOf(WORDS);
  const { space } = embedding;
  const within = <T>(work: (tx: EntryTransaction) => Promise<T>): Promise<T> => store.transaction(principal, work);
  const ways = [
    async () => ids(await store.find(principal, wanted)),
    async () => ids(await store.list(principal, { partitions }, 100)),
    async () => ids(await store.list(principal, { ids: wanted }, 100)),
    async () => ids(await store.timeline(principal, { partitions }, 100)),
    async () => ids(await store.candidates(principal, { partitions }, wordsProbe('two'), 100)),
    async () => ids(await store.candidates(principal, { partitions }, { terms: [], embedding }, 100)),
    async () => [...(await store.vectors(principal, space, wanted)).keys()],
    async () => ids(await within((tx) => tx.find(wanted))),
    async () => ids(await within((tx) => tx.list({ partitions }, 100))),
    async () => ids(await within((tx) => tx.nearest({ partitions }, embedding, 100))),
  ];
  for (const found of await Promise.all(ways.map((way) => way()))) assertSameMembers(found, wanted);
  assert.equal(await store.count(principal, { partitions }), wanted.length);
  const { documents, documentFrequencies } = await store.textStatistics(principal, partitions, ['two', 'nothing']);
  assert.deepEqual([documents, documentFrequencies], [wanted.length, [wanted.length, 0]]);
  for (const entry of expected) {
    const { id, externalId, ownerId } = entry;
    const partition = partitionOfEntry(entry);
    const identities = [
      { partition, ownerId, id },
      { partition, ownerId, externalId },
    ];
    assert.deepEqual(await store.findSame(principal, identities), [entry, entry]);
    assert.equal((await store.history(principal, id)).length, entry.version - 1);
  }
}

export function engineIsolation(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('principals', () => {
    test('have what is their own, all at once and whatever they are called', async (subject) => {
      const { entries: store } = subject.engine;
      const owned = await Promise.all(
        PRINCIPALS.map(async (principal) => {
          const entry = ownEntry(principal);
          const next = nextVersion(entry, { content: `${WORDS} four` });
          await insert(store, principal, entry);
          await store.transaction(principal, async (tx) => tx.replace([await writeOf(next)]));
          return { principal, entry: next };
        }),
      );
      // What fails in between must not leave others to work in its name.
      const failing = PRINCIPALS.map((principal) =>
        store.transaction(principal, async (tx) => {
          await tx.list({ ownerId: principal.userId }, 1);
          throw new LaminaError('VERSION_CONFLICT', 'on purpose');
        }),
      );
      const seeing = owned.map(({ principal, entry }) => assertSeen(store, principal, [entry]));
      const [failed] = await Promise.all([Promise.allSettled(failing), ...seeing]);
      assert.ok(failed.every(({ status }) => status === 'rejected'));
      for (const { principal, entry } of owned) {
        await store.transaction(principal, (tx) => tx.remove([entry.id]));
        await assertSeen(store, principal, []);
      }
    });

    test('read what somebody shares, and have it counted', async (subject, clock) => {
      const { entries: store } = subject.engine;
      const shared = ownEntry(ALICE, { kind: 'procedural', visibility: 'shared' });
      await insert(store, ALICE, shared);
      // Bob was never here before.
      await assertSeen(store, BOB, [shared]);
      const own = ownEntry(BOB);
      await insert(store, BOB, own);
      await assertSeen(store, BOB, [shared, own]);
      await assertSeen(store, CAROL, [shared]);
      store.touch(BOB, [shared.id]);
      store.touch(CAROL, [shared.id]);
      const lastAccessedAt = new Date(clock.now()).toISOString();
      const { entries: reopened } = await subject.reopen();
      const counted = { ...shared, accessCount: 2, lastAccessedAt };
      assert.deepEqual(await reopened.find(ALICE, [shared.id]), [counted]);
      const changed = nextVersion(counted, { content: `${WORDS} five` });
      await reopened.transaction(ALICE, async (tx) => tx.replace([await writeOf(changed)]));
      await assertSeen(reopened, CAROL, [changed]);
    });

    test('change and remove what belongs to a layer, whoever wrote it', async ({ engine: { entries: store } }) => {
      const first = entryOf({ content: WORDS, externalId: 'x' });
      const second = nextVersion(first, { content: `${WORDS} four` });
      await insert(store, ALICE, first);
      await store.transaction(BOB, async (tx) => tx.replace([await writeOf(second)]));
      await assertSeen(store, ALICE, [second]);
      await assertSeen(store, CAROL, [second]);
      assert.deepEqual(
        (await store.history(CAROL, first.id)).map(({ memory }) => memory),
        [first],
      );
      const texts = await store.transaction(CAROL, (tx) => tx.remove([first.id]));
      assertSameMembers(texts, [first.content, second.content]);
      await assertSeen(store, ALICE, []);
    });

    test('share what is theirs and take it back, with its past and its vector', async ({
      engine: { entries: store },
    }) => {
      let entry = ownEntry(ALICE);
      await insert(store, ALICE, entry);
      for (const visibility of ['shared', 'private', 'shared'] as const) {
        entry = nextVersion(entry, { visibility });
        const write = { ...(await writeOf(entry)), embedding: undefined };
        await store.transaction(ALICE, (tx) => tx.replace([write]));
        await assertSeen(store, ALICE, [entry]);
        if (visibility === 'shared') await assertSeen(store, BOB, [entry]);
      }
    });

    test('are refused an id that is taken, also by what they cannot see', async ({ engine: { entries: store } }) => {
      const entry = ownEntry(ALICE);
      await insert(store, ALICE, entry);
      const own = ownEntry(BOB, { externalId: 'y' });
      const taking = store.transaction(BOB, async (tx) => {
        await tx.insert([await writeOf(own)]);
        await tx.insert([await writeOf(ownEntry(BOB, { id: entry.id }))]);
      });
      await assert.rejects(taking, (error) => error instanceof LaminaError);
      await assertSeen(store, BOB, []);
      await assertSeen(store, ALICE, [entry]);
    });
  });
}
