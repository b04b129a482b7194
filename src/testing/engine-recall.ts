/** Engine contract: both indexes are exact, and never look outside of the partitions that were asked for. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Entries, TextStatistics } from '../ports/entry-store.ts';
import { assertSameMembers, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { EngineModel } from './engine-model.ts';
import { engineTest, TENANT, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, lexemesIn, nextVersion, partitionOfEntry, writeOf } from './entry-write.ts';
import { SeededRandom } from './seeded-random.ts';

const CLOSE_ENOUGH = 1e-5;

function naiveStatistics(entries: readonly Entry[], terms: readonly string[]): TextStatistics {
  const texts = entries.map(({ content }) => lexemesIn(content));
  const lexemes = texts.reduce((sum, text) => sum + text.length, 0);
  return {
    documents: texts.length,
    averageLength: texts.length === 0 ? 0 : lexemes / texts.length,
    documentFrequencies: terms.map((term) => texts.filter((text) => text.includes(term)).length),
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** The nearest by comparing with each: what an index may only be faster than. */
async function assertNearest(store: Entries, model: EngineModel, query: string, limit: number): Promise<void> {
  const partitions = model.partitions.slice(0, 4);
  const { space, vector } = await embeddingOf(query);
  const all = await Promise.all(
    model
      .in(partitions)
      .map(async ({ id, content }) => ({ id, similarity: cosine((await embeddingOf(content)).vector, vector) })),
  );
  const expected = all.toSorted((a, b) => b.similarity - a.similarity).slice(0, limit);
  const found = await store.matchVector(TENANT, { partitions }, space, vector, limit);
  assert.equal(found.length, expected.length);
  const similarities = new Map(all.map(({ id, similarity }) => [id, similarity]));
  const sorted = found.toSorted((a, b) => (b.similarity ?? 0) - (a.similarity ?? 0));
  for (const [index, { id, similarity = Number.NaN }] of sorted.entries()) {
    // Equal distances may come in any order, so that distances are compared and not ids.
    assert.ok(Math.abs(similarity - nth(expected, index).similarity) < CLOSE_ENOUGH);
    assert.ok(Math.abs(similarity - (similarities.get(id) ?? Number.NaN)) < CLOSE_ENOUGH);
  }
}

async function assertExact(store: Entries, model: EngineModel): Promise<void> {
  for (const partitions of [...model.partitions.map((partition) => [partition]), model.partitions, []]) {
    const entries = model.in(partitions);
    const ids = entries.map(({ id }) => id);
    assert.equal(await store.count(TENANT, { partitions }), entries.length);
    assert.equal(await store.count(TENANT, {}), (await store.list(TENANT, {}, 10_000)).length);
    assertSameMembers(
      (await store.list(TENANT, { partitions }, 1000)).map(({ id }) => id),
      ids,
    );
    assert.deepEqual(
      await store.textStatistics(TENANT, partitions, model.words),
      naiveStatistics(entries, model.words),
    );
    for (const terms of [model.words.slice(0, 1), model.words.slice(3, 6)]) {
      const found = await store.matchText(TENANT, { partitions }, terms, 1000);
      const containing = entries.filter(({ content }) => lexemesIn(content).some((lexeme) => terms.includes(lexeme)));
      assertSameMembers(
        found.map(({ id }) => id),
        containing.map(({ id }) => id),
      );
      for (const { id, lexemes, layer } of found) {
        assert.deepEqual(lexemes, lexemesIn(model.entries.get(id)?.content ?? ''));
        assert.equal(layer, model.entries.get(id)?.layer);
      }
    }
  }
}

