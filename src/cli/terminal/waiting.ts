/** Says on a terminal that something is being done, once it takes longer than a moment. */

import type { Given } from '../command.ts';
import { CLEAR_LINE } from './progress-bar.ts';

const EVERY_MS = 1000;

/** For what cannot be counted; a progress bar is for the rest. */
export async function whileWaiting<T>({ terminal: { stderr } }: Given, label: string, work: Promise<T>): Promise<T> {
  if (!stderr.isTTY) return work;
  const startedAt = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    stderr.write(`${CLEAR_LINE}${label} … ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) stderr.write(CLEAR_LINE);
  }
}
