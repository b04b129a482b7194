/** Engine contract: conditions hold in every way of reading, timelines go by when things happened, scopes are exact. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Conditions, Entries, Moment } from '../ports/entry-store.ts';
import { assertSameMembers, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, meaningProbe, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';
import { SeededRandom } from './seeded-random.ts';

const AGENT = { layer: 'agent', kind: 'episodic', visibility: 'private', ownerId: 'u' } as const;
const START = Date.parse('2026-02-03T00:00:00Z');
const MINUTE = 60_000;

const isoTime = (ms: number): string => new Date(ms).toISOString();
const since = ({ validFrom, createdAt }: Entry): number => Date.parse(validFrom ?? createdAt);

function someEntry(random: SeededRandom): Entry {
  const isNamed = random.below(3) === 0;
  return entryOf({
    ...AGENT,
    content: `memo ${random.word()}`,
    identifiers: { userId: 'u', agentId: 'a', sessionId: random.pick(['s', 's1']) },
    role: random.pick(['user', 'tool']),
    procedureType: random.pick(['system_prompt', 'few_shot_example']),
    createdAt: isoTime(START + random.below(10) * MINUTE),
    ...(random.below(2) === 0 && { validFrom: isoTime(START + random.below(10) * MINUTE) }),
    ...(isNamed && { externalId: random.word() }),
  });
}

/** The same, once more and plainly. */
function meets(entry: Entry, conditions: Conditions): boolean {
  const { identifiers, ownerId, hasExternalId, role, procedureType } = conditions;
  const { from = -Infinity, to = Infinity } = conditions.since ?? {};
  return (
    (identifiers?.sessionId === undefined || identifiers.sessionId === entry.identifiers.sessionId) &&
    (ownerId === undefined || ownerId === entry.ownerId) &&
    (hasExternalId === undefined || hasExternalId === (entry.externalId !== undefined)) &&
    (role === undefined || role === entry.role) &&
    (procedureType === undefined || procedureType === entry.procedureType) &&
    since(entry) >= from &&
    since(entry) <= to
  );
}

const CONDITIONS: readonly Conditions[] = [
  {},
  { identifiers: { sessionId: 's' } },
  { identifiers: { agentId: 'a', sessionId: 's1' } },
  { identifiers: { sessionId: '%' } },
  { ownerId: 'u' },
  { ownerId: null },
  { ownerId: 'u1' },
  { hasExternalId: true },
  { hasExternalId: false, role: 'tool' },
  { procedureType: 'few_shot_example' },
  { since: { from: START + 4 * MINUTE } },
  { since: { to: START + 4 * MINUTE } },
  { since: { from: START + 3 * MINUTE, to: START + 3 * MINUTE }, role: 'user' },
];

const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

async function wholeTimeline(store: Entries, selection: Parameters<Entries['timeline']>[1]): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const last = all.at(-1);
    const moment: Moment | undefined = last && { since: since(last), id: last.id };
    const page = await store.timeline(TENANT, selection, 4, moment);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

