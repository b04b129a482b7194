/** What a tenant that asks little notices of one that asks as much as it can, of the same service. */

import { Lamina } from '../../src/compose/lamina.ts';
import type { Effort } from '../options.ts';
import type { Progress } from '../progress.ts';
import { digits, textTable, whole, type Column } from '../text-table.ts';
import { Workload } from '../workload.ts';
import type { LoadResult } from './load.ts';
import { LoadProcess, ServerProcess } from './processes.ts';
import { requestBytes } from './requests.ts';

const [QUIET, NOISY] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const USER = 'user-0';
const NOISY_CONNECTIONS = 64;
const NOISY_BATCH = 20;
/** Of four requests of the noisy tenant three search, and one adds a batch that has to be embedded. */
const SEARCHES_PER_BATCH = 3;
const NOISY_REQUESTS = 4000;
const BLOCK_FACTOR = 4;

type Sides = Readonly<Record<'alone' | 'beside', { readonly p50: number; readonly p95: number }>>;

export interface FairnessRow extends Sides {
  readonly operation: string;
  /** How much slower it is beside the noisy one: the median of the blocks that followed each other. */
  readonly slower: { readonly p50: number; readonly p95: number };
  /** What the noisy tenant got done meanwhile. */
  readonly noisyPerSecond: number;
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

interface QuietRow {
  readonly operation: string;
  readonly asks: (queries: readonly string[], block: number) => Ask[];
}

const search = (query: string): Ask => ({
  method: 'POST',
  path: '/v1/memory/entries/search',
  body: { query, limit: 10, threshold: 0 },
});

/** More than are asked in a block: what is added again costs next to nothing. */
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: 10_000 }, (_, index) => make(index));

const ROWS: readonly QuietRow[] = [
  {
    operation: 'working memory: get',
    asks: () => [{ method: 'GET', path: '/v1/memory/working/plan/key' }],
  },
  { operation: 'search, query cached', asks: (queries) => queries.slice(0, 10).map(search) },
  {
    operation: 'search, query new',
    asks: (queries, block) => many((index) => search(`${queries[index % queries.length] ?? ''} ${block}/${index}`)),
  },
  {
    operation: 'add',
    asks: (_queries, block) =>
      many((index) => ({
        method: 'POST',
        path: '/v1/memory/entries',
        body: { content: `On day ${block} the ferry took ${index} passengers.`, layer: 'user' },
      })),
  },
];

async function prepare(folder: string, entries: number): Promise<string[]> {
  await using lamina = await Lamina.open({ folder });
  const workload = new Workload(1, 1);
  for (const batch of workload.load(entries, 100)) {
    const ids: string[] = [];
    for (const tenantId of [QUIET, NOISY]) {
      const added = await lamina.as({ tenantId, userId: USER }).addMany(batch.map(({ input }) => input));
      ids.splice(0, ids.length, ...added.map(({ memory }) => memory.id));
    }
    workload.remember(batch, ids);
  }
  await lamina.as({ tenantId: QUIET, userId: USER }).working.set({ planId: 'plan', key: 'key', value: { step: 1 } });
  return workload.targets(100).map(({ query }) => query);
}

const bytesOf = (tenant: string, { method, path, body }: Ask): string =>
  requestBytes(method, USER, { path, ...(body && { body }) }, '', [`X-Tenant-ID: ${tenant}`]);

function noise(queries: readonly string[], block: string): string[] {
  return Array.from({ length: NOISY_REQUESTS }, (_, index) => {
    if (index % (SEARCHES_PER_BATCH + 1) > 0) return bytesOf(NOISY, search(queries[index % queries.length] ?? ''));
    const memories = Array.from({ length: NOISY_BATCH }, (_each, place) => ({
      content: `Report ${block}/${index}/${place}: the noisy one has counted ${place} boats in the harbour again.`,
      layer: 'user',
    }));
    return bytesOf(NOISY, { method: 'POST', path: '/v1/memory/entries/batch', body: { memories } });
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export async function measureFairness(folder: string, effort: Effort, progress: Progress): Promise<FairnessRow[]> {
  progress.say('Fairness: loading');
  const { entries, rounds, blockMs } = effort.http;
  const queries = await prepare(folder, entries);
  const server = await ServerProcess.lamina(folder);
  const [quiet, noisy] = [new LoadProcess(), new LoadProcess()];
  const milliseconds = blockMs * BLOCK_FACTOR;
  const rows: FairnessRow[] = [];
  let block = 0;
  for (const { operation, asks } of ROWS) {
    progress.say(`Fairness: ${operation}`);
    const ask = (): Promise<LoadResult> => {
      block += 1;
      const requests = asks(queries, block).map((each) => bytesOf(QUIET, each));
      return quiet.run({ port: server.port, requests, connections: 1, milliseconds });
    };
    const blocks: { readonly alone: LoadResult; readonly beside: LoadResult; readonly noise: LoadResult }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const alone = await ask();
      const requests = noise(queries, `${operation}/${round}`);
      const loud = noisy.run({
        port: server.port,
        requests,
        connections: NOISY_CONNECTIONS,
        milliseconds: milliseconds * 1.5,
        mayBeRefused: true,
      });
      const beside = await ask();
      const heard = { alone, beside, noise: await loud };
      // The first round warms up.
      if (round > 0) blocks.push(heard);
    }
    rows.push(rowOf(operation, blocks));
  }
  await Promise.all([quiet.stop(), noisy.stop(), server.stop()]);
  return rows;
}

function rowOf(
  operation: string,
  blocks: readonly { readonly alone: LoadResult; readonly beside: LoadResult; readonly noise: LoadResult }[],
): FairnessRow {
  const of = (side: 'alone' | 'beside') => ({
    p50: median(blocks.map((each) => each[side].p50)),
    p95: median(blocks.map((each) => each[side].p95)),
  });
  const slower = (name: 'p50' | 'p95'): number => median(blocks.map(({ alone, beside }) => beside[name] / alone[name]));
  return {
    operation,
    alone: of('alone'),
    beside: of('beside'),
    slower: { p50: slower('p50'), p95: slower('p95') },
    noisyPerSecond: median(blocks.map((each) => (each.noise.answers * 1000) / each.noise.milliseconds)),
  };
}

const times = (factor: number): string => `${digits(factor)}×`;

const COLUMNS: readonly Column<FairnessRow>[] = [
  { title: 'of the quiet tenant', cell: ({ operation }) => operation },
  { title: 'p50 ms alone', cell: ({ alone }) => digits(alone.p50) },
  { title: 'beside', cell: ({ beside }) => digits(beside.p50) },
  { title: 'slower', cell: ({ slower }) => times(slower.p50) },
  { title: 'p95 ms alone', cell: ({ alone }) => digits(alone.p95) },
  { title: 'beside', cell: ({ beside }) => digits(beside.p95) },
  { title: 'slower', cell: ({ slower }) => times(slower.p95) },
  { title: 'noisy per s', cell: ({ noisyPerSecond }) => whole(noisyPerSecond) },
];

const LEGEND = `alone: one connection, nobody else. beside: while another tenant has ${NOISY_CONNECTIONS} connections on which it searches, and adds batches of
${NOISY_BATCH} entries that have to be embedded, as fast as it is answered.`;

export function fairnessReport(rows: readonly FairnessRow[]): string {
  return `${textTable(COLUMNS, rows)}\n\n${LEGEND}`;
}
