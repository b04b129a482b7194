/** The same memory on SQLite and on PostgreSQL: the same questions have the same answers. */

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Engine } from '../src/ports/engine.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { openLamina } from './running-lamina.ts';

const QUERIES = 200;
const RESULTS = 10;
const LEAST_OVERLAP = 0.95;
const BATCH = 500;

const PLACES = [
  { layer: 'user' },
  { layer: 'user', kind: 'episodic' },
  { layer: 'project', identifiers: { projectId: 'p' } },
  { layer: 'company', identifiers: { companyId: 'c' } },
] as const;
const IDENTIFIERS = { userId: 'alice', projectId: 'p', companyId: 'c' };

type AddInput = Parameters<Memory['add']>[0];

/** Words as people use them: few often, many rarely. */
function wordsOf(random: SeededRandom): () => string {
  const vocabulary = Array.from({ length: 1500 }, () => random.word());
  return () => vocabulary[Math.floor(vocabulary.length * random.next() ** 3)] ?? '';
}

function memoriesOf(
  count: number,
  places: readonly Partial<AddInput>[],
  random: SeededRandom,
  word: () => string,
): AddInput[] {
  return Array.from({ length: count }, (_, index) => ({
    ...(places[index % places.length] as Pick<AddInput, 'layer'>),
    content: Array.from({ length: 6 + random.below(20) }, word).join(' '),
    importance: random.below(101) / 100,
    tags: [random.pick(['red', 'green', 'blue'])],
  }));
}

async function filled(engine: Engine | undefined, inputs: readonly AddInput[]): Promise<Memory> {
  const { lamina, close } = await openLamina(engine && { engine });
  onTestFinished(close);
  const memory = lamina.as({ userId: 'alice' });
  for (let at = 0; at < inputs.length; at += BATCH) await memory.addMany(inputs.slice(at, at + BATCH));
  return memory;
}

/** How much of the first lists is in the second, on average. By content: each side gives ids of its own. */
async function overlap(
  one: Memory,
  other: Memory,
  queries: readonly Parameters<Memory['search']>[0][],
): Promise<number> {
  let shared = 0;
  let all = 0;
  for (const query of queries) {
    const [left, right] = await Promise.all([one, other].map((memory) => memory.search(query)));
    const contents = new Set(right?.results.map(({ memory }) => memory.content));
    shared += left?.results.filter(({ memory }) => contents.has(memory.content)).length ?? 0;
    all += Math.max(left?.results.length ?? 0, contents.size);
  }
  expect(all).toBeGreaterThan(queries.length);
  return shared / all;
}

async function assertParity(engine: Engine, count: number, places: readonly Partial<AddInput>[]): Promise<void> {
  const random = new SeededRandom(count);
  const word = wordsOf(random);
  const inputs = memoriesOf(count, places, random, word);
  const [sqlite, postgres] = [await filled(undefined, inputs), await filled(engine, inputs)];
  const queries = Array.from({ length: QUERIES }, (_, index) => ({
    query: Array.from({ length: 1 + random.below(8) }, word).join(' '),
    identifiers: IDENTIFIERS,
    mode: random.pick(['hybrid', 'hybrid', 'keyword', 'semantic'] as const),
    rank: random.pick(['precedence', 'relevance'] as const),
    limit: RESULTS,
    threshold: 0,
    ...(index % 4 === 0 && { filter: { tags: ['red'] } }),
  }));
  expect(await overlap(sqlite, postgres, queries)).toBeGreaterThanOrEqual(LEAST_OVERLAP);
}

const pglite = await pgliteUnderTest();

it('PGlite finds what SQLite finds', { timeout: 120_000 }, async () => {
  await assertParity(await pglite.open(systemClock), 600, PLACES);
});

const server = await serverUnderTest();

describeOnPostgres('PostgreSQL', () => {
  it(
    'finds what SQLite finds, also in a scope so large that it is searched by its index',
    { timeout: 300_000 },
    async () => {
      if (server === undefined) throw new Error('A server that was found could not be used.');
      await assertParity(await server.open(systemClock), 5500, PLACES.slice(0, 1));
    },
  );
});
