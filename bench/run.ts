/** `npm run bench`: what Lamina costs, beside what SQLite costs for the same statements in the same run. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBenchmark } from './command-line.ts';
import { heldValuesReport, measureHeldValues } from './held-values.ts';
import { machineOf } from './machine.ts';
import { measureModel } from './measure-model.ts';
import { measureSize, type SizeResult } from './measure-size.ts';
import { parseOptions, USAGE, type Options } from './options.ts';
import { progressOn } from './progress.ts';
import { heading, modelReport, sizeReport, type Results } from './report.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { measureWorking, workingReport } from './working.ts';

async function bench(options: Options): Promise<void> {
  const folder = temporaryFolder();
  const progress = progressOn(process.stderr);
  const print = (text: string): void => {
    progress.clear();
    console.log(`${text}\n`);
  };
  const machine = machineOf(folder);
  print(heading(machine, options.isQuick));
  const sizes: SizeResult[] = [];
  for (const [index, entries] of options.sizes.entries()) {
    const result = await measureSize(join(folder, String(index)), entries, options, progress);
    print(sizeReport(result));
    sizes.push(result);
  }
  progress.say('working memory');
  const working = await measureWorking(join(folder, 'working'), options.effort.rounds * 5);
  const heldBytes = await measureHeldValues(join(folder, 'held'));
  print(`${workingReport(working)}\n\n${heldValuesReport(heldBytes)}`);
  progress.say('the local model');
  const model = await measureModel(options.effort);
  print(modelReport(model));
  const results: Results = { machine, seed: options.seed, isQuick: options.isQuick, sizes, working, heldBytes, model };
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`);
}

await runBenchmark(USAGE, parseOptions, bench);
