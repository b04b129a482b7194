/** How much has been gone through, of what nobody has counted before. */

import type { Given } from '../command.ts';
import { progressBar } from './progress-bar.ts';

export interface ProgressLines {
  /** So many more of something. */
  add(what: string, count: number): void;
  clear(): void;
}

/** On the standard error of a command. */
export function progressLines(given: Given): ProgressLines {
  const bar = progressBar(given);
  let [what, sum] = ['', 0];
  return {
    add: (name, count) => {
      sum = name === what ? sum + count : count;
      what = name;
      if (sum > 0) bar.show({ done: sum, label: name });
    },
    clear: () => bar.clear(),
  };
}
