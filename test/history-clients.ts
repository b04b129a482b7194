/** Clients that change the same values at the same time by compare-and-set, and write down what they were told. */

import { expect } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import type { Memory } from '../src/operations/memory.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { problemsOf, type Call } from './history-check.ts';
import { RUN_SEED } from './run-seed.ts';

const CLIENTS = 5;
const TURNS = Number(process.env['LAMINA_HISTORY_TURNS'] ?? 12);

/** A list of marks under a version. */
interface Found {
  readonly marks: readonly string[];
  readonly version: number;
}

/** Something that holds a list and is changed by compare-and-set. */
interface Register {
  read(memory: Memory): Promise<Found>;
  /** The version that it made. Throws `VERSION_CONFLICT`. */
  write(memory: Memory, marks: readonly string[], expected: number): Promise<number>;
}

const NOTHING: Found = { marks: [], version: 0 };
const PLACE = { planId: 'history', key: 'marks' };
const POOL = { poolId: 'history', key: 'marks' };

const working: Register = {
  read: async (memory) => {
    const item = await memory.working.get(PLACE);
    return item === null ? NOTHING : { marks: item.value as string[], version: item.version };
  },
  write: async (memory, marks, ifVersion) =>
    (await memory.working.set({ ...PLACE, value: [...marks], ifVersion })).version,
};

const pool: Register = {
  read: async (memory) => {
    const item = await memory.pools.read(POOL);
    return item === null ? NOTHING : { marks: item.value as string[], version: item.version };
  },
  write: async (memory, marks, ifVersion) =>
    (await memory.pools.write({ ...POOL, value: [...marks], ifVersion })).version,
};

const planOf = (planId: string): Register => ({
  read: async (memory) => {
    const plan = await memory.plans.get({ planId });
    return { marks: (plan?.state['marks'] ?? []) as string[], version: plan?.version ?? 0 };
  },
  write: async (memory, marks, ifVersion) =>
    (await memory.plans.update({ planId, state: { marks: [...marks] }, ifVersion })).version,
});

const entryOf = (id: string): Register => ({
  read: async (memory) => {
    const { memory: entry } = await memory.get({ id });
    return { marks: entry?.content.split(' ').slice(1) ?? [], version: entry?.version ?? 0 };
  },
  write: async (memory, marks, expectedVersion) =>
    (await memory.update({ id, content: ['marks', ...marks].join(' '), expectedVersion })).memory.version,
});

export interface HistoryFigures {
  readonly calls: number;
  readonly writes: number;
  readonly conflicts: number;
}

/** What it may be that answers: one, or several on the same data, to whom every client turns by turns. */
export async function checkHistories(name: string, nodes: readonly Memory[]): Promise<HistoryFigures> {
  const [first] = nodes;
  if (first === undefined) throw new Error('There is nobody to ask.');
  await first.pools.create({ poolId: POOL.poolId });
  const plan = await first.plans.create({ goalEvent: 'history' });
  const { memory: entry } = await first.add({ content: 'marks', layer: 'user' });
  const registers = { working, pool, plan: planOf(plan.planId), entry: entryOf(entry.id) };
  const history: Call[] = [
    { client: 'setup', key: 'plan', started: -2, ended: -1, expected: 0, version: plan.version },
    { client: 'setup', key: 'entry', started: -2, ended: -1, expected: 0, version: entry.version },
  ];
  const clock = { now: 0 };
  const counts = { marks: new Map<string, string[]>(), increments: 0 };
  const ask = async (client: number): Promise<void> => {
    const random = new SeededRandom(RUN_SEED + client);
    const recorder = new Recorder(`client ${client}`, nodes, clock, history);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [key, register] of Object.entries(registers)) {
        const mark = `${client}-${turn}`;
        if (await recorder.append(key, register, mark, random)) {
          counts.marks.set(key, [...(counts.marks.get(key) ?? []), mark]);
        }
      }
      await recorder.node().working.increment({ planId: PLACE.planId, key: 'count' });
      counts.increments += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client)));
  expect(problemsOf(history), `${name}, seed ${RUN_SEED}`).toEqual([]);
  for (const node of nodes) {
    for (const [key, register] of Object.entries(registers)) {
      const { marks } = await register.read(node);
      expect({ key, marks: marks.toSorted() }).toEqual({ key, marks: (counts.marks.get(key) ?? []).toSorted() });
    }
    expect((await node.working.get({ planId: PLACE.planId, key: 'count' }))?.value).toBe(counts.increments);
  }
  return figuresOf(name, history, counts.increments);
}

/** One client: one call at a time, each of the next node. */
class Recorder {
  readonly #client: string;
  readonly #nodes: readonly Memory[];
  readonly #clock: { now: number };
  readonly #history: Call[];
  readonly #known = new Map<string, Found>();
  #turn = 0;

  constructor(client: string, nodes: readonly Memory[], clock: { now: number }, history: Call[]) {
    this.#client = client;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#history = history;
  }

  node(): Memory {
    this.#turn += 1;
    const node = this.#nodes[this.#turn % this.#nodes.length];
    if (node === undefined) throw new Error('There is nobody to ask.');
    return node;
  }

  /** Adds a mark to what it reads, or to what it knows already and what may be outdated. Whether that went through. */
  async append(key: string, register: Register, mark: string, random: SeededRandom): Promise<boolean> {
    const held = this.#known.get(key);
    const found = held === undefined || random.below(4) > 0 ? await this.#read(key, register) : held;
    const marks = [...found.marks, mark];
    const version = await this.#write(key, register, marks, found.version);
    if (version === undefined) return false;
    this.#known.set(key, { marks, version });
    return true;
  }

  async #read(key: string, register: Register): Promise<Found> {
    const started = this.#now();
    const found = await register.read(this.node());
    this.#note({ key, started, version: found.version });
    this.#known.set(key, found);
    return found;
  }

  async #write(
    key: string,
    register: Register,
    marks: readonly string[],
    expected: number,
  ): Promise<number | undefined> {
    const started = this.#now();
    try {
      const version = await register.write(this.node(), marks, expected);
      this.#note({ key, started, expected, version });
      return version;
    } catch (error) {
      if (!(error instanceof LaminaError) || error.code !== 'VERSION_CONFLICT') throw error;
      this.#note({ key, started, expected });
      return undefined;
    }
  }

  #note(call: Omit<Call, 'client' | 'ended'>): void {
    this.#history.push({ ...call, client: this.#client, ended: this.#now() });
  }

  #now(): number {
    this.#clock.now += 1;
    return this.#clock.now;
  }
}

function figuresOf(name: string, history: readonly Call[], increments: number): HistoryFigures {
  const tried = history.filter(({ expected }) => expected !== undefined);
  const conflicts = tried.filter(({ version }) => version === undefined).length;
  const figures = { calls: history.length + increments, writes: tried.length - conflicts, conflicts };
  process.stdout.write(
    `${name}: ${figures.calls} calls by ${CLIENTS} clients, ${figures.writes} changes went through and ${conflicts} met ` +
      `another version, ${increments} increments; 0 lost, 0 stale, every history linearizable\n`,
  );
  return figures;
}
