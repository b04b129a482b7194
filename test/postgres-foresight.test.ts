/** First searches on PostgreSQL are answered by one statement: as by the usual ones, for nobody else, and only where it turns out as foreseen. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { bm25 } from '../src/core/recall/bm25.ts';
import type { Entry } from '../src/domain/entry.ts';
import type { Principal } from '../src/domain/principal.ts';
import type { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import { PostgresForesight } from '../src/engines/postgres/postgres-foresight.ts';
import { PostgresRecollection } from '../src/engines/postgres/postgres-recollection.ts';
import { Surprises } from '../src/engines/postgres/surprises.ts';
import type { Candidate, Foreseen, Probe, Recollection, TextStatistics } from '../src/ports/entry-store.ts';
import { OTHER_TENANT, TENANT } from '../src/testing/engine-subject.ts';
import { embeddingOf, entryOf, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

const server = await serverUnderTest();
const clock = new ManualClock();
let engine: PostgresEngine;

const ANNA: Principal = { ...TENANT, userId: 'anna' };
const OWN = { layer: 'user', identifiers: { userId: 'anna' }, ownerId: 'anna', visibility: 'private' } as const;
const PLACES = [
  { ...OWN, kind: 'semantic' },
  { ...OWN, kind: 'procedural' },
  { identifiers: { projectId: 'p' }, kind: 'semantic' },
] as const;
const PARTITIONS = PLACES.map((place) => partitionOfEntry(entryOf({ content: 'x', ...place })));
const WORDS = Array.from({ length: 24 }, (_, index) => `w${index}`);
const LIKELY = { count: 8, words: 8, meaning: 5, mean: 0, spread: 1, importance: 0.6, confidence: 1 };

interface Answer {
  readonly statistics: TextStatistics;
  readonly candidates: readonly Candidate[];
  readonly entries: readonly Entry[];
}

interface Asked {
  readonly asked: readonly string[];
  readonly former?: readonly string[];
  readonly names?: readonly string[];
  readonly limit?: number;
  readonly meaning?: string | undefined;
}

/** As the core does it. */
async function search(by: Recollection, wanted: Asked, principal: Principal = ANNA): Promise<Answer> {
  const { asked, former = [], names = [], limit = 5, meaning } = wanted;
  const lexemes = [...asked, ...former, ...names];
  const embedding = meaning === undefined ? undefined : await embeddingOf(meaning);
  const foreseen: Foreseen = { asked, former, names, probe: { embedding, endings: 8 }, limit, likely: LIKELY };
  if (by.foresees?.(principal, { partitions: PARTITIONS })) by.foresee?.(foreseen);
  const statistics = await by.textStatistics(principal, PARTITIONS, lexemes);
  const { documentFrequencies } = statistics;
  const present = [...asked, ...former.filter((_, index) => (documentFrequencies[asked.length + index] ?? 0) > 0)];
  const counted = {
    ...statistics,
    documentFrequencies: present.map((lexeme) => documentFrequencies[lexemes.indexOf(lexeme)] ?? 0),
  };
  const probe: Probe = { terms: bm25(present, counted, 32).terms, embedding, endings: 8 };
  const candidates = await by.candidates(principal, { partitions: PARTITIONS }, probe, limit);
  const ids = sorted(candidates)
    .toSorted((a, b) => (b.similarity ?? 0) - (a.similarity ?? 0))
    .map(({ id }) => id);
  const entries = await by.find(principal, ids.slice(0, 3));
  return { statistics, candidates: sorted(candidates), entries: sorted(entries) };
}

function sorted<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function remembering(by: PostgresEngine = engine): Recollection {
  const recollection = by.entries.recollection?.();
  if (recollection === undefined) throw new Error('Nothing is remembered.');
  return recollection;
}

async function insert(entries: readonly Entry[], principal: Principal = ANNA): Promise<void> {
  const writes = await Promise.all(entries.map(writeOf));
  await engine.entries.transaction(principal, (tx) => tx.insert(writes));
}

/** Which of the usual ways to ask were used meanwhile. */
async function askedBy(work: () => Promise<unknown>): Promise<string[]> {
  const names = ['textStatistics', 'candidates', 'find'] as const;
  const spies = names.map((name) => vi.spyOn(engine.entries, name));
  await work();
  const used = names.filter((_, index) => (spies[index]?.mock.calls.length ?? 0) > 0);
  for (const spy of spies) spy.mockRestore();
  return used;
}

