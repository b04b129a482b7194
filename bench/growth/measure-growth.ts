/** Fills a folder for each size, then asks all of them in turns: what else the machine does meets every size. */

import { join } from 'node:path';
import type { Progress } from '../progress.ts';
import { percentile } from '../statistics.ts';
import type { AskTasks, MemoryUse, Opened } from './ask-process.ts';
import { ADD, FIRST_SEARCH, READS, type GrowthOperation } from './growth-operations.ts';
import type { GrowthOptions } from './growth-options.ts';
import { GrowthProcess } from './growth-process.ts';
import type { Loaded, LoadTasks } from './load-process.ts';

/** Alternating after each one would time the flushes of one size while the disk is busy with those of another. */
const ADDS_PER_BLOCK = 20;

export interface GrowthFigures {
  readonly entries: number;
  readonly calls: number;
  /** Milliseconds; null where nothing could be measured. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface GrowthRow {
  readonly operation: string;
  readonly isScoped: boolean;
  /** In the order of the sizes. */
  readonly sizes: readonly GrowthFigures[];
}

export interface GrowthSize extends Omit<Loaded, 'targets'>, Opened, MemoryUse {
  readonly entries: number;
}

export interface Growth {
  readonly sizes: readonly GrowthSize[];
  readonly rows: readonly GrowthRow[];
}

interface Asked {
  readonly entries: number;
  readonly process: GrowthProcess<AskTasks>;
}

type Block = (asked: Asked) => Promise<number[]>;

function figuresOf(entries: number, durations: readonly number[]): GrowthFigures {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): number | null => (sorted.length === 0 ? null : percentile(sorted, share));
  return { entries, calls: sorted.length, p50: at(0.5), p95: at(0.95) };
}

async function load(folder: string, entries: number, { seed, targets }: GrowthOptions): Promise<Loaded> {
  const loading = new GrowthProcess<LoadTasks>(new URL('load-process.ts', import.meta.url));
  try {
    return await loading.ask('load', { folder, entries, seed, targets });
  } finally {
    await loading.end();
  }
}

/** The first of the blocks warms up where there is to be more than one. */
async function measureRow(
  { name, isScoped }: Pick<GrowthOperation, 'name' | 'isScoped'>,
  all: readonly Asked[],
  block: Block,
  blocks: number,
): Promise<GrowthRow> {
  const durations = new Map<Asked, number[]>(all.map((asked) => [asked, []]));
  for (let index = 0; index < blocks; index += 1) {
    for (const [asked, gathered] of durations) {
      const measured = await block(asked);
      if (index > 0 || blocks === 1) gathered.push(...measured);
    }
  }
  return {
    operation: name,
    isScoped,
    sizes: [...durations].map(([{ entries }, gathered]) => figuresOf(entries, gathered)),
  };
}

async function measureRows(all: readonly Asked[], options: GrowthOptions, progress: Progress): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  const measure = async (
    operation: Pick<GrowthOperation, 'name' | 'isScoped'>,
    block: Block,
    blocks: number,
  ): Promise<void> => {
    progress.say(operation.name);
    rows.push(await measureRow(operation, all, block, blocks));
  };
  await measure(FIRST_SEARCH, (asked) => asked.process.ask('firsts', undefined), 1);
  for (const operation of READS) {
    const blocks = options.rounds * (operation.rounds ?? 1) + 1;
    await measure(operation, (asked) => asked.process.ask('read', operation.name), blocks);
  }
  const blocks = Math.ceil(options.adds / ADDS_PER_BLOCK) + 1;
  await measure(ADD, (asked) => asked.process.ask('add', ADDS_PER_BLOCK), blocks);
  return rows;
}

export async function measureGrowth(folder: string, options: GrowthOptions, progress: Progress): Promise<Growth> {
  const filled: (Asked & Loaded & Opened)[] = [];
  try {
    for (const entries of options.sizes) {
      progress.say(`loading ${entries}`);
      const data = join(folder, String(entries));
      const loaded = await load(data, entries, options);
      const asking = new GrowthProcess<AskTasks>(new URL('ask-process.ts', import.meta.url));
      const { targets } = loaded;
      const opened = await asking.ask('open', { folder: data, seed: options.seed, targets });
      filled.push({ entries, process: asking, ...loaded, ...opened });
    }
    const rows = await measureRows(filled, options, progress);
    const sizes: GrowthSize[] = [];
    for (const { process: asking, targets: _, ...rest } of filled) {
      sizes.push({ ...rest, ...(await asking.ask('memoryUse', undefined)) });
      await asking.ask('close', undefined);
    }
    return { sizes, rows };
  } finally {
    for (const asked of filled) await asked.process.end();
  }
}
