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
import { measureHttp } from './measure-http.ts';

const USAGE = `Usage: npm run bench:http -- [options]

  --quick      a smoke run of a few seconds; its numbers mean nothing
  --json FILE  writes the results there as well
  --help       shows this`;

try {
  const { wantsHelp, effort, jsonFile } = parseOptions(process.argv.slice(2));
  if (wantsHelp) {
    console.log(USAGE);
  } else {
    const folder = temporaryFolder();
    const progress = progressOn(process.stderr);
    const machine = machineOf(folder);
    const rows = await measureHttp(join(folder, 'http'), effort, progress);
    progress.clear();
    console.log(`${machineLine(machine)}\n\n${httpReport(rows)}`);
    if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  }
} catch (error) {
  const isUsage = error instanceof LaminaError && error.code === 'CONFIGURATION_ERROR';
  console.error(isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
