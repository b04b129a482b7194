/** `lamina bench recall`: how well memory finds again what was said, on data sets that others are measured on too. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfiguration } from '../../compose/configuration.ts';
import type { MeasuredMemory } from '../../compose/measured-memory.ts';
import { packageVersion } from '../../compose/package-version.ts';
import type { Given } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { Interrupted } from './asker.ts';
import { readDataset, type Dataset } from './recall-dataset.ts';
import { recallFlags, type RecallFlags } from './recall-flags.ts';
import { recallReport, type RecallReport, type RunConfiguration } from './recall-report.ts';
import { selectCases, type Selected } from './recall-selection.ts';
import { recallTable } from './recall-table.ts';
import { makeRunFolder, MEMORY_FOLDER, RunFolder } from './run-folder.ts';
import { runRecall } from './run-recall.ts';

/** Resolves with the exit code. Throws `LaminaError`. */
export async function benchRecall(given: Given): Promise<number> {
  const { terminal } = given;
  const flags = recallFlags(given);
  const dataset = await readDataset(flags.dataset, flags.file);
  const selected = selectCases(dataset, flags.categories, flags.conversations);
  if (flags.resume !== undefined) await makeRunFolder(flags.resume);
  const root = flags.resume === undefined ? await mkdtemp(join(tmpdir(), 'lamina-bench-')) : resolve(flags.resume);
  try {
    const report = await measured(given, flags, dataset, selected, root);
    if (flags.json !== undefined && flags.json !== '-') await writeFile(flags.json, jsonOf(report));
    terminal.stdout.write(flags.json === '-' ? jsonOf(report) : recallTable(report));
    return EXIT_CODES.ok.code;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    terminal.stderr.write(`${interruption(flags)}\n`);
    return EXIT_CODES.interrupted.code;
  } finally {
    if (flags.resume === undefined) await rm(root, { recursive: true, force: true });
  }
}

async function measured(
  given: Given,
  flags: RecallFlags,
  dataset: Dataset,
  selected: Selected,
  root: string,
): Promise<RecallReport> {
  const databaseUrl = flags.database ?? `sqlite:${join(root, MEMORY_FOLDER)}`;
  const settings = { databaseUrl, embeddings: flags.embedder };
  const configuration = await loadConfiguration(given.terminal.environment, settings);
  // What it needs is loaded only now, so that help and refusals come at once.
  const { openMeasuredMemory } = await import('../../compose/measured-memory.ts');
  const bar = progressBar(given);
  const memory = await openMeasuredMemory(configuration);
  try {
    const run = runConfiguration(await packageVersion(), flags, dataset, selected, memory);
    const folder = await RunFolder.open(root, run);
    let isComplete = false;
    try {
      const results = await runRecall(memory, selected.cases, folder, {
        modes: flags.modes,
        limit: Math.max(...flags.cuts),
        signal: given.signal,
        progress: (done, total, label) => bar.show({ done, total, label }),
      });
      isComplete = true;
      return recallReport(run, results);
    } finally {
      bar.clear();
      // In somebody's database nothing is left behind, unless it is needed to go on.
      const isNeeded = flags.resume !== undefined && !isComplete;
      if (flags.database !== undefined && !isNeeded) await erase(memory, folder);
    }
  } finally {
    await memory.close();
  }
}

function runConfiguration(
  version: string,
  { cuts, modes }: RecallFlags,
  { name, sha256 }: Dataset,
  { cases, categories }: Selected,
  { engine, ranking, space, calibration }: MeasuredMemory,
): RunConfiguration {
  const count = (of: 'turns' | 'questions'): number => cases.reduce((sum, one) => sum + one[of].length, 0);
  return {
    version,
    dataset: { name, sha256, conversations: cases.length, turns: count('turns'), questions: count('questions') },
    engine,
    embedder: { model: space.model, dimensions: space.dimensions, calibration: { ...calibration } },
    ranking: { ...ranking },
    cuts: [...cuts],
    modes: [...modes],
    categories: [...categories],
  };
}

async function erase(memory: MeasuredMemory, { tenantId }: RunFolder): Promise<void> {
  await memory.as({ tenantId, userId: 'bench', roles: ['admin'] }).admin.eraseTenant({ tenantId });
}

function jsonOf(report: RecallReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

function interruption({ resume }: RecallFlags): string {
  return resume === undefined
    ? 'Stopped. Nothing was kept: with --resume FOLDER it could go on.'
    : 'Stopped. The same command goes on where it was.';
}