export function engineRecall(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('indexes', () => {
    for (const seed of [31, 32, 33]) {
      test(`are exact after random writes, also when reopened (seed ${seed})`, async (subject) => {
        const model = new EngineModel(new SeededRandom(seed));
        for (let round = 0; round < 4; round += 1) {
          for (let count = 0; count < 25; count += 1) await model.write(subject.engine.entries);
          await assertExact(subject.engine.entries, model);
          for (const limit of [1, 5, 1000]) await assertNearest(subject.engine.entries, model, model.text(), limit);
        }
        const { entries: reopened } = await subject.reopen();
        await assertExact(reopened, model);
        const entries = [...model.entries.values()];
        const { space } = await embeddingOf('x');
        const vectors = await reopened.vectors(
          TENANT,
          space,
          entries.map(({ id }) => id),
        );
        for (const { id, content } of entries) assert.deepEqual(vectors.get(id), (await embeddingOf(content)).vector);
      });
    }

    test('rank what has more of the asked words before what has fewer', async ({ engine: { entries: store } }) => {
      const many = Array.from({ length: 50 }, (_, n) => entryOf({ content: `one filler ${n} ${n * 7}` }));
      const best = entryOf({ content: 'one two three' });
      const writes = await Promise.all([...many, best].map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      const found = await store.matchText(TENANT, { partitions: [partitionOfEntry(best)] }, ['one', 'two', 'three'], 3);
      assert.equal(nth(found).id, best.id);
      assert.equal(found.length, 3);
    });

    test('hold nothing of an entry without words', async ({ engine: { entries: store } }) => {
      const entry = entryOf({ content: '…' });
      const write = { ...(await writeOf(entry)), lexemes: [] };
      await store.transaction(TENANT, (tx) => tx.insert([write]));
      const partitions = [partitionOfEntry(entry)];
      const { space, vector } = await embeddingOf('…');
      const [found] = await store.matchVector(TENANT, { partitions }, space, vector, 5);
      assert.deepEqual(found?.lexemes, []);
      assert.deepEqual(await store.textStatistics(TENANT, partitions, ['']), {
        documents: 1,
        averageLength: 0,
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
      const found = await store.matchVector(TENANT, { partitions }, embedding.space, embedding.vector, 10);
      assert.deepEqual(
        found.map(({ id }) => id),
        [large.id],
      );
      assert.deepEqual([...(await store.vectors(TENANT, embedding.space, [small.id, large.id])).keys()], [large.id]);
      const unknown = { model: 'nobody:uses-it', dimensions: 128 };
      assert.deepEqual(await store.matchVector(TENANT, { partitions }, unknown, embedding.vector, 10), []);
      assert.equal((await store.vectors(TENANT, unknown, [large.id])).size, 0);
    });

    test('follow an entry that moves to another partition', async ({ engine: { entries: store } }) => {
      const own = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;
      const entry = entryOf({ content: 'moving house', ...own });
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(entry)]));
      const moved = nextVersion(entry, { visibility: 'shared' });
      const write = { ...(await writeOf(moved)), embedding: undefined };
      await store.transaction(TENANT, (tx) => tx.replace([write]));
      const { space, vector } = await embeddingOf('moving house');
      for (const [partition, count] of [
        [partitionOfEntry(entry), 0],
        [partitionOfEntry(moved), 1],
      ] as const) {
        const partitions = [partition];
        assert.equal((await store.matchText(TENANT, { partitions }, ['house'], 10)).length, count);
        assert.equal((await store.matchVector(TENANT, { partitions }, space, vector, 10)).length, count);
        assert.equal((await store.list(TENANT, { partitions }, 10)).length, count);
        const statistics = await store.textStatistics(TENANT, partitions, ['house']);
        assert.deepEqual(statistics, { documents: count, averageLength: 2 * count, documentFrequencies: [count] });
      }
      assert.deepEqual((await store.vectors(TENANT, space, [entry.id])).get(entry.id), vector);
    });

    test('leave out what has expired, and fill up with what has not', async ({ engine: { entries: store } }, clock) => {
      const expiresAt = new Date(clock.now() + 1000).toISOString();
      const brief = Array.from({ length: 20 }, () => entryOf({ content: 'needle', kind: 'episodic', expiresAt }));
      const lasting = entryOf({ content: 'needle and thread', kind: 'episodic' });
      const writes = await Promise.all([...brief, lasting].map(writeOf));
      await store.transaction(TENANT, (tx) => tx.insert(writes));
      clock.advance(1000);
      const reach = { partitions: [partitionOfEntry(lasting)] };
      const { space, vector } = await embeddingOf('needle');
      const found = [
        await store.matchText(TENANT, reach, ['needle'], 1),
        await store.matchVector(TENANT, reach, space, vector, 1),
        await store.list(TENANT, reach, 1),
      ];
      for (const ids of found.map((list) => list.map(({ id }) => id))) assert.deepEqual(ids, [lasting.id]);
      assert.equal(await store.count(TENANT, reach), 1);
    });
  });
}
