/** Reaches that a search on PostgreSQL answers from memory: as current as the database, for nobody else, and gone when something is. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { OutdatedRecollection } from '../src/domain/outdated-recollection.ts';
import type { Entry } from '../src/domain/entry.ts';
import type { Principal } from '../src/domain/principal.ts';
import type { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import { PostgresForesight } from '../src/engines/postgres/postgres-foresight.ts';
import { PostgresSettled, type SeenReach } from '../src/engines/postgres/postgres-settled.ts';
import { settledOf, type SettledPartition } from '../src/engines/postgres/postgres-settled-partition.ts';
import { vectorSql } from '../src/engines/postgres/postgres-vector.ts';
import type { Candidate, EntryTransaction, Recollection, TextStatistics } from '../src/ports/entry-store.ts';
import { OTHER_TENANT, TENANT } from '../src/testing/engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

const server = await serverUnderTest();
const clock = new ManualClock();
let engine: PostgresEngine;
let other: PostgresEngine;

const ANNA: Principal = { ...TENANT, userId: 'anna' };
const OWN = { layer: 'user', identifiers: { userId: 'anna' }, ownerId: 'anna', visibility: 'private' } as const;
const [FIRST, SECOND] = [
  entryOf({ content: 'leek soup leek', ...OWN }),
  entryOf({ content: 'pear cake', ...OWN, kind: 'procedural' }),
];
const EPISODE = entryOf({ content: 'plum', ...OWN, kind: 'episodic' });
const PARTITIONS = [FIRST, SECOND, EPISODE].map(partitionOfEntry);
const WORDS = ['leek', 'pear', 'plum'];

interface Answer {
  readonly statistics: TextStatistics;
  readonly candidates: readonly Candidate[];
  readonly entries: readonly Entry[];
}

/** As the core does it. */
async function ask(by: Recollection, principal: Principal = ANNA): Promise<Answer> {
  const statistics = await by.textStatistics(principal, PARTITIONS, WORDS);
  const terms = WORDS.map((lexeme) => ({ lexeme, weight: 1 }));
  const probe = { terms, embedding: await embeddingOf('soup of leek'), endings: 400 };
  const candidates = await by.candidates(principal, { partitions: PARTITIONS }, probe, 100);
  const entries = await by.find(
    principal,
    candidates.map(({ id }) => id),
  );
  return { statistics, candidates: sorted(candidates), entries: sorted(entries) };
}

function sorted<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether the next search is answered from memory. */
async function isSettled(): Promise<boolean> {
  const statistics = vi.spyOn(engine.entries, 'textStatistics');
  try {
    await remembering().textStatistics(ANNA, PARTITIONS, []);
    return statistics.mock.calls.length === 0;
  } finally {
    statistics.mockRestore();
  }
}

/** Searches until the database is not asked for candidates any more. */
async function answeredFromMemory(search: () => Promise<void>): Promise<void> {
  const asked = [vi.spyOn(engine.entries, 'candidates'), vi.spyOn(PostgresForesight, 'read')];
  await vi.waitFor(async () => {
    for (const each of asked) each.mockClear();
    await search();
    for (const each of asked) expect(each).not.toHaveBeenCalled();
  });
  for (const each of asked) each.mockRestore();
}

async function settle(): Promise<void> {
  for (const _ of [1, 2, 3, 4]) await ask(engine.entries);
  await vi.waitFor(async () => expect(await isSettled()).toBe(true));
}

function remembering(): Recollection {
  const recollection = engine.entries.recollection?.();
  if (recollection === undefined) throw new Error('Nothing is remembered.');
  return recollection;
}

/** Similarities but for the last digits. */
function expectSame(actual: Answer, expected: Answer): void {
  const rounded = ({ similarity, ...rest }: Candidate): object => ({ ...rest, similarity: similarity?.toFixed(5) });
  expect({ ...actual, candidates: actual.candidates.map(rounded) }).toEqual({
    ...expected,
    candidates: expected.candidates.map(rounded),
  });
}

/** As another process would. */
function write(work: (tx: EntryTransaction) => Promise<unknown>, principal: Principal = ANNA): Promise<unknown> {
  return other.entries.transaction(principal, work);
}

