/** What working memory costs in this process: at the library, and at the store below it. */

import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { StateStore, StateWrite } from '../src/ports/state-store.ts';
import { BenchEmbedder } from './bench-embedder.ts';
import { digits, textTable, times } from './text-table.ts';

export interface WorkingFigure {
  readonly operation: string;
  /** Median over the rounds: of the time of a round, divided by its calls. A single call is too short to time. */
  readonly microseconds: number;
  readonly callsPerRound: number;
}

const PRINCIPAL: Principal = { tenantId: NIL_TENANT, userId: 'bench' };
const PLAN = { planId: 'plan-123' };
const VALUE = { confidence: 0.9, data: 'What was found so far.' };
const KEYS = Array.from({ length: 1000 }, (_, index) => `key ${index}`);

const MAP_GET = 'plain Map with JSON cloning: get';
const MAP_SET = 'plain Map with JSON cloning: set';

type Round = () => Promise<void>;

/** A round with its calls, how many those are, and where not all of the round is measured, what is. */
interface Measurement {
  readonly operation: string;
  readonly calls: number;
  readonly round: Round;
  /** Milliseconds of the last round that count; default all of it. */
  readonly counted?: () => number;
}

async function measure(rounds: number, { operation, calls, round, counted }: Measurement): Promise<WorkingFigure> {
  const durations: number[] = [];
  for (let index = 0; index <= rounds; index += 1) {
    const started = performance.now();
    await round();
    const elapsed = performance.now() - started;
    // The first one warms up.
    if (index > 0) durations.push(counted ? counted() : elapsed);
  }
  const median = durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? Number.NaN;
  return { operation, microseconds: (median * 1000) / calls, callsPerRound: calls };
}

const write = (mutation: StateWrite['mutation']): StateWrite => ({ mutation, maxBytes: 1_000_000 });
const set = write({ type: 'set', value: VALUE });
const increment = write({ type: 'increment', by: 1 });

function storeMeasurements(state: StateStore): Measurement[] {
  let synchronousMs = 0;
  return [
    {
      operation: 'store: get, held in memory',
      calls: KEYS.length,
      round: async () => {
        for (const key of KEYS) await state.get(PRINCIPAL, 'n', key);
      },
    },
    {
      operation: 'store: get, first of a turn',
      calls: KEYS.length,
      counted: () => synchronousMs,
      round: async () => {
        synchronousMs = 0;
        for (const key of KEYS) {
          const started = performance.now();
          await state.get(PRINCIPAL, 'n', key);
          synchronousMs += performance.now() - started;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    {
      operation: 'store: set, until the call returns',
      calls: KEYS.length,
      counted: () => synchronousMs,
      round: async () => {
        const started = performance.now();
        const writes = KEYS.map((key) => state.write(PRINCIPAL, 'n', key, set));
        synchronousMs = performance.now() - started;
        await Promise.all(writes);
      },
    },
    {
      operation: 'store: set, 1000 at once, durable',
      calls: KEYS.length,
      round: async () => void (await Promise.all(KEYS.map((key) => state.write(PRINCIPAL, 'n', key, set)))),
    },
    {
      operation: 'store: increment, 1000 at once on one key, durable',
      calls: KEYS.length,
      round: async () => void (await Promise.all(KEYS.map(() => state.write(PRINCIPAL, 'n', 'counter', increment)))),
    },
  ];
}

/** What somebody would write who needs no more than values that nobody can change from outside, in this process. */
function mapMeasurements(): Measurement[] {
  const map = new Map(KEYS.map((key) => [key, structuredClone(VALUE)]));
  const cloned = (value: typeof VALUE | undefined): typeof VALUE => JSON.parse(JSON.stringify(value)) as typeof VALUE;
  const plain = {
    get: async (key: string) => cloned(map.get(key)),
    set: async (key: string) => void map.set(key, cloned(VALUE)),
  };
  return [
    {
      operation: MAP_GET,
      calls: KEYS.length,
      round: async () => {
        for (const key of KEYS) await plain.get(key);
      },
    },
    {
      operation: MAP_SET,
      calls: KEYS.length,
      round: async () => void (await Promise.all(KEYS.map((key) => plain.set(key)))),
    },
  ];
}

function libraryMeasurements(lamina: Lamina): Measurement[] {
  const { working } = lamina.as(PRINCIPAL);
  return [
    {
      operation: 'library: get, held in memory',
      calls: KEYS.length,
      round: async () => {
        for (const key of KEYS) await working.get({ ...PLAN, key });
      },
    },
    {
      operation: 'library: set, 1000 at once, durable',
      calls: KEYS.length,
      round: async () => void (await Promise.all(KEYS.map((key) => working.set({ ...PLAN, key, value: VALUE })))),
    },
    {
      operation: 'library: set, one after another, durable',
      calls: 20,
      round: async () => {
        for (const key of KEYS.slice(0, 20)) await working.set({ ...PLAN, key, value: VALUE });
      },
    },
  ];
}

export async function measureWorking(folder: string, rounds: number): Promise<WorkingFigure[]> {
  const engine = new SqliteEngine({ folder, clock: systemClock });
  await using lamina = await Lamina.open({ engine, embedder: new BenchEmbedder() });
  const { working } = lamina.as(PRINCIPAL);
  await Promise.all(
    KEYS.map(async (key) => {
      await engine.state.write(PRINCIPAL, 'n', key, set);
      await working.set({ ...PLAN, key, value: VALUE });
    }),
  );
  const figures: WorkingFigure[] = [];
  for (const measurement of [
    ...mapMeasurements(),
    ...storeMeasurements(engine.state),
    ...libraryMeasurements(lamina),
  ]) {
    figures.push(await measure(rounds, measurement));
  }
  return figures;
}

/** How many times as long as the plain Map that does the same. */
function ratioOf({ operation, microseconds }: WorkingFigure, figures: readonly WorkingFigure[]): number {
  const same = operation.includes(': get') ? MAP_GET : MAP_SET;
  return microseconds / (figures.find((figure) => figure.operation === same)?.microseconds ?? Number.NaN);
}

export function workingReport(figures: readonly WorkingFigure[]): string {
  return textTable(
    [
      { title: 'working memory', cell: ({ operation }) => operation },
      { title: 'µs per call', cell: ({ microseconds }) => digits(microseconds) },
      { title: 'per s', cell: ({ microseconds }) => digits(1_000_000 / microseconds) },
      { title: 'of a Map', cell: (figure) => times(ratioOf(figure, figures)) },
    ],
    figures,
  );
}
