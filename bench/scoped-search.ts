/**
 * `node bench/scoped-search.ts`: what a search by meaning costs within one scope, by how much the scope holds, beside
 * comparing every vector of it, in the same run and on the same file. With `--million` also one user's search among
 * 1,000 users with a million entries between them, which takes minutes to load.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { BenchEmbedder } from './bench-embedder.ts';
import { progressOn, type Progress } from './progress.ts';
import { Samples } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { digits, textTable, times, whole } from './text-table.ts';
import { Workload, type Target } from './workload.ts';

const BATCH = 1000;
const QUERIES = 100;
const ROUNDS = 4;
const BLOCK = 10;
const RESULTS = 10;

interface Size {
  readonly entries: number;
  readonly users: number;
}

interface Row extends Size {
  readonly fast: Samples;
  readonly exact: Samples;
  /** Share of the ten nearest that was found. */
  readonly recall: number;
  /** Milliseconds of the first search, which reads the codes. */
  readonly first: number;
}

function openLamina(folder: string, embedder: BenchEmbedder): Promise<Lamina> {
  return Lamina.open({ engine: new SqliteEngine({ folder, clock: systemClock }), embedder });
}

/** Compares every vector, and by SQL. */
function openExact(folder: string, embedder: BenchEmbedder): Promise<Lamina> {
  const codes = { minEntries: Number.POSITIVE_INFINITY };
  return Lamina.open({
    engine: new SqliteEngine({ folder, clock: systemClock, codes, remembersSearches: false }),
    embedder,
  });
}

/** Fills the folder, and answers with what to ask for. */
async function load(folder: string, embedder: BenchEmbedder, size: Size, progress: Progress): Promise<Target[]> {
  await using lamina = await openLamina(folder, embedder);
  const workload = new Workload(1, size.users);
  let done = 0;
  for (const writes of workload.load(size.entries, Math.min(BATCH, size.entries / size.users))) {
    const [{ userId } = { userId: '' }] = writes;
    const outputs = await lamina.as({ userId }).addMany(writes.map(({ input }) => input));
    workload.remember(
      writes,
      outputs.map(({ memory }) => memory.id),
    );
    done += writes.length;
    progress.say(`${whole(done)} of ${whole(size.entries)} entries loaded`);
  }
  return workload.targets(QUERIES);
}

async function search(lamina: Lamina, { userId, query }: Target): Promise<string[]> {
  const output = await lamina.as({ userId }).search({ query, mode: 'semantic', limit: RESULTS, threshold: 0 });
  return output.results.map(({ memory }) => memory.id);
}

async function measure(folder: string, size: Size, progress: Progress): Promise<Row> {
  const embedder = new BenchEmbedder();
  const targets = await load(folder, embedder, size, progress);
  embedder.prepare(targets.map(({ query }) => query));
  await using exactly = await openExact(folder, embedder);
  await using lamina = await openLamina(folder, embedder);
  progress.say('searching');
  const expected: Set<string>[] = [];
  for (const target of targets) expected.push(new Set(await search(exactly, target)));
  const started = performance.now();
  for (const target of targets.slice(0, 1)) await search(lamina, target);
  const first = performance.now() - started;
  let found = 0;
  for (const [index, target] of targets.entries()) {
    const ids = await search(lamina, target);
    found += ids.filter((id) => expected[index]?.has(id)).length / Math.max(1, ids.length);
  }
  const [fast, exact] = [new Samples(), new Samples()];
  // In turns, and with other queries each time, so that both meet the same weather.
  for (let start = 0; start < targets.length; start += BLOCK) {
    const block = targets.slice(start, start + BLOCK);
    for (let round = 0; round < ROUNDS; round += 1) await fast.block(block, (target) => search(lamina, target));
    await exact.block(block, (target) => search(exactly, target));
  }
  return { ...size, fast, exact, recall: found / targets.length, first };
}

function report(rows: readonly Row[]): string {
  const p50 = (samples: Samples): number => samples.figures(1).p50;
  return textTable(
    [
      { title: 'search by meaning', cell: ({ entries, users }) => `${whole(entries / users)} of ${whole(entries)}` },
      { title: 'p50 ms', cell: ({ fast }) => digits(p50(fast)) },
      { title: 'p95 ms', cell: ({ fast }) => digits(fast.figures(1).p95) },
      { title: 'every vector, p50 ms', cell: ({ exact }) => digits(p50(exact)) },
      { title: 'faster', cell: ({ fast, exact }) => times(p50(exact) / p50(fast)) },
      { title: `recall@${RESULTS}`, cell: ({ recall }) => recall.toFixed(4) },
      { title: 'first ms', cell: ({ first }) => digits(first) },
    ],
    rows,
  );
}

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '1000,10000,100000' }, million: { type: 'boolean', default: false } },
});
const sizes: Size[] = values.sizes.split(',').map((entries) => ({ entries: Number(entries), users: 1 }));
if (values.million) sizes.push({ entries: 1_000_000, users: 1000 });
const folder = temporaryFolder();
const progress = progressOn(process.stderr);
const rows: Row[] = [];
for (const [index, size] of sizes.entries()) rows.push(await measure(join(folder, String(index)), size, progress));
progress.clear();
console.log(report(rows));
