/** Entries on PostgreSQL where it differs from other engines: writers that meet, rows that cannot be seen, large reaches. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../src/domain/entry.ts';
import type { Entries, EntryTransaction, EntryWrite } from '../src/ports/entry-store.ts';
import { failure } from '../src/testing/contract-assertions.ts';
import { TENANT, userOf, type EngineSubject } from '../src/testing/engine-subject.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import {
  embeddingOf,
  entryOf,
  nextVersion,
  partitionOfEntry,
  wordsProbe,
  writeOf,
} from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

const OWN = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;

/** More than are compared one by one. */
const MANY = 5200;

/** So few that no index holds them. */
const FEW = 1500;

const server = await serverUnderTest();
let subject: EngineSubject;
let store: Entries;

async function insert(entries: readonly Entry[], principal = TENANT): Promise<void> {
  const writes = await Promise.all(entries.map(writeOf));
  await store.transaction(principal, (tx) => tx.insert(writes));
}

async function countUnindexed(): Promise<number | undefined> {
  const connection = await server?.driver.reserve();
  const answer = await connection?.query<{ count: number }>(
    'SELECT count(*) AS count FROM lamina.embeddings WHERE NOT is_indexed',
  );
  connection?.release();
  return answer?.rows[0]?.count;
}

/** Runs work of which the first attempt, once it has looked, waits until somebody else has come in between. */
async function interrupted<T>(
  look: (tx: EntryTransaction) => Promise<T>,
  between: () => Promise<void>,
  write: (tx: EntryTransaction, seen: T) => Promise<void>,
): Promise<number> {
  let runs = 0;
  await store.transaction(TENANT, async (tx) => {
    runs += 1;
    const seen = await look(tx);
    if (runs === 1) await between();
    await write(tx, seen);
  });
  return runs;
}

