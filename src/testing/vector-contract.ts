/** Everything that an index of vectors beside the store must do. */

import assert from 'node:assert/strict';
import { partitionOf, type Partition } from '../domain/access.ts';
import { scopeOf } from '../domain/scope.ts';
import type { EmbeddingSpace } from '../ports/embedder.ts';
import type { IndexedPoint, VectorIndex } from '../ports/vector-index.ts';
import { assertSameMembers } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { SeededRandom } from './seeded-random.ts';

/** An index that holds nothing. */
export interface VectorSubject {
  readonly index: VectorIndex;
  close(): Promise<void>;
}

export type OpenVectorIndex = () => Promise<VectorSubject>;

const DIMENSIONS = 8;
const SPACE: EmbeddingSpace = { model: 'test:vectors', dimensions: DIMENSIONS };
/** Differs from the other in what a name may not hold. */
const SAME_NAME: EmbeddingSpace = { model: 'test/vectors', dimensions: DIMENSIONS };

const [A, B] = ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b'] as const;

const projectOf = (projectId: string): Partition =>
  partitionOf({ scope: scopeOf('project', { projectId }), kind: 'semantic', visibility: 'shared', ownerId: null });

const ownPartition = (userId: string): Partition =>
  partitionOf({ scope: scopeOf('user', { userId }), kind: 'semantic', visibility: 'private', ownerId: userId });

