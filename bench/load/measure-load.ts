/** One engine under load: how fast it answers, what it holds, and whether anything is lost when it is told to end. */

import { fork } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { openEngine } from '../../src/compose/engines.ts';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Progress } from '../progress.ts';
import { nextMessage } from '../next-message.ts';
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
  /** In the end of every tenth of the time, after a forced collection of garbage: what was in use, with the model. */
  readonly heldOverTime: readonly number[];
  /** By a line through those after warming up: the share by which it grew from then on. */
  readonly heldGrowth: number;
  /** Of it heap and buffers, when it was warm and in the end. */
  readonly heapBytes: { readonly warm: number; readonly end: number };
  readonly drain: {
    readonly milliseconds: number;
    readonly code: number | null;
    readonly answered: number;
    readonly unanswered: number;
    readonly firstUnanswered: string | undefined;
  };
  readonly acknowledged: number;
  /** Of those, what is not there afterwards. Anything but 0 is a failure. */
  readonly lost: number;
}

const TENTHS = 10;
/** Of which so many are for warming up: caches fill, code is compiled, the allocator finds its size. */
const WARM_UP = 3;
const SAMPLE_MS = 1000;
/** How long the load goes on before the service is told to end. */
const BEFORE_END_MS = 500;

interface Held extends Sample {
  readonly heapBytes: number;
}

interface Sampled {
  readonly readings: readonly LoadReading[];
  /** What was resident once it was warm, with the model. */
  readonly resident: readonly number[];
  /** In the end of each tenth. */
  readonly held: readonly Held[];
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
    await nextMessage(client);
    client.send({ kind: 'load', task });
    const outcome = nextMessage<LoadOutcome>(client);
    const sampled = await sample(service, outcome, seconds, (left) => progress.say(`${engine}: ${left} s left`));
    const { figures, errors, firstError, seconds: took } = await outcome;
    progress.say(`${engine}: draining`);
    client.send({ kind: 'drain', task });
    const drained = nextMessage<DrainOutcome>(client);
    await setTimeout(BEFORE_END_MS);
    const ended = await service.end();
    const { memories, answered, unanswered, firstUnanswered, ...refused } = await drained;
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
      ...memoryFigures(sampled),
      drain: { ...ended, answered, unanswered, firstUnanswered },
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
  const [readings, resident, held]: [LoadReading[], number[], Held[]] = [[], [], []];
  const look = async (collects: boolean): Promise<void> => {
    const at = (performance.now() - started) / 1000;
    const reading = await service.read(collects);
    const modelBytes = service.childrenBytes();
    readings.push(reading);
    if (held.length >= WARM_UP) resident.push(reading.rssBytes + modelBytes);
    if (collects) held.push({ at, bytes: reading.heldBytes + modelBytes, heapBytes: reading.heapBytes });
  };
  while ((await Promise.race([setTimeout(SAMPLE_MS), over])) !== 'over') {
    const at = (performance.now() - started) / 1000;
    tell(Math.max(0, Math.round(seconds - at)));
    await look(held.length < TENTHS - 1 && at >= (seconds * (held.length + 1)) / TENTHS);
  }
  await look(true);
  return { readings, resident, held, modelBytes: service.childrenBytes() };
}

type MemoryFigures = Pick<
  EngineLoadResult,
  'loopDelayP99Ms' | 'loopDelayMaxMs' | 'rssBytes' | 'heldOverTime' | 'modelBytes' | 'heldGrowth' | 'heapBytes'
>;

function memoryFigures({ readings, resident, held, modelBytes }: Sampled): MemoryFigures {
  const delays = readings.map(({ loopDelayP99Ms }) => loopDelayP99Ms).toSorted((a, b) => a - b);
  const warm = held.slice(WARM_UP - 1);
  return {
    loopDelayP99Ms: delays[Math.floor(delays.length / 2)] ?? Number.NaN,
    loopDelayMaxMs: Math.max(...readings.map(({ loopDelayMaxMs }) => loopDelayMaxMs)),
    rssBytes: {
      first: resident[0] ?? Number.NaN,
      last: resident.at(-1) ?? Number.NaN,
      highest: Math.max(...resident),
    },
    heldOverTime: held.map(({ bytes }) => bytes),
    modelBytes,
    heldGrowth: growthOf(warm),
    heapBytes: { warm: warm[0]?.heapBytes ?? Number.NaN, end: warm.at(-1)?.heapBytes ?? Number.NaN },
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
