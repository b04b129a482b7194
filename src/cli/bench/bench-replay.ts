/** `lamina bench replay`: asks recorded searches again by other settings, and tells what moved. */

import { writeFile } from 'node:fs/promises';
import { loadConfiguration } from '../../compose/configuration.ts';
import type { Replay } from '../../compose/replay.ts';
import { LaminaError } from '../../domain/error.ts';
import type { RecallConfiguration, RecallReceipt } from '../../domain/recall-receipt.ts';
import type { Given } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { readReceipts } from './receipt-file.ts';
import { compareReceipts, type Comparison } from './replay-comparison.ts';
import { replayFlags, type ReplayFlags } from './replay-flags.ts';
import { replayText, summaryOf, type ReplayReport } from './replay-report.ts';
import { betweenPages } from '../terminal/stop-signal.ts';

/** Resolves with the exit code. Throws `LaminaError`. */
export async function benchReplay(given: Given): Promise<number> {
  const flags = replayFlags(given);
  const receipts = flags.receipts === undefined ? undefined : await readReceipts(flags.receipts);
  const configured = flags.database === undefined ? {} : { databaseUrl: flags.database };
  const configuration = await loadConfiguration(given.terminal.environment, configured);
  // What it needs is loaded only now, so that help and refusals come at once.
  const { Replay: Opened } = await import('../../compose/replay.ts');
  const replay = await Opened.open(configuration, flags.principal, flags.ranking);
  try {
    const report = await replayed(replay, receipts ?? (await replay.receipts()), flags, given);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (flags.json !== undefined && flags.json !== '-') await writeFile(flags.json, json);
    given.terminal.stdout.write(flags.json === '-' ? json : replayText(report));
    return EXIT_CODES.ok.code;
  } finally {
    await replay.close();
  }
}

async function replayed(
  replay: Replay,
  receipts: readonly RecallReceipt[],
  { k, changes, principal }: ReplayFlags,
  given: Given,
): Promise<ReplayReport> {
  const bar = progressBar(given);
  const comparisons: Comparison[] = [];
  let after: RecallConfiguration | undefined;
  try {
    for (const receipt of receipts) {
      await betweenPages(given.signal);
      const { receipt: now, newIds } = await replay.again(receipt, changes);
      comparisons.push(compareReceipts(receipt, now, newIds, k));
      after = now.configuration;
      bar.show({ done: comparisons.length, total: receipts.length, label: 'searches' });
    }
  } finally {
    bar.clear();
  }
  const before = receipts.at(-1)?.configuration;
  if (before === undefined || after === undefined) throw nothingRecorded(principal.userId);
  return { k, before, after, summary: summaryOf(comparisons), comparisons };
}

function nothingRecorded(userId: string | undefined): LaminaError {
  return new LaminaError(
    'NOT_FOUND',
    `There are no receipts of "${userId}" to replay. A search with "record": true keeps one; --user and --tenant say whose.`,
  );
}
