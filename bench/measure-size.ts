/** Everything that is measured with a given number of entries in the tenant. */

import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { localEmbedder } from '../src/compose/embedders.ts';
import type { BenchContext } from './bench-context.ts';
import { BenchEmbedder } from './bench-embedder.ts';
import { bytesOnDisk, databaseFile, LaminaSide } from './lamina-side.ts';
import { measureModelSearch, measureReads } from './measure-reads.ts';
import { measureLoad, measureWrites } from './measure-writes.ts';
import type { Options } from './options.ts';
import type { Progress } from './progress.ts';
import { RawSide, stateOfFile } from './raw-side.ts';
import { StatementTape } from './statement-tape.ts';
import type { Comparison } from './statistics.ts';
import { Workload } from './workload.ts';

export interface SizeResult {
  readonly entries: number;
  readonly users: number;
  readonly load: Comparison;
  readonly operations: readonly Comparison[];
  readonly bytesPerEntry: number;
  /** Of the whole process, without the model: Lamina, twice while it writes, the raw side and the benchmark. */
  readonly rssBytes: number;
}

/** A file with the schema and nothing else of note, of which the raw side then gets a copy. */
async function makeDatabase(folder: string, embedder: BenchEmbedder): Promise<void> {
  const lamina = await LaminaSide.open(folder, embedder);
  await lamina.memoryOf('nobody').add({ content: 'The first entry makes the file.', layer: 'user' });
  await lamina.close();
}

/** Throws when the files differ: then the sides did not do the same, and no ratio means anything. */
function assertEqual({ folder, timedFolder, raw }: BenchContext): void {
  const states = [stateOfFile(databaseFile(folder)), stateOfFile(databaseFile(timedFolder)), raw.state()];
  if (states.every((state) => isDeepStrictEqual(state, states[0]))) return;
  throw new Error(`Recorded, timed and raw have diverged: ${states.map((state) => JSON.stringify(state)).join(', ')}.`);
}

async function measureWith(context: BenchContext, entries: number, users: number): Promise<SizeResult> {
  const load = await measureLoad(context, entries);
  const bytesPerEntry = bytesOnDisk(context.folder) / entries;
  const reads = await measureReads(context);
  const writes = await measureWrites(context);
  assertEqual(context);
  const rssBytes = process.memoryUsage.rss();
  const model = localEmbedder();
  try {
    const operations = [...writes, ...reads, await measureModelSearch(context, model)];
    return { entries, users, load, operations, bytesPerEntry, rssBytes };
  } finally {
    await model.close();
  }
}

export async function measureSize(
  folder: string,
  entries: number,
  { users, seed, effort }: Options,
  progress: Progress,
): Promise<SizeResult> {
  mkdirSync(folder);
  const data = join(folder, 'data');
  const embedder = new BenchEmbedder();
  await makeDatabase(data, embedder);
  const rawFile = join(folder, 'raw.db');
  copyFileSync(databaseFile(data), rawFile);
  const timedFolder = join(folder, 'timed');
  cpSync(data, timedFolder, { recursive: true });
  const tape = new StatementTape(databaseFile(data));
  // Opening once shows the tape how Lamina sets up its connections.
  await tape.during(async () => (await LaminaSide.open(data, embedder)).close());
  const raw = new RawSide(rawFile, tape);
  try {
    const workload = new Workload(seed, users);
    return await measureWith(
      { folder: data, timedFolder, workload, embedder, tape, raw, effort, progress },
      entries,
      users,
    );
  } finally {
    raw.close();
  }
}
