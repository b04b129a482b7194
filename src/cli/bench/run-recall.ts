/** A run: conversation after conversation, from where it stopped the last time. */

import type { MeasuredMemory } from '../../compose/measured-memory.ts';
import { measureRecall, workOf } from './measure-recall.ts';
import type { RecallCase } from './recall-case.ts';
import type { RecallMode } from './recall-mode.ts';
import type { RecallResult } from './recall-result.ts';
import { foreignQuestions } from './recall-selection.ts';
import type { RunFolder } from './run-folder.ts';

export interface RunOptions {
  readonly modes: readonly RecallMode[];
  /** How many results are looked at. */
  readonly limit: number;
  readonly progress: (done: number, total: number, conversation: string) => void;
  readonly signal: AbortSignal;
}

/** In the order of the cases. Throws `Interrupted`; what was done until then is in the folder. */
export async function runRecall(
  memory: MeasuredMemory,
  cases: readonly RecallCase[],
  folder: RunFolder,
  { modes, limit, progress, signal }: RunOptions,
): Promise<RecallResult[]> {
  const foreign = cases.map((_, index) => foreignQuestions(cases, index));
  const work = cases.map((one, index) => workOf(one, foreign[index] ?? [], modes));
  const total = work.reduce((sum, one) => sum + one, 0);
  const results: RecallResult[] = [];
  let before = 0;
  for (const [index, one] of cases.entries()) {
    let done = before;
    const advance = (count: number): void => {
      done += count;
      progress(done, total, `conversation ${index + 1} of ${cases.length}`);
    };
    const options = { tenantId: folder.tenantId, modes, limit, signal, progress: advance };
    const kept = await folder.read(index, one.name);
    const result = kept ?? (await measureRecall(memory, one, foreign[index] ?? [], options));
    if (kept === undefined) await folder.write(index, result);
    else advance(work[index] ?? 0);
    results.push(result);
    before += work[index] ?? 0;
  }
  return results;
}