describeOnPostgres('a search of what nobody writes to', () => {
  beforeEach(async () => {
    if (server === undefined) throw new Error('There is no server.');
    engine = await server.open(clock);
    other = await server.another(clock);
    const writes = await Promise.all([FIRST, SECOND].map(writeOf));
    await write((tx) => tx.insert(writes));
  });
  afterEach(() => Promise.all([engine.close(), other.close()]));

  it('is answered as the database would, and asks it once', async () => {
    await settle();
    const expected = await ask(other.entries);
    expect(expected.entries).toHaveLength(2);
    const asked = [vi.spyOn(engine.entries, 'textStatistics'), vi.spyOn(engine.entries, 'candidates')];
    expectSame(await ask(remembering()), expected);
    for (const each of asked) expect(each).not.toHaveBeenCalled();
  });

  it.each([
    {
      what: 'was added',
      work: async (tx: EntryTransaction) => tx.insert([await writeOf(entryOf({ content: 'plum', ...OWN }))]),
    },
    {
      what: 'was added where nothing was',
      work: async (tx: EntryTransaction) => tx.insert([await writeOf(EPISODE)]),
    },
    { what: 'was removed', work: (tx: EntryTransaction) => tx.remove([SECOND.id]) },
    {
      what: 'was removed from among others',
      before: entryOf({ content: 'plum leek', ...OWN }),
      work: (tx: EntryTransaction) => tx.remove([FIRST.id]),
    },
    {
      what: 'has another weight',
      work: async (tx: EntryTransaction) => tx.replace([await writeOf(nextVersion(FIRST, { importance: 0.9 }))]),
    },
    {
      what: 'says something else',
      before: entryOf({ content: 'plum leek', ...OWN }),
      work: async (tx: EntryTransaction) => tx.replace([await writeOf(nextVersion(FIRST, { content: 'plum tart' }))]),
    },
  ])('knows where something $what, by somebody else or here', async ({ work, before }) => {
    if (before) {
      const first = await writeOf(before);
      await write((tx) => tx.insert([first]));
    }
    await settle();
    await write(work);
    await expect(ask(remembering())).rejects.toBeInstanceOf(OutdatedRecollection);
    const expected = await ask(other.entries);
    for (const _ of [1, 2, 3, 4]) expectSame(await ask(remembering()), expected);
    await vi.waitFor(async () => expect(await isSettled()).toBe(true));
    expectSame(await ask(remembering()), expected);
  });

  it('reads only what was written since, and in this process without being asked in vain', async () => {
    await settle();
    for (const content of ['plum', 'plum pear', 'leek plum leek']) {
      const added = await writeOf(entryOf({ content, ...OWN }));
      await engine.entries.transaction(ANNA, (tx) => tx.insert([added]));
      const asked = [vi.spyOn(engine.entries, 'textStatistics'), vi.spyOn(engine.entries, 'candidates')];
      expectSame(await ask(remembering()), await ask(other.entries));
      for (const each of asked) expect(each).not.toHaveBeenCalled();
    }
    const changed = await writeOf(nextVersion(SECOND, { importance: 0.9 }));
    await engine.entries.transaction(ANNA, (tx) => tx.replace([changed]));
    expectSame(await ask(remembering()), await ask(other.entries));
    await engine.entries.transaction(ANNA, (tx) => tx.remove([FIRST.id]));
    expectSame(await ask(remembering()), await ask(other.entries));
  });

  it('is what the database says, whoever writes whatever', async () => {
    const random = new SeededRandom(7);
    const current = [FIRST, SECOND];
    await settle();
    for (let step = 0; step < 60; step += 1) {
      const by = random.pick([engine, other]);
      const [at, entry] = [
        random.below(current.length),
        entryOf({ content: `${random.pick(['plum', 'leek plum', 'pear'])} ${step}`, ...OWN }),
      ];
      const before = current[at];
      const kind = random.below(5);
      if (before === undefined || kind < 2) {
        const added = await writeOf(entry);
        await by.entries.transaction(ANNA, (tx) => tx.insert([added]));
        current.push(entry);
      } else if (kind === 2) {
        await by.entries.transaction(ANNA, (tx) => tx.remove([before.id]));
        current.splice(at, 1);
      } else if (kind === 3) {
        const next = nextVersion(before, { content: `${entry.content} again`, importance: step / 100 });
        const changed = await writeOf(next);
        await by.entries.transaction(ANNA, (tx) => tx.replace([changed]));
        current[at] = next;
      }
      const expected = await ask(other.entries);
      expect(expected.statistics.documents).toBe(current.length);
      expectSame(await ask(remembering()).catch(() => ask(remembering())), expected);
    }
  });

  it('leaves it to the database where much was written', async () => {
    await settle();
    const many = await Promise.all(
      Array.from({ length: 120 }, (_, n) => writeOf(entryOf({ content: `plum ${n}`, ...OWN }))),
    );
    await write((tx) => tx.insert(many));
    await expect(ask(remembering())).rejects.toBeInstanceOf(OutdatedRecollection);
    const asked = vi.spyOn(engine.entries, 'candidates');
    expectSame(await ask(remembering()), await ask(other.entries));
    expect(asked).toHaveBeenCalled();
  });

  it('is told even where nothing was found', async () => {
    await settle();
    const recollection = remembering();
    await recollection.textStatistics(ANNA, PARTITIONS, WORDS);
    await write((tx) => tx.remove([FIRST.id]));
    await expect(recollection.find(ANNA, [])).rejects.toBeInstanceOf(OutdatedRecollection);
  });

  it('forgets what has expired', async () => {
    const soon = nextVersion(FIRST, { expiresAt: new Date(clock.now() + 1000).toISOString() });
    const expiring = await writeOf(soon);
    await write((tx) => tx.replace([expiring]));
    await settle();
    clock.advance(2000);
    const { candidates, entries } = await ask(remembering());
    expect(candidates.map(({ id }) => id)).toEqual([SECOND.id]);
    expect(entries).toHaveLength(1);
  });

  it('comes to be answered so though others remove all the time', async () => {
    await ask(engine.entries);
    const over = new AbortController();
    const others = (async () => {
      const stranger = { ...ANNA, tenantId: OTHER_TENANT.tenantId };
      while (!over.signal.aborted) {
        const entry = entryOf({ content: 'plum', ...OWN, id: randomUUID() });
        const written = await writeOf(entry);
        await engine.entries.transaction(stranger, (tx) => tx.insert([written]));
        await engine.entries.transaction(stranger, (tx) => tx.remove([entry.id]));
      }
    })();
    await vi.waitFor(async () => {
      await ask(engine.entries);
      expect(await isSettled()).toBe(true);
    });
    over.abort();
    await others;
  });

  it('tells nothing to who may not see it', async () => {
    await settle();
    const bela = { ...TENANT, userId: 'bela' };
    for (const _ of [1, 2, 3]) {
      const { statistics, candidates } = await ask(remembering(), bela);
      expect(statistics.documents).toBe(0);
      expect(candidates).toEqual([]);
    }
  });

  it('with conditions is left to the database', async () => {
    await settle();
    const recollection = remembering();
    await recollection.textStatistics(ANNA, PARTITIONS, WORDS);
    const reach = { partitions: PARTITIONS, created: { from: 0 } };
    const asked = vi.spyOn(engine.entries, 'candidates');
    const terms = [{ lexeme: 'pear', weight: 1 }];
    expect(await recollection.candidates(ANNA, reach, { terms, endings: 400 }, 10)).toHaveLength(1);
    expect(asked).toHaveBeenCalledOnce();
    expect(await recollection.find(ANNA, [SECOND.id])).toHaveLength(1);
  });

  it('finds what another process has told a moment ago', async () => {
    const [here, there] = await Promise.all(
      [engine, other].map((each) => Lamina.open({ engine: each, embedder: new HashEmbedder() })),
    );
    const search = async (): Promise<string[]> => {
      const output = await here?.as(ANNA).search({ query: 'What does Anna grow in the garden?', threshold: 0 });
      return (output?.results ?? []).map(({ memory }) => memory.content).toSorted();
    };
    const told: string[] = [];
    for (const content of ['She grows leek in the garden', 'In the garden Anna grows plums']) {
      await there?.as(ANNA).add({ content, layer: 'user' });
      told.push(content);
      expect(await search()).toEqual(expect.arrayContaining(told));
      await answeredFromMemory(async () => expect(await search()).toEqual(expect.arrayContaining(told)));
    }
  });

  it.each(['tick', 'tock tack', 'tack 7', 'tock 12 tick'])('keeps the order of what is alike: %s', async (query) => {
    const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
    for (const mode of ['hybrid', 'semantic'] as const) {
      const memory = lamina.as({ ...TENANT, userId: `anna ${mode} ${query}` });
      const notes = Array.from({ length: 30 }, (_, n) => `tock ${n % 3 === 0 ? 'tick' : 'tack'} ${n}`);
      await memory.addMany(notes.map((content) => ({ content, layer: 'user' })));
      const search = async (): Promise<string[]> => {
        const { results } = await memory.search({ query, mode, threshold: 0, limit: 20 });
        return results.map(({ memory: { content } }) => content);
      };
      const [first] = [await search(), await search()];
      await answeredFromMemory(async () => expect(await search()).toEqual(first));
    }
  });

  it('is left to the database where something has no vector', async () => {
    const bare = { ...(await writeOf(entryOf({ content: 'plum', ...OWN }))), embedding: undefined };
    await write((tx) => tx.insert([bare]));
    for (const _ of [1, 2, 3, 4]) {
      expectSame(await ask(remembering()), await ask(other.entries));
      // What is done later has been done.
      await sleep(40);
    }
    expect(await isSettled()).toBe(false);
  });
});

