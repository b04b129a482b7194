/** Puts right what `lamina doctor` found, one after the other, where somebody agrees. */

import type { Finding } from '../compose/doctor/check.ts';
import type { CheckedReport } from '../compose/doctor/run-checks.ts';
import { usageError, type Given } from './command.ts';
import { errorText } from './error-text.ts';
import { linesFrom } from './read-input.ts';
import { unlessStopped } from './stop-signal.ts';

export interface Repaired {
  /** All that is put right by the same step are one. */
  readonly finding: Finding;
  readonly does: string;
  readonly isDone: boolean;
  readonly told: string;
}

/** Throws a usage error where there is nobody to ask. */
export async function repairAll(given: Given, reports: readonly CheckedReport[]): Promise<Repaired[]> {
  const findings = reports.flatMap((report) => report.findings.filter(({ repair }) => repair !== undefined));
  if (findings.length === 0) return [];
  const isAsked = !given.has('yes');
  const { stdin, stderr } = given.terminal;
  if (isAsked && !stdin.isTTY) throw usageError('There is no terminal to ask at: add --yes.', given.command);
  const answers = linesFrom(stdin);
  const results = new Map<string, Omit<Repaired, 'finding'>>();
  const repaired: Repaired[] = [];
  try {
    for (const finding of findings) {
      const { repair } = finding;
      if (repair === undefined) continue;
      let result = results.get(repair.does);
      if (result === undefined) {
        if (isAsked) stderr.write(`${finding.message}\n${repair.does}? [y/N] `);
        const isWanted = !isAsked || /^y(es)?$/i.test((await unlessStopped(given.signal, answers.next())).trim());
        result = isWanted ? await tried(given, repair) : { does: repair.does, isDone: false, told: repair.does };
        results.set(repair.does, result);
      }
      repaired.push({ finding, ...result });
    }
    return repaired;
  } finally {
    // Otherwise it would keep the process waiting for more.
    if (isAsked) stdin.destroy?.();
  }
}

async function tried(given: Given, repair: NonNullable<Finding['repair']>): Promise<Omit<Repaired, 'finding'>> {
  const { does } = repair;
  try {
    return { does, isDone: true, told: await unlessStopped(given.signal, repair.run()) };
  } catch (error) {
    given.signal.throwIfAborted();
    return { does, isDone: false, told: `${does}: ${errorText(error)}` };
  }
}