export function engineConditions(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('conditions', () => {
    test('hold for lists, timelines, counts and both indexes alike', async ({ engine: { entries: store } }) => {
      const random = new SeededRandom(71);
      const all = Array.from({ length: 40 }, () => someEntry(random));
      const writes = await Promise.all(all.map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      const partitions = [partitionOfEntry(nth(all))];
      const probes = [wordsProbe('memo'), await meaningProbe('memo')];
      for (const conditions of CONDITIONS) {
        const reach = { partitions, ...conditions };
        const expected = all.filter((entry) => meets(entry, conditions));
        const message = JSON.stringify(conditions);
        assertSameMembers(ids(await store.list(TENANT, reach, 100)), ids(expected), message);
        for (const probe of probes) {
          assertSameMembers(ids(await store.candidates(TENANT, reach, probe, 100)), ids(expected), message);
        }
        assert.equal(await store.count(TENANT, reach), expected.length, message);
        const inOrder = expected.toSorted((a, b) => since(b) - since(a) || (a.id < b.id ? 1 : -1));
        assert.deepEqual(ids(await wholeTimeline(store, reach)), ids(inOrder), message);
      }
    });

    test('of a timeline merge partitions in one order', async ({ engine: { entries: store } }) => {
      const random = new SeededRandom(72);
      const all = Array.from({ length: 30 }, () => ({
        ...someEntry(random),
        identifiers: { userId: 'u', agentId: random.pick(['a', 'b', 'c']) },
      }));
      const writes = await Promise.all(all.map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      const shown = all.filter(({ identifiers }) => identifiers.agentId !== 'c');
      const partitions = shown.map(partitionOfEntry);
      const inOrder = shown.toSorted((a, b) => since(b) - since(a) || (a.id < b.id ? 1 : -1));
      assert.deepEqual(ids(await wholeTimeline(store, { partitions })), ids(inOrder));
      assert.deepEqual(await store.timeline(OTHER_TENANT, { partitions }, 10), []);
    });
  });

  runner.describe('scopes of a user', () => {
    test('are those that name it exactly and hold anything', async ({ engine: { entries: store } }) => {
      const users = ['u', 'u1', '%', 'u","a', '["u"]'];
      const all = users.flatMap((userId) =>
        ['a', 'b'].flatMap((agentId) =>
          (['episodic', 'procedural'] as const).map((kind) =>
            entryOf({
              ...AGENT,
              kind,
              content: `${userId} ${agentId}`,
              ownerId: userId,
              identifiers: { userId, agentId },
            }),
          ),
        ),
      );
      const own = entryOf({ content: 'of the user', layer: 'user', ownerId: 'u', identifiers: { userId: 'u' } });
      for (const userId of users) {
        const writes = await Promise.all([...all, own].filter(({ ownerId }) => ownerId === userId).map(writeOf));
        await store.transaction(userOf(userId), (tx) => tx.insert(writes));
      }
      for (const userId of users) {
        const scopes = await store.personalScopes(userOf(userId), 'agent', userId);
        assert.deepEqual(
          scopes.toSorted((a, b) => ((a.identifiers.agentId ?? '') < (b.identifiers.agentId ?? '') ? -1 : 1)),
          ['a', 'b'].map((agentId) => ({ layer: 'agent', identifiers: { userId, agentId } })),
        );
      }
      assert.deepEqual(await store.personalScopes(TENANT, 'user', 'u'), [
        { layer: 'user', identifiers: { userId: 'u' } },
      ]);
      assert.deepEqual(await store.personalScopes(TENANT, 'agent', 'nobody'), []);
      assert.deepEqual(await store.personalScopes(OTHER_TENANT, 'agent', 'u'), []);
      assert.deepEqual(await store.personalScopes(TENANT, 'agent', 'u', 'quarantined'), []);
      const held = entryOf({
        ...AGENT,
        kind: 'episodic',
        content: 'waits for review',
        ownerId: 'u',
        identifiers: { userId: 'u', agentId: 'b' },
        status: 'quarantined',
      });
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(held)]));
      assert.deepEqual(await store.personalScopes(TENANT, 'agent', 'u', 'quarantined'), [
        { layer: 'agent', identifiers: { userId: 'u', agentId: 'b' } },
      ]);
      assert.deepEqual(await store.personalScopes(userOf('u1'), 'agent', 'u1', 'quarantined'), []);
      const gone = all.filter(({ ownerId, identifiers }) => ownerId === 'u' && identifiers.agentId === 'a');
      await store.transaction(TENANT, (tx) => tx.remove(ids(gone)));
      assert.equal((await store.personalScopes(TENANT, 'agent', 'u')).length, 1);
    });
  });

  runner.describe('the nearest within a transaction', () => {
    test('counts what the transaction itself has written and removed', async ({ engine: { entries: store } }) => {
      const [far, near, nearer] = ['kettle', 'one two three', 'one two'].map((content) => entryOf({ content }));
      assert.ok(far && near && nearer);
      const embedding = await embeddingOf('one two');
      const reach = { partitions: [partitionOfEntry(far)] };
      const writes = await Promise.all([far, near, nearer].map(writeOf));
      await store.transaction(TENANT, async (tx) => {
        const nearest = async (): Promise<string[]> => ids(await tx.nearest(reach, embedding, 1));
        assert.deepEqual(await nearest(), []);
        await tx.insert(writes.slice(0, 2));
        assert.deepEqual(await nearest(), [near.id]);
        await tx.insert(writes.slice(2));
        assert.deepEqual(await nearest(), [nearer.id]);
        assert.deepEqual(ids(await tx.nearest({ ...reach, ownerId: 'u' }, embedding, 1)), []);
        const all = await tx.nearest(reach, embedding, 10);
        assert.deepEqual(ids(all), ids([nearer, near, far]));
        assert.ok(Math.abs(nth(all).similarity - 1) < 1e-5);
        await tx.remove([nearer.id]);
        assert.deepEqual(await nearest(), [near.id]);
      });
    });
  });
}