it('what is held stays within a bound, and goes when something is removed', async () => {
  const settled = new PostgresSettled(12_000);
  const held = new Map([1, 2, 3].map((id) => [id, partitionWith(`entry ${id}`)]));
  const principal = settled.ofPrincipal({ tenantId: 't', userId: 'u' });
  const see = async (id: number): Promise<void> => {
    const reach = reachOf(id);
    const read = async () => [{ id, stamp: `stamp ${id}`, partition: held.get(id) }];
    principal.see(reach, read);
    principal.see(reach, read);
    await vi.waitFor(() => expect(principal.find(reach.keys)).toBeDefined());
  };
  for (const id of [1, 2, 3]) await see(id);
  expect(settled.size).toBeLessThanOrEqual(12_000);
  expect(settled.ofPrincipal({ tenantId: 't', userId: 'v' }).find(reachOf(3).keys)).toBeUndefined();
  settled.forget('t', new Set(['entry 9']));
  expect(principal.find(reachOf(3).keys)).toBeDefined();
  settled.forget('t', new Set(['entry 3']));
  expect(principal.find(reachOf(3).keys)).toBeUndefined();
  settled.forget('t');
  expect(settled.size).toBe(0);
});

it('what is searched three times is not read; what is searched again before others is, and what comes later counts as new', async () => {
  const settled = new PostgresSettled(8_000_000);
  const principal = settled.ofPrincipal({ tenantId: 't', userId: 'u' });
  const [reach, read] = [reachOf(1), vi.fn<() => Promise<[]>>(async () => [])];
  for (const isRare of [true, true, true, false]) expect(principal.isRare(reach.keys)).toBe(isRare);
  expect(principal.find(reach.keys)).toBeUndefined();
  expect(principal.findOutdated(reach.keys)).toBeUndefined();
  expect(settled.ofPrincipal({ tenantId: 't', userId: 'v' }).isRare(reach.keys)).toBe(true);
  principal.see(reach, read);
  expect(read).toHaveBeenCalledOnce();
  for (const id of [2, 3, 4, 5]) expect(principal.isRare(reachOf(id).keys)).toBe(true);
  expect(principal.isRare(reachOf(2).keys)).toBe(true);
});

