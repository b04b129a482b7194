/** Opens a filled folder, and asks it what its parent wants to know. */

import { setImmediate } from 'node:timers/promises';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Memory } from '../../src/operations/memory.ts';
import { BenchEmbedder } from '../bench-embedder.ts';
import { SeededRandom } from '../seeded-random.ts';
import { Sentences } from '../sentences.ts';
import { FIRST_SEARCH, READS } from './growth-operations.ts';
import { performTasks } from './growth-process.ts';
import { principalOf, type GrowthTarget } from './population.ts';

interface OpenTask {
  readonly folder: string;
  readonly seed: number;
  readonly targets: readonly GrowthTarget[];
}

export interface Opened {
  /** Until a user has ten results: from opening the folder on, and from there on for the first search of everything. */
  readonly firstSearchMs: number;
  readonly firstSharedSearchMs: number;
}

export interface MemoryUse {
  readonly rssBytes: number;
  /** Once everything is collected that nobody needs. */
  readonly heapBytes: number;
}

interface Open {
  readonly lamina: Lamina;
  readonly embedder: BenchEmbedder;
  readonly targets: readonly GrowthTarget[];
  readonly sentences: Sentences;
}

let current: Open | undefined;

function opened(): Open {
  if (current === undefined) throw new Error('Nothing has been opened yet.');
  return current;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What belongs to the benchmark's own embedder is done before: a real one brings it along. */
async function open({ folder, seed, targets }: OpenTask): Promise<Opened> {
  const embedder = new BenchEmbedder();
  await embedder.calibration();
  embedder.prepare(targets.flatMap(({ query, sharedQuery }) => [query, sharedQuery]));
  const [first] = targets;
  const everything = READS.find(({ isScoped }) => !isScoped);
  if (first === undefined || everything === undefined) throw new Error('There is nothing to ask for.');
  let lamina: Lamina | undefined;
  let memory: Memory | undefined;
  const firstSearchMs = await timed(async () => {
    lamina = await Lamina.open({ folder, embedder });
    memory = lamina.as(principalOf(first.userId));
    await FIRST_SEARCH.ask(memory, first);
  });
  if (lamina === undefined || memory === undefined) throw new Error('Nothing was opened.');
  const asking = memory;
  current = { lamina, embedder, targets, sentences: new Sentences(new SeededRandom(seed + 1)) };
  return { firstSearchMs, firstSharedSearchMs: await timed(() => everything.ask(asking, first)) };
}

/** Users who have not asked since the folder was opened. The code is warm, what they ask for is not. */
async function firsts(): Promise<number[]> {
  const { lamina, targets } = opened();
  const earlier = targets.filter(({ userId }) => userId === targets[0]?.userId);
  for (let call = 0; call < targets.length; call += 1) {
    const target = earlier[call % earlier.length];
    if (target !== undefined) await FIRST_SEARCH.ask(lamina.as(principalOf(target.userId)), target);
  }
  const byUser = new Map(targets.toReversed().map((target) => [target.userId, target]));
  byUser.delete(targets[0]?.userId ?? '');
  const durations: number[] = [];
  for (const target of byUser.values()) {
    const memory = lamina.as(principalOf(target.userId));
    durations.push(await timed(() => FIRST_SEARCH.ask(memory, target)));
  }
  return durations;
}

async function read(name: string): Promise<number[]> {
  const { lamina, targets } = opened();
  const operation = READS.find((other) => other.name === name);
  if (operation === undefined) throw new Error(`There is no operation "${name}".`);
  const asked = targets.map((target) => ({ target, memory: lamina.as(principalOf(target.userId)) }));
  const durations: number[] = [];
  for (const { target, memory } of asked) durations.push(await timed(() => operation.ask(memory, target)));
  // Accesses are written down as they would be in a service.
  await setImmediate();
  return durations;
}

async function add(count: number): Promise<number[]> {
  const { lamina, embedder, targets, sentences } = opened();
  const contents = Array.from({ length: count }, () => sentences.next());
  embedder.prepare(contents);
  const durations: number[] = [];
  for (const [index, content] of contents.entries()) {
    const memory = lamina.as(principalOf(targets[index % targets.length]?.userId ?? ''));
    durations.push(await timed(() => memory.add({ content, layer: 'user' })));
  }
  return durations;
}

async function memoryUse(): Promise<MemoryUse> {
  const rssBytes = process.memoryUsage.rss();
  globalThis.gc?.();
  return { rssBytes, heapBytes: process.memoryUsage().heapUsed };
}

async function close(): Promise<void> {
  await opened().lamina.close();
}

const TASKS = { open, firsts, read, add, memoryUse, close };
export type AskTasks = typeof TASKS;

performTasks(TASKS);
