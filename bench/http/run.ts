/** `npm run bench:http`: what `lamina serve` costs beside Fastify that does nothing, in the same run. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBenchmark } from '../command-line.ts';
import { machineOf } from '../machine.ts';
import { parseOptions, type Options } from '../options.ts';
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

interface HttpOptions extends Options {
  readonly isFairness: boolean;
}

function parseHttpOptions(args: readonly string[]): HttpOptions {
  const isFairness = args[0] === 'fairness';
  return { ...parseOptions(isFairness ? args.slice(1) : args), isFairness };
}

async function bench({ isFairness, effort, jsonFile }: HttpOptions): Promise<void> {
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

await runBenchmark(USAGE, parseHttpOptions, bench);
