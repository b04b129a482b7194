/** `lamina bench`: measures memory on data of one's own choice. */

import { didYouMean } from '../compose/nearest-name.ts';
import { recallHelp } from './bench/recall-flags.ts';
import { replayHelp } from './bench/replay-flags.ts';
import { usageError, type Command } from './command.ts';

const MEASURED = {
  recall: async (args: readonly string[]) => (await import('./bench/bench-recall.ts')).benchRecall(args),
  replay: async (args: readonly string[]) => (await import('./bench/bench-replay.ts')).benchReplay(args),
};

const NAMES = Object.keys(MEASURED) as (keyof typeof MEASURED)[];

export const bench: Command = {
  name: 'bench',
  summary: 'Measure how well memory finds things again: lamina bench recall, lamina bench replay',
  help: () => [bench.summary, '', ...recallHelp(), '', ...replayHelp(), ''].join('\n'),
  async run(args) {
    const [what, ...rest] = args;
    const name = NAMES.find((each) => each === what);
    if (name !== undefined) return MEASURED[name](rest);
    const problem =
      what === undefined ? `Say what to measure: ${NAMES.join(' or ')}.` : `"${what}" cannot be measured.`;
    throw usageError(`${problem}${didYouMean(what ?? '', NAMES)}`, bench.name);
  },
};
