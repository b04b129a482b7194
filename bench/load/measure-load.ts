/** One engine under load: how fast it answers, what it holds, and whether anything is lost when it is told to end. */

import { fork } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { openEngine } from '../../src/compose/engines.ts';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Progress } from '../progress.ts';
import { messageOf } from './load-messages.ts';
import type { Memory } from './load-mix.ts';
import type { LoadedEngine, LoadOptions } from './load-options.ts';
import type { LoadReading } from './load-probe.ts';
import type { DrainOutcome, LoadFigures, LoadOutcome, LoadTask } from './load-process.ts';
import { LoadService } from './load-service.ts';
import { growthOf, type Sample } from './memory-growth.ts';

export interface EngineLoadResult {
  readonly engine: LoadedEngine;
  readonly seconds: number;
  readonly connections: number;
  readonly entriesBefore: number;
  readonly figures: readonly LoadFigures[];
  readonly perSecond: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  /** The median and the worst of the seconds. */
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  readonly rssBytes: { readonly first: number; readonly last: number; readonly highest: number };
  readonly modelBytes: number;
  /** Of every tenth of the time, from the beginning on: what was held in the end of it. */
  readonly rssOverTime: readonly number[];
  /** By a line through what was held after warming up: the share by which it grew in all of the time. */
  readonly rssGrowth: number;
  /** After a forced collection of garbage, when it was warm and in the end. */
  readonly heapBytes: { readonly warm: number; readonly end: number };
  readonly drain: {
    readonly milliseconds: number;
    readonly code: number | null;
    readonly answered: number;
    readonly unanswered: number;
  };
  readonly acknowledged: number;
  /** Of those, what is not there afterwards. Anything but 0 is a failure. */
  readonly lost: number;
}

/** The share of the time that is for warming up: caches fill, code is compiled, the allocator finds its size. */
const WARM_UP = 0.3;
const SAMPLE_MS = 1000;
const TENTHS = 10;
/** How long the load goes on before the service is told to end. */
const BEFORE_END_MS = 500;

interface Sampled {
  /** From the beginning on, and of them those that are warm. */
  readonly all: readonly Sample[];
  readonly samples: readonly Sample[];
  readonly readings: readonly LoadReading[];
  readonly warmHeap: number;
  readonly modelBytes: number;
}

export async function measureLoad(
  engine: LoadedEngine,
  databaseUrl: string,
  folder: string,
  options: LoadOptions,
  progress: Progress,
): Promise<EngineLoadResult> {
  const service = await LoadService.start(folder, databaseUrl);
  const client = fork(new URL('load-process.ts', import.meta.url));
  const { connections, seconds, entries, seed } = options;
  const task: LoadTask = { port: service.port, connections, seconds, entries, seed };
  try {
    progress.say(`${engine}: loading`);
    client.send({ kind: 'fill', task });
    await messageOf(client);
    client.send({ kind: 'load', task });
    const outcome = messageOf<LoadOutcome>(client);
    const sampled = await sample(service, outcome, seconds, (left) => progress.say(`${engine}: ${left} s left`));
    const { figures, errors, firstError, seconds: took } = await outcome;
    const { heapBytes: endHeap } = await service.read(true);
    progress.say(`${engine}: draining`);
    client.send({ kind: 'drain', task });
    const drained = messageOf<DrainOutcome>(client);
    await setTimeout(BEFORE_END_MS);
    const ended = await service.end();
    const { memories, answered, unanswered, ...refused } = await drained;
    progress.say(`${engine}: looking for ${memories.length} memories`);
    return {
      engine,
      seconds: took,
      connections,
      entriesBefore: entries,
      figures,
      perSecond: figures.reduce((sum, { count }) => sum + count, 0) / took,
      errors: errors + refused.errors,
      firstError: firstError ?? refused.firstError,
      ...memoryFigures(sampled, endHeap),
      drain: { ...ended, answered, unanswered },
      acknowledged: memories.length,
      lost: await countLost(databaseUrl, memories),
    };
  } finally {
    client.kill();
    service.kill();
  }
}

async function sample(
  service: LoadService,
  outcome: Promise<unknown>,
  seconds: number,
  tell: (left: number) => void,
): Promise<Sampled> {
  const over = outcome.then(() => 'over');
  const started = performance.now();
  const [all, samples, readings]: [Sample[], Sample[], LoadReading[]] = [[], [], []];
  let warmHeap = 0;
  let modelBytes = 0;
  while ((await Promise.race([setTimeout(SAMPLE_MS), over])) !== 'over') {
    const at = (performance.now() - started) / 1000;
    tell(Math.max(0, Math.round(seconds - at)));
    const isWarm = at >= seconds * WARM_UP;
    const reading = await service.read(isWarm && warmHeap === 0);
    if (isWarm && warmHeap === 0) warmHeap = reading.heapBytes;
    modelBytes = service.childrenBytes();
    readings.push(reading);
    all.push({ at, bytes: reading.rssBytes + modelBytes });
    if (isWarm) samples.push({ at, bytes: reading.rssBytes + modelBytes });
  }
  return { all, samples, readings, warmHeap, modelBytes };
}

type MemoryFigures = Pick<
  EngineLoadResult,
  'loopDelayP99Ms' | 'loopDelayMaxMs' | 'rssBytes' | 'rssOverTime' | 'modelBytes' | 'rssGrowth' | 'heapBytes'
>;

function memoryFigures({ all, samples, readings, warmHeap, modelBytes }: Sampled, endHeap: number): MemoryFigures {
  const delays = readings.map(({ loopDelayP99Ms }) => loopDelayP99Ms).toSorted((a, b) => a - b);
  const held = samples.map(({ bytes }) => bytes);
  return {
    loopDelayP99Ms: delays[Math.floor(delays.length / 2)] ?? Number.NaN,
    loopDelayMaxMs: Math.max(...readings.map(({ loopDelayMaxMs }) => loopDelayMaxMs)),
    rssBytes: { first: held[0] ?? Number.NaN, last: held.at(-1) ?? Number.NaN, highest: Math.max(...held) },
    rssOverTime: Array.from({ length: TENTHS }, (_, tenth) => {
      return all[Math.ceil(((tenth + 1) * all.length) / TENTHS) - 1]?.bytes ?? Number.NaN;
    }),
    modelBytes,
    rssGrowth: growthOf(samples),
    heapBytes: { warm: warmHeap, end: endHeap },
  };
}

/** Read from the database by a program of its own, after the service has gone. */
async function countLost(databaseUrl: string, memories: readonly Memory[]): Promise<number> {
  const engine = await openEngine({ databaseUrl });
  const lamina = await Lamina.open({ engine });
  try {
    let lost = 0;
    for (const { userId, id, content } of memories) {
      const { memory } = await lamina.as({ userId }).get({ id });
      if (memory?.content !== content) lost += 1;
    }
    return lost;
  } finally {
    await lamina.close();
  }
}