const idOf = (number: number): string => `018f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** Of unit length, at this angle from the first axis. */
function at(angle: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = Math.cos(angle);
  vector[1] = Math.sin(angle);
  return vector;
}

function pointOf(number: number, vector: Float32Array, partition = projectOf('p')): IndexedPoint {
  return { id: idOf(number), partition, ownerId: partition.audience === '' ? null : partition.audience, vector };
}

async function idsIn(
  index: VectorIndex,
  tenantId: string,
  partitions: readonly Partition[],
  limit = 10,
): Promise<string[]> {
  return (await index.nearest(SPACE, tenantId, partitions, at(0), limit)).map(({ id }) => id);
}

/** Declares the suite over the port. `open` is called once per test and must give an empty index. */
export function vectorContract(runner: TestRunner, name: string, open: OpenVectorIndex): void {
  const test = (what: string, body: (index: VectorIndex) => Promise<void>): void => {
    runner.it(what, async () => {
      const subject = await open();
      try {
        await body(subject.index);
      } finally {
        await subject.close();
      }
    });
  };
  runner.describe(`vector contract: ${name}`, () => {
    finding(test);
    keepingApart(test);
    keepingUp(test);
    erasing(test);
  });
}

type Test = (what: string, body: (index: VectorIndex) => Promise<void>) => void;

function finding(test: Test): void {
  test('finds the nearest first, and tells how near they are', async (index) => {
    await index.put(
      SPACE,
      A,
      [0.9, 0.1, 0.5].map((angle, number) => pointOf(number, at(angle))),
    );
    const found = await index.nearest(SPACE, A, [projectOf('p')], at(0), 2);
    assert.deepEqual(
      found.map(({ id }) => id),
      [idOf(1), idOf(2)],
    );
    for (const [place, angle] of [0.1, 0.5].entries()) {
      assert.ok(Math.abs((found[place]?.similarity ?? 0) - Math.cos(angle)) < 1e-4);
    }
  });

  test('finds in batches of any size what comparing one by one finds', async (index) => {
    const random = new SeededRandom(7);
    const points = Array.from({ length: 300 }, (_, number) => pointOf(number, at(random.next() * Math.PI)));
    await index.put(SPACE, A, points);
    assert.equal(await index.count(SPACE, A), points.length);
    const cosine = ({ vector }: IndexedPoint): number => vector[0] ?? 0;
    const nearest = points.toSorted((a, b) => cosine(b) - cosine(a)).slice(0, 20);
    assert.deepEqual(
      await idsIn(index, A, [projectOf('p')], 20),
      nearest.map(({ id }) => id),
    );
  });

  test('has nothing in no partitions, and cannot serve where there is no index yet', async (index) => {
    await assert.rejects(idsIn(index, A, [projectOf('p')]), { code: 'UNAVAILABLE' });
    assert.equal(await index.count(SPACE, A), 0);
    assert.deepEqual(await index.list(SPACE, A, 10), { ids: [], next: undefined });
    assert.equal(await index.progress(SPACE, A), undefined);
    await index.remove(A, [idOf(1)]);
    await index.put(SPACE, A, [pointOf(1, at(0))]);
    assert.deepEqual(await idsIn(index, A, []), []);
  });
}

function keepingApart(test: Test): void {
  test('shows nothing of other tenants, partitions, users and spaces', async (index) => {
    const [mine, other] = [projectOf('p'), projectOf('p0')];
    const archived = { ...mine, isArchived: true };
    await index.put(SPACE, A, [pointOf(1, at(0), mine), pointOf(2, at(0), other), pointOf(3, at(0), archived)]);
    await index.put(SPACE, A, [pointOf(4, at(0), ownPartition('u1')), pointOf(5, at(0), ownPartition('u10'))]);
    // The same id in another tenant is another entry: callers may bring their own.
    await index.put(SPACE, B, [pointOf(1, at(1), mine), pointOf(6, at(0), mine)]);
    await index.put(SAME_NAME, A, [pointOf(7, at(0), mine)]);
    assert.deepEqual(await idsIn(index, A, [mine]), [idOf(1)]);
    assert.deepEqual(await idsIn(index, A, [ownPartition('u1')]), [idOf(4)]);
    assertSameMembers(await idsIn(index, A, [mine, archived]), [idOf(1), idOf(3)]);
    assertSameMembers(await idsIn(index, B, [mine, other, archived]), [idOf(1), idOf(6)]);
    assert.deepEqual(
      [await index.count(SPACE, A), await index.count(SPACE, B), await index.count(SAME_NAME, A)],
      [5, 2, 1],
    );
  });

  test('removes of one tenant what another has under the same id, and no more', async (index) => {
    for (const tenantId of [A, B]) await index.put(SPACE, tenantId, [pointOf(1, at(0)), pointOf(2, at(0))]);
    await index.put(SAME_NAME, A, [pointOf(1, at(0))]);
    await index.remove(A, [idOf(1), idOf(9)], SPACE);
    assert.deepEqual(await idsIn(index, A, [projectOf('p')]), [idOf(2)]);
    assert.equal(await index.count(SAME_NAME, A), 1);
    await index.remove(A, [idOf(1)]);
    assert.equal(await index.count(SAME_NAME, A), 0);
    assert.equal(await index.count(SPACE, B), 2);
  });
}

function keepingUp(test: Test): void {
  test('puts a point in the place of the one that was there, also in another partition', async (index) => {
    await index.put(SPACE, A, [pointOf(1, at(1))]);
    await index.put(SPACE, A, [pointOf(1, at(0), ownPartition('u'))]);
    assert.deepEqual(await idsIn(index, A, [projectOf('p')]), []);
    const [found] = await index.nearest(SPACE, A, [ownPartition('u')], at(0), 10);
    assert.ok(found?.id === idOf(1) && found.similarity > 0.999);
    assert.equal(await index.count(SPACE, A), 1);
  });

  test('lists what is there in pages, each once', async (index) => {
    await index.put(
      SPACE,
      A,
      Array.from({ length: 7 }, (_, number) => pointOf(number, at(0))),
    );
    await index.put(SPACE, B, [pointOf(99, at(0))]);
    await index.saveProgress(SPACE, A, { position: 'p' });
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await index.list(SPACE, A, 3, after);
      assert.ok(page.ids.length <= 3);
      listed.push(...page.ids);
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(
      listed.toSorted(),
      Array.from({ length: 7 }, (_, number) => idOf(number)),
    );
  });

  test('keeps how far it has come, for each tenant and space, out of the way of searches', async (index) => {
    const rebuild = { position: 'a.1', after: idOf(1), done: 3, holder: idOf(2), at: 4 };
    await index.saveProgress(SPACE, A, { rebuild });
    assert.deepEqual(await index.progress(SPACE, A), { rebuild });
    await index.saveProgress(SPACE, A, { position: 'a.2' });
    await index.saveProgress(SPACE, B, { position: 'b.1' });
    assert.deepEqual(await index.progress(SPACE, A), { position: 'a.2' });
    assert.equal(await index.progress(SAME_NAME, A), undefined);
    assert.deepEqual(await idsIn(index, A, [projectOf('p')]), []);
    assert.deepEqual([await index.count(SPACE, A), await index.countOwned(A)], [0, 0]);
    assert.equal(await index.check(), undefined);
  });
}

function erasing(test: Test): void {
  test('erases a user in every space, and leaves everybody else', async (index) => {
    const points = [pointOf(1, at(0), ownPartition('u1')), pointOf(2, at(0), ownPartition('u10')), pointOf(3, at(0))];
    // What a user has shared is the user's all the same.
    const shared = { ...pointOf(4, at(0)), ownerId: 'u1' };
    for (const space of [SPACE, SAME_NAME]) await index.put(space, A, [...points, shared]);
    await index.put(SPACE, B, points);
    assert.deepEqual([await index.countOwned(A, 'u1'), await index.countOwned(A, 'u')], [4, 0]);
    assert.equal(await index.erase(A, 'u1'), 4);
    assert.deepEqual([await index.countOwned(A, 'u1'), await index.erase(A, 'u1')], [0, 0]);
    assert.deepEqual([await index.countOwned(A), await index.countOwned(B)], [4, 3]);
    assertSameMembers((await index.list(SPACE, A, 10)).ids, [idOf(2), idOf(3)]);
  });

  test('erases a tenant with its progress, and leaves the others', async (index) => {
    for (const tenantId of [A, B]) {
      await index.put(SPACE, tenantId, [pointOf(1, at(0)), pointOf(2, at(0))]);
      await index.saveProgress(SPACE, tenantId, { position: tenantId });
    }
    assert.equal(await index.erase(A), 2);
    assert.equal(await index.countOwned(A), 0);
    assert.equal(await index.progress(SPACE, A), undefined);
    assert.deepEqual([await index.countOwned(B), await index.progress(SPACE, B)], [2, { position: B }]);
  });
}