it('what nobody waits for is done later, one after another, and for a reach once, whatever fails', async () => {
  const principal = new PostgresSettled(8_000_000).ofPrincipal({ tenantId: 't', userId: 'u' });
  const done: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    done.push(`${name} begins`);
    await sleep(1);
    done.push(`${name} ends`);
    if (name === 'a') throw new Error('It fails.');
  };
  principal.later(['a'], work('a'));
  principal.later(['a'], work('a'));
  principal.later(['b'], work('b'));
  expect(done).toEqual([]);
  const both = ['a begins', 'a ends', 'b begins', 'b ends'];
  await vi.waitFor(() => expect(done).toEqual(both));
  await sleep(1);
  principal.later(['a'], work('c'));
  await vi.waitFor(() => expect(done).toEqual([...both, 'c begins', 'c ends']));
});

it('a write of a user is about all that they reach, and about nobody else', async () => {
  const settled = new PostgresSettled(4_000_000);
  const [anna, bela] = ['anna', 'bela'].map((userId) => settled.ofPrincipal({ tenantId: 't', userId }));
  const reaches = [1, 2, 3].map(reachOf);
  for (const principal of [anna, bela]) {
    for (const reach of reaches) {
      const read = async () =>
        reach.partitions.map(({ id, stamp }) => ({ id, stamp, partition: partitionWith(`entry ${id}`) }));
      principal?.see(reach, read);
      principal?.see(reach, read);
      await vi.waitFor(() => expect(principal?.find(reach.keys)).toBeDefined());
    }
  }
  anna?.unsettle();
  for (const { keys } of reaches) {
    expect(anna?.find(keys)).toBeUndefined();
    expect(anna?.findOutdated(keys)).toBeDefined();
    expect(bela?.find(keys)).toBeDefined();
  }
});

function reachOf(id: number): SeenReach {
  const partition = { id, key: `key ${id}`, stamp: `stamp ${id}`, entries: 1, lexemes: 2 };
  return { keys: [partition.key], partitions: [partition], endings: 1, sql: vectorSql('public', 1, 1000) };
}

function partitionWith(id: string): SettledPartition | undefined {
  const stamp = `stamp ${id.at(-1)}`;
  const entry = { id, layer: 'user', contentHash: 'y', importance: 0, confidence: 0, since: 0, length: 2 } as const;
  const described = { seq: 1, stamp: '7', lexemes: 'leek soup', expiresAt: null, entry };
  return settledOf({ stamp, entries: new Map([[1, described]]) }, new Map([[1, new Float32Array(1000).fill(1)]]));
}
