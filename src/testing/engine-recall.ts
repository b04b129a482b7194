/** Engine contract: both indexes are exact, and never look outside of the partitions that were asked for. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Candidate, Entries, Probe, TextStatistics } from '../ports/entry-store.ts';
import { assertSameMembers, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { EngineModel, USERS } from './engine-model.ts';
import { engineTest, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import {
  embeddingOf,
  entryOf,
  lexemesIn,
  meaningProbe,
  nextVersion,
  partitionOfEntry,
  wordsProbe,
  writeOf,
} from './entry-write.ts';
import { SeededRandom } from './seeded-random.ts';

const CLOSE_ENOUGH = 1e-5;

function naiveStatistics(entries: readonly Entry[], terms: readonly string[]): TextStatistics {
  const texts = entries.map(({ content }) => lexemesIn(content));
  const lexemes = texts.reduce((sum, text) => sum + text.length, 0);
  return {
    documents: texts.length,
    averageLength: texts.length === 0 ? 0 : lexemes / texts.length,
    episodes: 0,
    documentFrequencies: terms.map((term) => texts.filter((text) => text.includes(term)).length),
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

function occurrences(content: string, { terms }: Probe): number[] {
  return terms.map(({ lexeme }) => lexemesIn(content).filter((word) => word === lexeme).length);
}

/** However it was found, everything is told of a candidate. */
async function assertTold(candidate: Candidate, entry: Entry | undefined, probe: Probe): Promise<void> {
  assert.ok(entry);
  const { id, layer, contentHash, importance, confidence, content, createdAt, validFrom } = entry;
  const { similarity, said, ...told } = candidate;
  assert.deepEqual(said && definedOf(said), entry.kind === 'episodic' ? saidOf(entry, probe) : undefined);
  assert.deepEqual(told, {
    id,
    layer,
    contentHash,
    importance,
    confidence,
    since: Date.parse(validFrom ?? createdAt),
    length: lexemesIn(content).length,
    frequencies: occurrences(content, probe),
  });
  if (probe.embedding === undefined) return assert.equal(similarity, undefined);
  const expected = cosine((await embeddingOf(content)).vector, probe.embedding.vector);
  assert.ok(Math.abs((similarity ?? Number.NaN) - expected) < CLOSE_ENOUGH);
}

/** What is told of an episode: where it stands, who said it, and how it ends. */
function saidOf({ identifiers: { sessionId }, turn, speaker, content }: Entry, { endings = 1 }: Probe): object {
  return definedOf({ sessionId, turn, speaker, ending: content.slice(-endings) });
}

function definedOf(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The nearest by comparing with each, the best by words: what an index may only be faster than. */
async function assertFound(store: Entries, model: EngineModel, query: string, limit: number): Promise<void> {
  const principal = userOf('u');
  const partitions = model.partitionsOf('u').slice(0, 4);
  const entries = model.in(partitions);
  const meaning = await meaningProbe(query);
  const words = wordsProbe(...new Set(lexemesIn(query)));
  const { vector } = await embeddingOf(query);
  const similarities = await Promise.all(
    entries.map(async ({ content }) => cosine((await embeddingOf(content)).vector, vector)),
  );
  const nearest = similarities.toSorted((a, b) => b - a).slice(0, limit);
  const containing = entries.filter(({ content }) => occurrences(content, words).some((count) => count > 0));
  for (const probe of [meaning, words, { ...meaning, ...words }]) {
    const found = await store.candidates(principal, { partitions }, probe, limit);
    assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'each one once');
    for (const candidate of found) await assertTold(candidate, model.entries.get(candidate.id), probe);
    const hits = found.filter(({ frequencies }) => frequencies.some((count) => count > 0));
    const byWords = probe.terms.length === 0 ? 0 : Math.min(limit, containing.length);
    assert.ok(hits.length >= byWords);
    if (probe.embedding === undefined) {
      assert.equal(found.length, byWords);
      continue;
    }
    // Equal distances may come in any order, so that distances are compared and not ids.
    const sorted = found.map(({ similarity = Number.NaN }) => similarity).toSorted((a, b) => b - a);
    for (const [index, similarity] of nearest.entries()) {
      assert.ok(Math.abs(nth(sorted, index) - similarity) < CLOSE_ENOUGH);
    }
    assert.ok(found.length <= nearest.length + byWords);
  }
}

