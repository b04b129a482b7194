/** `lamina bench replay`: asks recorded searches again by other settings, and tells what moved. */

import { writeFile } from 'node:fs/promises';
import { loadConfiguration } from '../../compose/configuration.ts';
import type { Replay } from '../../compose/replay.ts';
import { LaminaError } from '../../domain/error.ts';
import type { RecallConfiguration, RecallReceipt } from '../../domain/recall-receipt.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { ProgressBar } from '../progress-bar.ts';
import { readReceipts } from './receipt-file.ts';
import { compareReceipts, type Comparison } from './replay-comparison.ts';
import { replayFlags, type ReplayFlags } from './replay-flags.ts';
import { replayText, summaryOf, type ReplayReport } from './replay-report.ts';

/** Resolves with the exit code. Throws `LaminaError`. */
export async function benchReplay(args: readonly string[]): Promise<number> {
  const flags = replayFlags(args);
  const given = flags.receipts === undefined ? undefined : await readReceipts(flags.receipts);
  const configured = flags.database === undefined ? {} : { databaseUrl: flags.database };
  const configuration = await loadConfiguration(process.env, configured);
  // What it needs is loaded only now, so that help and refusals come at once.
  const { Replay: Opened } = await import('../../compose/replay.ts');
  const replay = await Opened.open(configuration, flags.principal, flags.ranking);
  try {
    const report = await replayed(replay, given ?? (await replay.receipts()), flags);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (flags.json !== undefined && flags.json !== '-') await writeFile(flags.json, json);
    process.stdout.write(flags.json === '-' ? json : replayText(report));
    return EXIT_CODES.ok.code;
  } finally {
    await replay.close();
  }
}

async function replayed(
  replay: Replay,
  receipts: readonly RecallReceipt[],
  { k, changes, principal }: ReplayFlags,
): Promise<ReplayReport> {
  const bar = new ProgressBar(process.stderr, () => performance.now());
  const comparisons: Comparison[] = [];
  let after: RecallConfiguration | undefined;
  try {
    for (const receipt of receipts) {
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
