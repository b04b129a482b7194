/** `lamina bench`: measures memory on data of one's own choice. */

import { RECALL_COMMAND } from './bench/recall-flags.ts';
import { REPLAY_COMMAND } from './bench/replay-flags.ts';
import type { Command } from './command.ts';

export const bench: Command = {
  name: 'bench',
  summary: 'Measure how well memory finds things again.',
  flags: [],
  examples: [
    { line: 'lamina bench recall --dataset locomo locomo10.json', does: 'Measures recall on a public data set.' },
    { line: 'lamina bench replay --mode keyword', does: 'Asks recorded searches again, in another way.' },
  ],
  commands: [
    {
      ...RECALL_COMMAND,
      run: async (given) => (await import('./bench/bench-recall.ts')).benchRecall(given),
    },
    {
      ...REPLAY_COMMAND,
      run: async (given) => (await import('./bench/bench-replay.ts')).benchReplay(given),
    },
  ],
};