async function assertExact(store: Entries, model: EngineModel): Promise<void> {
  for (const userId of USERS) {
    const principal = userOf(userId);
    const open = model.partitionsOf(userId);
    for (const partitions of [...open.map((partition) => [partition]), open, []]) {
      const entries = model.in(partitions);
      assert.equal(await store.count(principal, { partitions }), entries.length);
      const listed = await store.list(principal, { partitions }, 1000);
      assertSameMembers(
        listed.map(({ id }) => id),
        entries.map(({ id }) => id),
      );
      const statistics = await store.textStatistics(principal, partitions, model.words);
      assert.deepEqual(statistics, naiveStatistics(entries, model.words));
      for (const probe of [wordsProbe(...model.words.slice(0, 1)), wordsProbe(...model.words.slice(3, 6))]) {
        const found = await store.candidates(principal, { partitions }, probe, 1000);
        const containing = entries.filter(({ content }) => occurrences(content, probe).some((count) => count > 0));
        assertSameMembers(
          found.map(({ id }) => id),
          containing.map(({ id }) => id),
        );
        for (const candidate of found) await assertTold(candidate, model.entries.get(candidate.id), probe);
      }
    }
    assert.equal(await store.count(principal, {}), (await store.list(principal, {}, 10_000)).length);
  }
}

/** The vectors of all that a user may read. */
async function assertVectors(store: Entries, model: EngineModel): Promise<void> {
  const { space } = await embeddingOf('x');
  for (const userId of USERS) {
    const entries = model.in(model.partitionsOf(userId));
    const ids = entries.map(({ id }) => id);
    const vectors = await store.vectors(userOf(userId), space, ids);
    assert.equal(vectors.size, ids.length);
    for (const { id, content } of entries) assert.deepEqual(vectors.get(id), (await embeddingOf(content)).vector);
  }
}

