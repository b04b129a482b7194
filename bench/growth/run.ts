/** `npm run bench:growth`: what happens to a user as the tenant around that user grows. */

import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { runBenchmark } from '../command-line.ts';
import { machineOf, type Machine } from '../machine.ts';
import { progressOn } from '../progress.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { writeGrowthDocs } from './growth-docs.ts';
import { parseGrowthOptions, USAGE, type GrowthOptions } from './growth-options.ts';
import { growthHeading, growthReport } from './growth-report.ts';
import { measureGrowth, type Growth } from './measure-growth.ts';

export interface GrowthResults extends Growth {
  readonly machine: Machine;
  readonly seed: number;
  readonly isQuick: boolean;
}

/** How many processes want a core before anything is measured, where those are too many for the figures to mean much. */
function busyWith(): number | undefined {
  const [load = 0] = loadavg();
  return load > availableParallelism() / 2 ? load : undefined;
}

async function bench(options: GrowthOptions): Promise<void> {
  const folder = temporaryFolder();
  const progress = progressOn(process.stderr);
  const machine = machineOf(folder);
  const heading = growthHeading(machine, busyWith());
  const growth = await measureGrowth(folder, options, progress);
  progress.clear();
  console.log(`${heading}\n\n${growthReport(growth)}`);
  if (options.isQuick) console.log('\nA smoke run: far too short for its numbers to mean anything.');
  if (options.jsonFile !== undefined) {
    const results: GrowthResults = { machine, seed: options.seed, isQuick: options.isQuick, ...growth };
    writeFileSync(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`);
  }
  if (options.writesDocs) writeGrowthDocs(heading, growth);
}

await runBenchmark(USAGE, parseGrowthOptions, bench);
