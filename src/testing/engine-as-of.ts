/** Engine contract: what has stood since a moment, and what was changed since, as it stood then. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Changed, ChangePosition, Entries } from '../ports/entry-store.ts';
import { assertSameMembers, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { entryOf, meaningProbe, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';
import type { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const MINUTE_MS = 60_000;
const LOOKS = [-1, 0, 7, 15, 29, 40, 90] as const;

const isoTime = (ms: number): string => new Date(ms).toISOString();
const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

/** Entries and all of their states, the last one last, written at the minutes of an hour. */
async function writePast(store: Entries, clock: ManualClock, random: SeededRandom): Promise<Entry[][]> {
  const start = clock.now();
  const lives = Array.from({ length: 20 }, () => {
    const createdAt = isoTime(start + random.below(30) * MINUTE_MS);
    return [
      entryOf({
        content: `memo ${random.word()}`,
        identifiers: { projectId: random.pick(['p', 'p1']) },
        createdAt,
        updatedAt: createdAt,
        ...(random.below(3) === 0 && { validFrom: isoTime(start + random.pick(LOOKS) * MINUTE_MS) }),
        ...(random.below(3) === 0 && { validTo: isoTime(start + random.pick(LOOKS) * MINUTE_MS) }),
      }),
    ];
  });
  const first = await Promise.all(lives.map((states) => writeOf(nth(states))));
  await store.transaction(TENANT, (tx) => tx.insert(first));
  for (const states of lives) {
    for (let count = random.below(4); count > 0; count -= 1) {
      const last = nth(states, -1);
      const updatedAt = isoTime(Date.parse(last.updatedAt) + random.below(15) * MINUTE_MS);
      const status = random.pick(['active', 'archived'] as const);
      const next = { ...nextVersion(last, { content: `memo ${random.word()}`, status }), updatedAt };
      const write = await writeOf(next);
      await store.transaction(TENANT, (tx) => tx.replace([write]));
      states.push(next);
    }
  }
  clock.advance(120 * MINUTE_MS);
  return lives;
}

/** All of it, a few at a time. */
async function everyChange(
  store: Entries,
  partitions: Parameters<Entries['changed']>[1],
  at: number,
): Promise<Changed[]> {
  const all: Changed[] = [];
  for (;;) {
    const last = all.at(-1)?.now;
    const position: ChangePosition | undefined = last && { updatedAt: Date.parse(last.updatedAt), id: last.id };
    const page = await store.changed(TENANT, partitions, at, 3, position);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

export function engineAsOf(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('as of an earlier moment', () => {
    test('tells what has stood unchanged, and of what was changed the version of then', async (subject, clock) => {
      const { entries: store } = subject.engine;
      const start = clock.now();
      const lives = await writePast(store, clock, new SeededRandom(73));
      const partitions = lives.flat().map(partitionOfEntry);
      const probes = [wordsProbe('memo'), await meaningProbe('memo')];
      for (const minute of LOOKS) {
        const at = start + minute * MINUTE_MS;
        const standing = lives.map((states) => nth(states, -1)).filter((entry) => hasStood(entry, at));
        const reach = { partitions, asOf: at };
        assertSameMembers(ids(await store.list(TENANT, reach, 100)), ids(standing), `minute ${minute}`);
        assert.equal(await store.count(TENANT, reach), standing.length);
        for (const probe of probes) {
          assertSameMembers(ids(await store.candidates(TENANT, reach, probe, 100)), ids(standing), `minute ${minute}`);
        }
        assert.deepEqual(await everyChange(store, partitions, at), changesOf(lives, at), `minute ${minute}`);
      }
    });

    test('keeps to the partitions and to the tenant, and leaves out what has expired', async (subject, clock) => {
      const { entries: store } = subject.engine;
      const at = clock.now();
      const own = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;
      const expiresAt = isoTime(at + 2 * MINUTE_MS);
      const written = isoTime(at);
      const times = { createdAt: written, updatedAt: written };
      const first = [
        entryOf({ content: 'one', ...times }),
        entryOf({ content: 'two', ...own, ...times }),
        entryOf({ content: 'three', ...times, expiresAt }),
      ];
      const later = first.map((entry) => ({
        ...nextVersion(entry, { content: `${entry.content} again` }),
        updatedAt: isoTime(at + 1),
      }));
      const [inserts, replacements] = await Promise.all([first, later].map((all) => Promise.all(all.map(writeOf))));
      assert.ok(inserts && replacements);
      await store.transaction(TENANT, (tx) => tx.insert(inserts));
      await store.transaction(TENANT, (tx) => tx.replace(replacements));
      const [project, user] = [partitionOfEntry(nth(first)), partitionOfEntry(nth(first, 1))];
      const contents = async (...input: Parameters<Entries['changed']>): Promise<(string | undefined)[]> =>
        (await store.changed(...input)).map(({ former }) => former?.content);
      assertSameMembers((await contents(TENANT, [project], at, 9)).map(String), ['one', 'three']);
      assert.deepEqual(await contents(TENANT, [user], at, 9), ['two']);
      assert.deepEqual(await contents(OTHER_TENANT, [project, user], at, 9), []);
      assert.deepEqual(await contents(TENANT, [project], at + 1, 9), []);
      assert.deepEqual(await contents(TENANT, [project], at - 1, 9), []);
      clock.advance(2 * MINUTE_MS);
      assert.deepEqual(await contents(userOf('v'), [project], at, 9), ['one']);
      await store.transaction(TENANT, (tx) => tx.remove([nth(first).id]));
      assert.deepEqual(await contents(TENANT, [project], at, 9), []);
    });
  });
}

function hasStood({ updatedAt, validFrom, validTo }: Entry, at: number): boolean {
  return (
    Date.parse(updatedAt) <= at &&
    (validFrom === undefined || Date.parse(validFrom) <= at) &&
    (validTo === undefined || Date.parse(validTo) > at)
  );
}

function changesOf(lives: readonly (readonly Entry[])[], at: number): Changed[] {
  const changes = lives.flatMap((states) => {
    const former = states.findLast(({ updatedAt }) => Date.parse(updatedAt) <= at);
    const now = nth(states, -1);
    return former === undefined || former === now ? [] : [{ now, former }];
  });
  return changes.toSorted(
    (a, b) => Date.parse(a.now.updatedAt) - Date.parse(b.now.updatedAt) || (a.now.id < b.now.id ? -1 : 1),
  );
}