export function engineRecall(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('indexes', () => {
    for (const seed of [31, 32, 33]) {
      test(`are exact after random writes, also when reopened (seed ${seed})`, async (subject) => {
        const model = new EngineModel(new SeededRandom(seed));
        for (let round = 0; round < 3; round += 1) {
          for (let count = 0; count < 30; count += 1) await model.write(subject.engine.entries);
          await assertExact(subject.engine.entries, model);
          for (const limit of [1, 5, 1000]) await assertFound(subject.engine.entries, model, model.text(), limit);
        }
        const { entries: reopened } = await subject.reopen();
        await assertExact(reopened, model);
        await assertVectors(reopened, model);
      });
    }

    test('prefer what has more of the asked words, and rarer ones', async ({ engine: { entries: store } }) => {
      const many = Array.from({ length: 50 }, (_, n) => entryOf({ content: `one filler ${n} ${n * 7}` }));
      const best = entryOf({ content: 'one two three' });
      const writes = await Promise.all([...many, best].map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      const terms = [
        { lexeme: 'two', weight: 3.5 },
        { lexeme: 'three', weight: 3.5 },
        { lexeme: 'one', weight: 0.01 },
      ];
      for (const limit of [1, 3]) {
        const found = await store.candidates(TENANT, { partitions: [partitionOfEntry(best)] }, { terms }, limit);
        assert.equal(found.length, limit);
        assert.deepEqual(found.find(({ id }) => id === best.id)?.frequencies, [1, 1, 1]);
      }
    });

    test('hold nothing of an entry without words', async ({ engine: { entries: store } }) => {
      const entry = entryOf({ content: '…' });
      const write = { ...(await writeOf(entry)), lexemes: [] };
      await store.transaction(TENANT, (tx) => tx.insert([write]));
      const partitions = [partitionOfEntry(entry)];
      const probe = { ...(await meaningProbe('…')), ...wordsProbe('word') };
      const [found] = await store.candidates(TENANT, { partitions }, probe, 5);
      assert.deepEqual([found?.length, found?.frequencies], [0, [0]]);
      assert.deepEqual(await store.textStatistics(TENANT, partitions, ['']), {
        documents: 1,
        averageLength: 0,
        episodes: 0,
        documentFrequencies: [0],
      });
      await store.transaction(TENANT, (tx) => tx.remove([entry.id]));
      assert.equal(await store.count(TENANT, { partitions }), 0);
    });

    test('do not mix embedding spaces', async ({ engine: { entries: store } }) => {
      const [small, large] = [entryOf({ content: 'small' }), entryOf({ content: 'large' })];
      const embedding = await embeddingOf('large', 128);
      const writes = [await writeOf(small), { ...(await writeOf(large)), embedding }];
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      const partitions = [partitionOfEntry(small)];
      const search = (probe: Probe): Promise<Candidate[]> => store.candidates(TENANT, { partitions }, probe, 10);
      const near = await search({ terms: [], embedding });
      assert.deepEqual(
        near.map(({ id }) => id),
        [large.id],
      );
      const both = await search({ ...wordsProbe('small'), embedding });
      const similarities = new Map(both.map(({ id, similarity }) => [id, similarity]));
      assertSameMembers(similarities.keys(), [small.id, large.id]);
      assert.equal(similarities.get(small.id), undefined);
      assert.ok(Math.abs((similarities.get(large.id) ?? 0) - 1) < CLOSE_ENOUGH);
      assert.deepEqual([...(await store.vectors(TENANT, embedding.space, [small.id, large.id])).keys()], [large.id]);
      const unknown = { model: 'nobody:uses-it', dimensions: 128 };
      assert.deepEqual(await search({ terms: [], embedding: { space: unknown, vector: embedding.vector } }), []);
      assert.equal((await store.vectors(TENANT, unknown, [large.id])).size, 0);
    });

    test('follow an entry that moves to another partition', async ({ engine: { entries: store } }) => {
      const own = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;
      let entry = entryOf({ content: 'moving house', ...own });
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(entry)]));
      const meaning = await meaningProbe('moving house');
      const { space, vector } = await embeddingOf('moving house');
      // Shared, archived, and out of the archive again.
      for (const change of [{ visibility: 'shared' }, { status: 'archived' }, { status: 'active' }] as const) {
        const moved = nextVersion(entry, change);
        const write = { ...(await writeOf(moved)), embedding: undefined };
        await store.transaction(TENANT, (tx) => tx.replace([write]));
        for (const [partition, count] of [
          [partitionOfEntry(entry), 0],
          [partitionOfEntry(moved), 1],
        ] as const) {
          const partitions = [partition];
          for (const probe of [wordsProbe('house'), meaning]) {
            assert.equal((await store.candidates(TENANT, { partitions }, probe, 10)).length, count);
          }
          assert.equal((await store.list(TENANT, { partitions }, 10)).length, count);
          const statistics = await store.textStatistics(TENANT, partitions, ['house']);
          assert.deepEqual(statistics, {
            documents: count,
            averageLength: 2 * count,
            episodes: 0,
            documentFrequencies: [count],
          });
        }
        assert.deepEqual((await store.vectors(TENANT, space, [entry.id])).get(entry.id), vector);
        entry = moved;
      }
    });

    test('find what is archived only where it is asked for', async ({ engine: { entries: store } }) => {
      const active = entryOf({ content: 'heron in the pond' });
      const archived = entryOf({ content: 'heron on the roof', status: 'archived' });
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(active), await writeOf(archived)]));
      const embedding = await embeddingOf('heron');
      const [here, there] = [partitionOfEntry(active), partitionOfEntry(archived)];
      for (const [partitions, expected] of [
        [[here], [active]],
        [[there], [archived]],
        [
          [here, there],
          [active, archived],
        ],
      ] as const) {
        const ids = expected.map(({ id }) => id);
        const found = await store.candidates(TENANT, { partitions }, { ...wordsProbe('heron'), embedding }, 10);
        const near = await store.transaction(TENANT, (tx) => tx.nearest({ partitions }, embedding, 10));
        for (const list of [found, near]) {
          assertSameMembers(
            list.map(({ id }) => id),
            ids,
          );
        }
        const { documents } = await store.textStatistics(TENANT, partitions, []);
        assert.deepEqual([documents, await store.count(TENANT, { partitions })], [ids.length, ids.length]);
      }
      // It still takes up its identity.
      const { contentHash, ownerId } = archived;
      const [same] = await store.findSame(TENANT, [{ partition: here, ownerId, contentHash }]);
      assert.equal(same?.id, archived.id);
    });

    test('leave out what has expired, and fill up with what has not', async ({ engine: { entries: store } }, clock) => {
      const expiresAt = new Date(clock.now() + 1000).toISOString();
      const brief = Array.from({ length: 20 }, () => entryOf({ content: 'needle', kind: 'episodic', expiresAt }));
      const lasting = entryOf({ content: 'needle and thread', kind: 'episodic' });
      const writes = await Promise.all([...brief, lasting].map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      clock.advance(1000);
      const reach = { partitions: [partitionOfEntry(lasting)] };
      const embedding = await embeddingOf('needle');
      const found = [
        await store.candidates(TENANT, reach, wordsProbe('needle'), 1),
        await store.candidates(TENANT, reach, { terms: [], embedding }, 1),
        await store.transaction(TENANT, (tx) => tx.nearest(reach, embedding, 1)),
        await store.list(TENANT, reach, 1),
      ];
      for (const ids of found.map((list) => list.map(({ id }) => id))) assert.deepEqual(ids, [lasting.id]);
      assert.equal(await store.count(TENANT, reach), 1);
    });
  });
}