describeOnPostgres('a first search', () => {
  beforeEach(async () => {
    if (server === undefined) throw new Error('There is no server.');
    engine = await server.open(clock);
  });
  afterEach(() => engine.close());

  it('finds what the usual statements find', async () => {
    const random = new SeededRandom(7);
    const entries = Array.from({ length: 120 }, () => {
      const words = Array.from({ length: 1 + random.below(11) }, () =>
        String(WORDS[Math.min(random.below(24), random.below(24))]),
      );
      const ends = random.below(10) === 0 && { expiresAt: new Date(clock.now() + 1000).toISOString() };
      const importance = random.below(3) / 4;
      return entryOf({ content: words.join(' '), ...random.pick(PLACES), importance, ...ends });
    });
    await insert([...new Map(entries.map((entry) => [entry.contentHash + entry.kind + entry.layer, entry])).values()]);
    clock.advance(2000);
    const answered: unknown[] = [];
    for (let round = 0; round < 40; round += 1) {
      const words = [...new Set(Array.from({ length: random.below(7) }, () => random.pick([...WORDS, 'no', 'nor'])))];
      const meaning = words.length > 0 && round % 4 === 0 ? undefined : `${random.pick(WORDS)} ${random.pick(WORDS)}`;
      const split = random.below(words.length + 1);
      const wanted = {
        asked: words.slice(0, split),
        former: split === 0 ? [] : words.slice(split),
        names: ['·nobody'],
        limit: random.pick([3, 10, 200]),
        meaning,
      };
      const usual = await search(engine.entries, wanted);
      // To one that has not searched before.
      const other = await server?.another(clock);
      const candidates = vi.spyOn(PostgresForesight.prototype, 'candidates');
      expect(other && (await search(remembering(other), wanted))).toEqual(usual);
      if (wanted.meaning !== undefined || usual.candidates.length > 0) answered.push(candidates.mock.results[0]?.value);
      candidates.mockRestore();
      await other?.close();
    }
    expect(answered.length).toBeGreaterThan(30);
    expect(answered).not.toContain(undefined);
  });

  it('asks once', async () => {
    await insert(['leek soup', 'pear cake', 'leek tart'].map((content) => entryOf({ content, ...OWN })));
    const wanted = { asked: ['leek', 'soup'], former: ['none'], names: ['·leek'], meaning: 'leek soup' };
    const usual = await search(engine.entries, wanted, ANNA);
    expect(usual.candidates).toHaveLength(3);
    const asked = await askedBy(async () => expect(await search(remembering(), wanted)).toEqual(usual));
    expect(asked).toEqual([]);
  });

  it('finds nothing of others', async () => {
    await insert([entryOf({ content: 'leek soup', ...OWN })]);
    const wanted = { asked: ['leek'], meaning: 'leek soup' };
    expect((await search(remembering(), wanted)).candidates).toHaveLength(1);
    for (const principal of [
      { ...TENANT, userId: 'bela' },
      { ...OTHER_TENANT, userId: 'anna' },
    ]) {
      const { statistics, candidates, entries } = await search(remembering(), wanted, principal);
      expect([statistics.documents, candidates, entries]).toEqual([0, [], []]);
    }
  });

  it('is asked as usual where a name is among its words, and so are those after it', async () => {
    const said = { layer: 'user', identifiers: { userId: 'anna' }, ownerId: 'anna', visibility: 'private' } as const;
    await insert([entryOf({ content: 'leek soup', ...said })]);
    const wanted = { asked: ['soup'], names: ['leek'], meaning: 'leek soup' };
    const usual = await search(engine.entries, wanted);
    const asked = await askedBy(async () => expect(await search(remembering(), wanted)).toEqual(usual));
    expect(asked).toEqual(['candidates', 'find']);
    expect(remembering().foresees?.(ANNA, { partitions: PARTITIONS })).toBe(false);
    expect(remembering().foresees?.({ ...ANNA, userId: 'bela' }, { partitions: PARTITIONS })).toBe(true);
  });

  it('is asked as usual where something else is looked for than was foreseen', async () => {
    await insert(['leek soup', 'pear cake'].map((content) => entryOf({ content, ...OWN })));
    const embedding = await embeddingOf('leek');
    const foreseen = {
      asked: ['leek'],
      former: [],
      names: [],
      probe: { embedding, endings: 8 },
      limit: 5,
      likely: LIKELY,
    };
    const weight = Math.log(1 + 1.5 / 1.5);
    const probe: Probe = { terms: [{ lexeme: 'leek', weight }], embedding, endings: 8 };
    const others: [Probe, number][] = [
      [{ ...probe, embedding: await embeddingOf('pear') }, 5],
      [{ ...probe, embedding: undefined }, 5],
      [{ ...probe, terms: [{ lexeme: 'pear', weight }] }, 5],
      [{ ...probe, terms: [{ lexeme: 'leek', weight: 2 }] }, 5],
      [{ ...probe, terms: [] }, 5],
      [{ ...probe, endings: 9 }, 5],
      [probe, 1],
    ];
    const used = async (...[wanted, limit]: [Probe, number]): Promise<string[]> => {
      await engine.close();
      if (server) engine = await server.another(clock);
      const recollection = remembering();
      recollection.foresee?.(foreseen);
      await recollection.textStatistics(ANNA, PARTITIONS, ['leek']);
      return askedBy(() => recollection.candidates(ANNA, { partitions: PARTITIONS }, wanted, limit));
    };
    for (const other of others) expect(await used(...other)).toEqual(['candidates']);
  });

  it('answers as without foresight, where a speaker is named and where none is', async () => {
    const embedder = new HashEmbedder();
    const lamina = await Lamina.open({ engine, embedder });
    const memory = lamina.as(ANNA);
    const notes = Array.from({ length: 20 }, (_, n) => `Leek soup number ${n} with ${['pear', 'plum', 'peas'][n % 3]}`);
    await memory.addMany(notes.map((content) => ({ content, layer: 'user' })));
    for (const speaker of ['Bela', 'Cem']) {
      await memory.add({
        layer: 'agent',
        identifiers: { userId: 'anna', agentId: 'cook' },
        content: 'I like pear',
        kind: 'episodic',
        speaker,
      });
    }
    const asked: [string, object][] = [
      ['Which soup has plum and peas?', {}],
      ['What does Bela like with pear?', { identifiers: { userId: 'anna', agentId: 'cook' } }],
    ];
    for (const [query, where] of asked) {
      if (server === undefined) continue;
      const other = await Lamina.open({ engine: await server.another(clock), embedder });
      const asks = () => other.as(ANNA).search({ query, threshold: 0, limit: 5, ...where });
      const first = await asks();
      const foresees = vi.spyOn(PostgresRecollection.prototype, 'foresees').mockReturnValue(false);
      const results = [first, await asks()].map((output) =>
        // What is recent scores a little less a moment later.
        output.results.map(({ memory: { content }, score }) => [content, score.toFixed(6)]),
      );
      foresees.mockRestore();
      expect(results[0]).toHaveLength(5);
      expect(results[0]).toEqual(results[1]);
      await other.close();
    }
  });

  it('reads entries that were not guessed as usual', async () => {
    await insert(Array.from({ length: 12 }, (_, index) => entryOf({ content: `leek ${index}`, ...OWN })));
    const recollection = remembering();
    const likely = { ...LIKELY, count: 2 };
    recollection.foresee?.({ asked: ['leek'], former: [], names: [], probe: { endings: 8 }, limit: 20, likely });
    await recollection.textStatistics(ANNA, PARTITIONS, ['leek']);
    const terms = [{ lexeme: 'leek', weight: Math.log(1 + 0.5 / 12.5) }];
    const found = await recollection.candidates(ANNA, { partitions: PARTITIONS }, { terms, endings: 8 }, 20);
    expect(found).toHaveLength(12);
    const ids = found.map(({ id }) => id);
    expect(await recollection.find(ANNA, ids)).toHaveLength(12);
  });
});

it('after a surprise nothing is foreseen for thirty-two searches', () => {
  const surprises = new Surprises();
  expect(surprises.areLikely(ANNA)).toBe(false);
  surprises.note(ANNA);
  const likely = Array.from({ length: 34 }, () => surprises.areLikely(ANNA));
  expect(likely.filter(Boolean)).toHaveLength(32);
  expect(likely.slice(32)).toEqual([false, false]);
  expect(surprises.areLikely({ ...ANNA, userId: 'bela' })).toBe(false);
});
