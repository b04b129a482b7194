/** `npm run bench:http`: what `lamina serve` costs beside Fastify that does nothing, in the same run. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaminaError } from '../../src/domain/error.ts';
import { machineOf } from '../machine.ts';
import { parseOptions } from '../options.ts';
import { progressOn } from '../progress.ts';
import { machineLine } from '../report.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { httpReport } from './http-report.ts';
import { fairnessReport, measureFairness } from './measure-fairness.ts';
import { measureHttp } from './measure-http.ts';

const USAGE = `Usage: npm run bench:http -- [fairness] [options]

  fairness     instead: what a tenant notices of another that asks as much as it can

  --quick      a smoke run of a few seconds; its numbers mean nothing
  --json FILE  writes the results there as well
  --help       shows this`;

interface Measured {
  readonly rows: readonly object[];
  readonly report: string;
}

async function http(...how: Parameters<typeof measureHttp>): Promise<Measured> {
  const rows = await measureHttp(...how);
  return { rows, report: httpReport(rows) };
}

async function fairness(...how: Parameters<typeof measureFairness>): Promise<Measured> {
  const rows = await measureFairness(...how);
  return { rows, report: fairnessReport(rows) };
}

try {
  const args = process.argv.slice(2);
  const isFairness = args[0] === 'fairness';
  const { wantsHelp, effort, jsonFile } = parseOptions(isFairness ? args.slice(1) : args);
  if (wantsHelp) {
    console.log(USAGE);
  } else {
    const folder = temporaryFolder();
    const progress = progressOn(process.stderr);
    const machine = machineOf(folder);
    const { rows, report } = isFairness
      ? await fairness(join(folder, 'fairness'), effort, progress)
      : await http(join(folder, 'http'), effort, progress);
    progress.clear();
    console.log(`${machineLine(machine)}\n\n${report}`);
    if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  }
} catch (error) {
  const isUsage = error instanceof LaminaError && error.code === 'CONFIGURATION_ERROR';
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