describeOnPostgres('entries on PostgreSQL', () => {
  beforeEach(async () => {
    if (server === undefined) throw new Error('There is no server.');
    subject = await server.subject(new ManualClock());
    store = subject.engine.entries;
    return () => subject.close();
  });

  describe('writers that meet', () => {
    it('begin again when what they found by content was changed meanwhile', async () => {
      const entry = entryOf({ content: 'counted', metadata: { n: 0 } });
      await insert([entry]);
      const identity = { partition: partitionOfEntry(entry), ownerId: null, contentHash: entry.contentHash };
      const increment = async (tx: EntryTransaction, seen: Entry | null | undefined): Promise<void> => {
        if (!seen) throw new Error('It is gone.');
        const next = nextVersion(seen, { metadata: { n: Number(seen.metadata['n']) + 1 } });
        await tx.replace([{ ...(await writeOf(next)), embedding: undefined }]);
      };
      const look = async (tx: EntryTransaction): Promise<Entry | null | undefined> =>
        (await tx.findSame([identity]))[0];
      const between = (): Promise<void> => store.transaction(TENANT, async (tx) => increment(tx, await look(tx)));
      expect(await interrupted(look, between, increment)).toBe(2);
      const [stored] = await store.find(TENANT, [entry.id]);
      expect(stored).toMatchObject({ version: 3, metadata: { n: 2 } });
      expect(await store.history(TENANT, entry.id)).toHaveLength(2);
    });

    it('begin again when what they are about to remove was changed meanwhile', async () => {
      const entry = entryOf({ content: 'brief', kind: 'procedural', ownerId: 'u', visibility: 'private' });
      await insert([entry]);
      const identity = { id: entry.id, partition: partitionOfEntry(entry), ownerId: 'u' };
      const write = await writeOf(nextVersion(entry, { content: 'lasting' }));
      const removed: string[] = [];
      const runs = await interrupted(
        async (tx) => (await tx.findSame([identity]))[0],
        () => store.transaction(TENANT, (tx) => tx.replace([write])),
        async (tx, seen) => {
          if (seen?.content === 'brief') removed.push(...(await tx.remove([entry.id])));
        },
      );
      expect(runs).toBe(2);
      expect((await store.find(TENANT, [entry.id])).map(({ content }) => content)).toEqual(['lasting']);
    });

    it.each([
      ['with a name and without', { externalId: 'x' }, {}],
      ['without a name and with', {}, { externalId: 'x' }],
      ['without a name', {}, {}],
    ])('make one entry of one content, %s', async (_, first, second) => {
      const [theirs, mine] = [first, second].map((name) => entryOf({ content: 'said twice', ...name }));
      if (!theirs || !mine) throw new Error('There are two.');
      const { contentHash, externalId } = mine;
      const identity = { partition: partitionOfEntry(mine), ownerId: null, contentHash, externalId };
      const write = await writeOf(mine);
      const found: (Entry | null | undefined)[] = [];
      await interrupted(
        async (tx) => (await tx.findSame([identity]))[0],
        () => insert([theirs]),
        async (tx, seen) => {
          found.push(seen);
          if (!seen) await tx.insert([write]);
        },
      );
      expect(found).toEqual([null, theirs]);
      expect(await store.count(TENANT, { partitions: [identity.partition] })).toBe(1);
    });

    it.each([
      ['without a name', {}, {}],
      ['under a name', { externalId: 'x' }, { externalId: 'x' }],
      ['under a name and then without', { externalId: 'x' }, {}],
      ['without a name and then under one', {}, { externalId: 'x' }],
    ])('begin again when somebody wrote what they had looked for in vain, %s', async (_, first, second) => {
      const [theirs, mine] = [
        entryOf({ content: 'said twice', ...first }),
        entryOf({ content: 'said twice', ...second }),
      ];
      const { contentHash, externalId } = mine;
      const identity = { partition: partitionOfEntry(mine), ownerId: null, contentHash, externalId };
      const write = await writeOf(mine);
      expect(await store.findSame(TENANT, [identity])).toEqual([null]);
      await insert([theirs]);
      const found: (Entry | null | undefined)[] = [];
      await store.transaction(TENANT, async (tx) => {
        const [seen] = await tx.findSame([identity]);
        found.push(seen);
        if (!seen) await tx.insert([write]);
      });
      expect(found).toEqual([null, theirs]);
      expect(await store.count(TENANT, { partitions: [identity.partition] })).toBe(1);
    });

    it('who merge by meaning wait for each other', async () => {
      const { space, vector } = await embeddingOf('the same thing');
      const added = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          store.transaction(TENANT, async (tx) => {
            const entry = entryOf({ content: `thing ${n}` });
            const reach = { partitions: [partitionOfEntry(entry)] };
            const [nearest] = await tx.nearest(reach, { space, vector }, 1);
            if (nearest && nearest.similarity > 0.99) return 0;
            await tx.insert([{ ...(await writeOf(entry)), embedding: { space, vector } }]);
            return 1;
          }),
        ),
      );
      expect(added.filter((count) => count === 1)).toHaveLength(1);
    });
  });

  describe('what cannot be seen', () => {
    it('keeps its id, and whoever brings it is told after a second look', async () => {
      const secret = entryOf({ content: 'secret', ...OWN });
      await insert([secret]);
      const other = userOf('v');
      const place = { layer: 'user', identifiers: { userId: 'v' }, ownerId: 'v', visibility: 'private' } as const;
      const [bold, modest] = [
        entryOf({ content: 'mine now', ...place, id: secret.id }),
        entryOf({ content: 'fine', ...place }),
      ];
      const writes = await Promise.all([modest, bold].map(writeOf));
      let runs = 0;
      const error = await failure(
        'VERSION_CONFLICT',
        store.transaction(other, async (tx) => {
          runs += 1;
          const identity = { id: secret.id, partition: partitionOfEntry(bold), ownerId: 'v' };
          expect(await tx.findSame([identity])).toEqual([null]);
          await tx.insert(writes);
        }),
      );
      expect(error.details).toEqual({ id: secret.id });
      expect(runs).toBe(2);
      expect(await store.list(other, { partitions: writes.map(({ partition }) => partition) }, 10)).toEqual([]);
      expect(await store.find(TENANT, [secret.id])).toEqual([secret]);
    });

    it('is neither found, counted, searched nor touched, whichever way it is asked for', async () => {
      const secret = entryOf({ content: 'secret words', externalId: 'x', ...OWN });
      await insert([secret]);
      const other = userOf('v');
      const partitions = [partitionOfEntry(secret)];
      const { space, vector } = await embeddingOf('secret words');
      const probe = { ...wordsProbe('secret', 'words'), embedding: { space, vector } };
      const identity = { id: secret.id, partition: partitionOfEntry(secret), ownerId: 'u', externalId: 'x' };
      store.touch(other, [secret.id]);
      // Counted at the latest when it closes.
      store = (await subject.reopen()).entries;
      expect(await store.find(other, [secret.id])).toEqual([]);
      expect(await store.findSame(other, [{ ...identity, contentHash: secret.contentHash }])).toEqual([null]);
      expect(await store.list(other, { partitions }, 10)).toEqual([]);
      expect(await store.list(other, { ownerId: 'u' }, 10)).toEqual([]);
      expect(await store.timeline(other, {}, 10)).toEqual([]);
      expect(await store.count(other, { partitions })).toBe(0);
      expect(await store.count(other, {})).toBe(0);
      expect(await store.history(other, secret.id)).toEqual([]);
      expect(await store.candidates(other, { partitions }, probe, 10)).toEqual([]);
      expect(await store.textStatistics(other, partitions, ['secret'])).toMatchObject({ documents: 0 });
      expect((await store.vectors(other, space, [secret.id])).size).toBe(0);
      expect(await store.personalScopes(other, 'user', 'u')).toEqual([]);
      expect(await store.transaction(other, (tx) => tx.remove([secret.id]))).toEqual([]);
      expect(await store.find(TENANT, [secret.id])).toEqual([secret]);
    });
  });

  describe('embedding spaces', () => {
    it.each([2000, 3000, 5000])('take vectors of %i dimensions', async (dims) => {
      const embedder = new HashEmbedder({ dims });
      const space = await embedder.space();
      const entries = ['one two', 'three four'].map((content) => entryOf({ content }));
      const vectors = await embedder.embed(entries.map(({ content }) => content));
      const writes = await Promise.all(entries.map(writeOf));
      const embedded = writes.map((write, index): EntryWrite => {
        return { ...write, embedding: { space, vector: vectors[index] ?? new Float32Array() } };
      });
      await store.transaction(TENANT, (tx) => tx.insert(embedded));
      const reach = { partitions: [partitionOfEntry(entryOf({ content: 'x' }))] };
      for (const [index, { id }] of entries.entries()) {
        const embedding = { space, vector: vectors[index] ?? new Float32Array() };
        const [nearest] = await store.transaction(TENANT, (tx) => tx.nearest(reach, embedding, 1));
        expect(nearest?.id).toBe(id);
        expect(nearest?.similarity).toBeCloseTo(1, 5);
        expect((await store.vectors(TENANT, space, [id])).get(id)).toEqual(embedding.vector);
      }
    });

    it('are opened once, however many begin at the same time', async () => {
      const entries = Array.from({ length: 8 }, (_, n) => entryOf({ content: `entry ${n}` }));
      await Promise.all(
        entries.map(async (entry) => {
          const embedding = await embeddingOf(entry.content, 96);
          await store.transaction(TENANT, async (tx) => tx.insert([{ ...(await writeOf(entry)), embedding }]));
        }),
      );
      const { space } = await embeddingOf('x', 96);
      const found = await store.vectors(
        TENANT,
        space,
        entries.map(({ id }) => id),
      );
      expect(found.size).toBe(entries.length);
    });
  });

  it('finds what a large reach has, in the index and besides it, and all of the few that meet a condition', async () => {
    const random = new SeededRandom(81);
    const entries = Array.from({ length: MANY }, (_, n) =>
      entryOf({ content: random.words(5), kind: 'episodic', tags: n % 1700 === 0 ? ['rare'] : [] }),
    );
    // Without words, which nothing is looked for by here.
    const writes = (await Promise.all(entries.map(writeOf))).map((write) => ({ ...write, lexemes: [] }));
    for (const some of [writes.slice(0, FEW), writes.slice(FEW)]) {
      await store.transaction(TENANT, (tx) => tx.insert(some));
    }
    const [first] = entries;
    if (!first) throw new Error('There are many.');
    expect(await countUnindexed()).toBe(FEW);
    const partitions = [partitionOfEntry(first)];
    for (const { id, content } of entries.filter((_, n) => n % 1000 === 7)) {
      const embedding = await embeddingOf(content);
      const found = await store.candidates(TENANT, { partitions }, { terms: [], embedding }, 20);
      expect(found).toHaveLength(20);
      expect(found.find((candidate) => candidate.id === id)?.similarity).toBeCloseTo(1, 5);
    }
    const rare = await store.candidates(
      TENANT,
      { partitions, filter: { tags: ['rare'] } },
      { terms: [], embedding: await embeddingOf('x') },
      20,
    );
    expect(rare.map(({ id }) => id).toSorted()).toEqual(
      entries.filter(({ tags }) => tags.length > 0).map(({ id }) => id),
    );
    const stray = entryOf({ content: 'stray', kind: 'episodic', identifiers: { projectId: 'elsewhere' } });
    await insert([stray]);
    expect(await countUnindexed()).toBe(FEW + 1);
    const moved = await writeOf(nextVersion(stray, { identifiers: first.identifiers }));
    await store.transaction(TENANT, (tx) => tx.replace([moved]));
    expect(await countUnindexed()).toBe(FEW);
  }, 60_000);
});
