/** What a writer on PostgreSQL takes for known instead of asking: that its partition is there, and that it says something new. */

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import type { Entry } from '../src/domain/entry.ts';
import type { Entries, Identity } from '../src/ports/entry-store.ts';
import { TENANT, userOf, type EngineSubject } from '../src/testing/engine-subject.ts';
import { entryOf, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

/** So many new ones in a row make the next one expected to be new. */
const ENOUGH = 32;

const server = await serverUnderTest();
let subject: EngineSubject;
let store: Entries;

async function insert(...entries: readonly Entry[]): Promise<number> {
  const writes = await Promise.all(entries.map(writeOf));
  let runs = 0;
  await store.transaction(TENANT, async (tx) => {
    runs += 1;
    await tx.insert(writes);
  });
  return runs;
}

/** As another node would, of which this one hears nothing. */
async function removeEverything(): Promise<void> {
  const connection = await server?.driver.reserve();
  await connection?.query('DELETE FROM lamina.entries');
  connection?.release();
}

/** How many entries PostgreSQL takes there to be when it makes a plan. */
async function knownRows(): Promise<number | undefined> {
  const connection = await server?.driver.reserve();
  const answer = await connection?.query<{ rows: number }>(
    `SELECT c.reltuples AS rows FROM pg_class c WHERE c.oid = 'lamina.entries'::regclass`,
  );
  connection?.release();
  return answer?.rows[0]?.rows;
}

function identityOf({ contentHash, ...entry }: Entry): Identity {
  return { partition: partitionOfEntry({ contentHash, ...entry }), ownerId: entry.ownerId, contentHash };
}

/** Looks for what is not there, as before a write. */
async function lookInVain(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    expect(await store.findSame(TENANT, [identityOf(entryOf({ content: `nowhere ${n}` }))])).toEqual([null]);
  }
}

describeOnPostgres('what is taken for known on PostgreSQL', () => {
  beforeEach(async () => {
    if (server === undefined) throw new Error('There is no server.');
    subject = await server.subject(new ManualClock());
    store = subject.engine.entries;
    return () => subject.close();
  });

  describe('a partition', () => {
    it.each([1, 2])('that was emptied by somebody else is opened again, by %d at once', async (count) => {
      const first = entryOf({ content: 'first' });
      await insert(first);
      expect(await insert(entryOf({ content: 'second' }))).toBe(1);
      await removeEverything();
      expect(await insert(...Array.from({ length: count }, (_, n) => entryOf({ content: `third ${n}` })))).toBe(2);
      expect(await insert(entryOf({ content: 'fourth' }))).toBe(1);
      expect(await store.count(TENANT, { partitions: [partitionOfEntry(first)] })).toBe(count + 1);
    });

    it('that was emptied here is opened at once', async () => {
      const entry = entryOf({ content: 'first' });
      await insert(entry);
      await store.transaction(TENANT, async (tx) => void (await tx.remove([entry.id])));
      expect(await insert(entryOf({ content: 'second' }))).toBe(1);
    });
  });

  it('is how large the tables are, soon after they were empty', async () => {
    for (let n = 0; n < 100; n += 1) await insert(entryOf({ content: `one of many ${n}` }));
    await vi.waitFor(async () => expect(await knownRows()).toBeGreaterThanOrEqual(100), 5000);
  });

  describe('a content', () => {
    const mine = entryOf({ content: 'mine' });

    it('is expected to be new after many that were', async () => {
      await lookInVain(ENOUGH - 1);
      expect(store.expectsNew?.(TENANT, [identityOf(mine)])).toBe(false);
      await lookInVain(1);
      expect(store.expectsNew?.(TENANT, [identityOf(mine)])).toBe(true);
      expect(store.expectsNew?.(userOf('another'), [identityOf(mine)])).toBe(false);
      expect(store.expectsNew?.(TENANT, [identityOf(mine), identityOf(entryOf({ content: 'more' }))])).toBe(false);
      expect(store.expectsNew?.(TENANT, [{ ...identityOf(mine), externalId: 'x' }])).toBe(false);
      expect(store.expectsNew?.(TENANT, [{ ...identityOf(mine), id: mine.id }])).toBe(false);
    });

    it.each([
      ['without a name', {}],
      ['under a name', { externalId: 'x' }],
    ])('that is there after all is found, %s, and then looked for', async (_, name) => {
      const theirs = entryOf({ content: 'mine', ...name });
      await insert(theirs);
      await lookInVain(ENOUGH);
      const identity = identityOf(mine);
      expect(store.expectsNew?.(TENANT, [identity])).toBe(true);
      const write = await writeOf(mine);
      const found: (Entry | null | undefined)[] = [];
      await store.transaction(TENANT, async (tx) => {
        const [seen] = await tx.findSame([identity]);
        found.push(seen);
        if (!seen) await tx.insert([write]);
      });
      expect(found).toEqual([null, theirs]);
      expect(store.expectsNew?.(TENANT, [identityOf(mine)])).toBe(false);
      expect(await store.count(TENANT, { partitions: [identity.partition] })).toBe(1);
    });

    it('that is said again is one memory, whatever was expected', async () => {
      const embedder = new HashEmbedder();
      const lamina = await Lamina.open({ engine: subject.engine, embedder });
      const memory = lamina.as({ userId: 'u' });
      for (let n = 0; n <= ENOUGH; n += 1) await memory.add({ content: `something ${n}`, layer: 'user' });
      for (const _ of ['not expected', 'looked for']) {
        expect(await memory.add({ content: 'something 7', layer: 'user' })).toMatchObject({
          status: 'unchanged',
          embeddingGenerated: false,
        });
      }
      expect(await memory.list({ layer: 'user' })).toMatchObject({ totalCount: ENOUGH + 1 });
      await lamina.close();
    });
  });
});
