/** Puts right what `lamina doctor` found, one after the other, where somebody agrees. */

import type { Repair } from '../compose/doctor/check.ts';
import type { CheckedReport } from '../compose/doctor/run-checks.ts';
import { usageError, type Given } from './command.ts';
import { errorText } from './error-text.ts';
import { linesFrom } from './terminal/read-input.ts';
import { unlessStopped } from './terminal/stop-signal.ts';

export interface Repaired {
  readonly does: string;
  readonly isDone: boolean;
  /** What was done, or why not. */
  readonly told: string;
}

/** What several findings want is done once. Throws a usage error where there is nobody to ask. */
export async function repairAll(given: Given, reports: readonly CheckedReport[]): Promise<Repaired[]> {
  const repairs = new Map<string, { readonly repair: Repair; readonly message: string }>();
  for (const { message, repair } of reports.flatMap(({ findings }) => findings)) {
    if (repair && !repairs.has(repair.does)) repairs.set(repair.does, { repair, message });
  }
  if (repairs.size === 0 || given.has('yes')) return inTurn(given, repairs.values(), async () => true);
  const { stdin, stderr } = given.terminal;
  if (!stdin.isTTY) throw usageError('There is no terminal to ask at: add --yes.', given.command);
  const answers = linesFrom(stdin);
  try {
    return await inTurn(given, repairs.values(), async (question) => {
      stderr.write(`${question}? [y/N] `);
      return /^y(es)?$/i.test((await unlessStopped(given.signal, answers.next())).trim());
    });
  } finally {
    // Otherwise it would keep the process waiting for more.
    stdin.destroy?.();
  }
}

async function inTurn(
  given: Given,
  repairs: Iterable<{ readonly repair: Repair; readonly message: string }>,
  isWanted: (question: string) => Promise<boolean>,
): Promise<Repaired[]> {
  const done: Repaired[] = [];
  for (const { repair, message } of repairs) {
    const { does } = repair;
    const wanted = await isWanted(`${message}\n${does}`);
    done.push(wanted ? await tried(given, repair) : { does, isDone: false, told: does });
  }
  return done;
}

async function tried(given: Given, repair: Repair): Promise<Repaired> {
  const { does } = repair;
  try {
    return { does, isDone: true, told: await unlessStopped(given.signal, repair.run()) };
  } catch (error) {
    given.signal.throwIfAborted();
    return { does, isDone: false, told: `${does}: ${errorText(error)}` };
  }
}
