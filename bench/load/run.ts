/** `npm run bench:load`: a service under a mixed load for minutes, on SQLite and on PostgreSQL. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaminaError } from '../../src/domain/error.ts';
import { findPostgres } from '../../test/postgres-installation.ts';
import { PostgresProcess } from '../../test/postgres-process.ts';
import { runBenchmark } from '../command-line.ts';
import { machineOf } from '../machine.ts';
import { progressOn, type Progress } from '../progress.ts';
import { machineLine } from '../report.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { writeLoadDocs } from './load-docs.ts';
import { parseLoadOptions, USAGE, type LoadedEngine, type LoadOptions } from './load-options.ts';
import { loadProblems, loadReport } from './load-report.ts';
import { measureLoad, type EngineLoadResult } from './measure-load.ts';

async function measureOn(
  engine: LoadedEngine,
  parent: string,
  options: LoadOptions,
  progress: Progress,
): Promise<EngineLoadResult> {
  const folder = join(parent, engine);
  mkdirSync(folder);
  if (engine === 'sqlite') return measureLoad(engine, `sqlite:${join(folder, 'data')}`, folder, options, progress);
  if (options.postgresUrl !== undefined) return measureLoad(engine, options.postgresUrl, folder, options, progress);
  const installation = findPostgres();
  if (typeof installation === 'string') {
    throw new LaminaError('CONFIGURATION_ERROR', `There is no PostgreSQL to start: ${installation}. Give --url.`);
  }
  const server = await PostgresProcess.create({ installation, isDurable: true });
  try {
    return await measureLoad(engine, server.url, folder, options, progress);
  } finally {
    await server.close();
  }
}

async function bench(options: LoadOptions): Promise<void> {
  const folder = temporaryFolder();
  const progress = progressOn(process.stderr);
  const machine = machineOf(folder);
  const results: EngineLoadResult[] = [];
  for (const engine of options.engines) results.push(await measureOn(engine, folder, options, progress));
  progress.clear();
  const report = `${machineLine(machine)}\n${loadReport(results)}`;
  console.log(report);
  if (options.jsonFile !== undefined) {
    writeFileSync(options.jsonFile, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  }
  if (options.writesDocs) writeLoadDocs(report);
  const problems = results.flatMap(loadProblems);
  if (problems.length === 0) return;
  console.error(`\n${problems.join('\n')}`);
  process.exitCode = 1;
}

await runBenchmark(USAGE, parseLoadOptions, bench);
