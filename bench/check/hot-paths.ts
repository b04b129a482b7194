/** The paths that every program takes all the time, each as something to be called again and again. */

import type { Lamina } from '../../src/compose/lamina.ts';
import { wireOf } from '../../src/operations/wire.ts';
import type { BenchEmbedder } from '../bench-embedder.ts';
import type { AddInput, Workload } from '../workload.ts';

/** What a search reaches. */
const SCOPE = 500;

const ASKING = 'user-0';
const WRITERS = 10;
const QUERIES = 5;
const BATCH = 100;
const PAGE = 50;
const KEYS = 100;
const PLAN = { planId: 'plan-123' };
const VALUE = { confidence: 0.9, data: 'What was found so far.' };
/** Without a threshold, so that each search finds its ten and has to fetch them. */
const FIND = { limit: 10, threshold: 0 };

export interface HotPath {
  readonly name: string;
  /** Calls that are timed together: some milliseconds of them. */
  readonly calls: number;
  /** What it asks of the connection that writes counts too; of reads, accesses are written down now and then. */
  readonly isWrite?: boolean;
  /** Before each round, outside of what is measured. */
  readonly prepare?: (calls: number) => void | Promise<void>;
  readonly call: (index: number) => unknown;
}

export interface Ground {
  readonly lamina: Lamina;
  readonly embedder: BenchEmbedder;
  readonly workload: Workload;
}

/** What is asked for: the entries of one user, the keys of a plan. */
export async function prepareGround({ lamina, embedder, workload }: Ground): Promise<void> {
  const writes = workload.ofOneUser(SCOPE, 0);
  embedder.prepare(writes.map(({ input }) => input.content));
  const memory = lamina.as({ userId: ASKING });
  for (let from = 0; from < SCOPE; from += BATCH) {
    const batch = writes.slice(from, from + BATCH);
    const outputs = await memory.addMany(batch.map(({ input }) => input));
    workload.remember(
      batch,
      outputs.map((output) => output.memory.id),
    );
  }
  for (let writer = 0; writer < WRITERS; writer += 1) {
    await lamina
      .as({ userId: writerNamed(writer) })
      .addMany(workload.ofOneUser(10).map(({ input }) => ({ ...input, kind: 'semantic' })));
  }
  for (const key of keys()) await memory.working.set({ ...PLAN, key, value: VALUE });
}

function writerNamed(index: number): string {
  return `writer-${index % WRITERS}`;
}

function keys(): string[] {
  return Array.from({ length: KEYS }, (_, index) => `key ${index}`);
}

/** The n-th of them, and after the last the first again. */
function cycle<T>(items: readonly T[]): (index: number) => T {
  return (index) => {
    const item = items[index % items.length];
    if (item === undefined) throw new Error('There is nothing to go through.');
    return item;
  };
}

function writePaths({ lamina, embedder, workload }: Ground): HotPath[] {
  const memories = cycle(Array.from({ length: WRITERS }, (_, index) => lamina.as({ userId: writerNamed(index) })));
  let inputs: AddInput[] = [];
  const prepare = (entries: number): void => {
    inputs = workload.ofOneUser(entries, 0).map(({ input }) => ({ ...input, kind: 'semantic' }));
    embedder.prepare(inputs.map(({ content }) => content));
  };
  return [
    {
      name: 'add',
      calls: 10,
      isWrite: true,
      prepare,
      call: (index) => memories(index).add(cycle(inputs)(index)),
    },
    {
      name: 'addMany',
      calls: 1,
      isWrite: true,
      prepare: () => prepare(BATCH),
      call: (index) => memories(index).addMany(inputs),
    },
  ];
}

function readPaths({ lamina, workload, embedder }: Ground): HotPath[] {
  const memory = lamina.as({ userId: ASKING });
  const targets = workload.targets(QUERIES);
  embedder.prepare(targets.map(({ query }) => query));
  const target = cycle(targets);
  const search = (mode: 'hybrid' | 'keyword' | 'semantic'): HotPath => ({
    name: `search ${mode}`,
    calls: QUERIES,
    call: (index) => memory.search({ ...FIND, query: target(index).query, mode }),
  });
  return [
    search('hybrid'),
    search('keyword'),
    search('semantic'),
    { name: 'get', calls: 200, call: (index) => memory.get({ id: target(index).id }) },
    { name: 'list', calls: 10, call: () => memory.list({ layer: 'user', limit: PAGE }) },
  ];
}

function workingPaths({ lamina }: Ground): HotPath[] {
  const { working } = lamina.as({ userId: ASKING });
  const key = cycle(keys());
  return [
    { name: 'working get', calls: 500, call: (index) => working.get({ ...PLAN, key: key(index) }) },
    {
      name: 'working set',
      calls: 20,
      isWrite: true,
      call: (index) => working.set({ ...PLAN, key: key(index), value: VALUE }),
    },
  ];
}

/** The answer to a search as the service writes it, and as the client reads it. */
function wirePaths({ lamina, workload }: Ground): HotPath[] {
  const [target] = workload.targets(1);
  const { output } = wireOf('search');
  let answer: object | undefined;
  let body = '';
  const prepare = async (): Promise<void> => {
    answer ??= await lamina.as({ userId: ASKING }).search({ ...FIND, query: target?.query ?? '' });
    body ||= JSON.stringify(output.encode(answer));
  };
  return [
    { name: 'wire encode', calls: 50, prepare, call: () => JSON.stringify(output.encode(answer)) },
    { name: 'wire decode', calls: 50, prepare, call: () => output.decode(JSON.parse(body)) },
  ];
}

/** Writes before reads: the accesses of those are written down with a later write. */
export function hotPathsOn(ground: Ground): HotPath[] {
  const [working, rest] = [workingPaths(ground), [...readPaths(ground), ...wirePaths(ground)]];
  return [...writePaths(ground), ...working.toReversed(), ...rest];
}
