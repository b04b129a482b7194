/** `lamina bench`: measures memory on data of one's own choice. */

import { didYouMean } from '../compose/nearest-name.ts';
import { recallHelp } from './bench/recall-flags.ts';
import { usageError, type Command } from './command.ts';

export const bench: Command = {
  name: 'bench',
  summary: 'Measure how well memory finds things again: lamina bench recall',
  help: () => [bench.summary, '', ...recallHelp(), ''].join('\n'),
  async run(args) {
    const [what, ...rest] = args;
    if (what !== 'recall') {
      const problem = what === undefined ? 'Say what to measure: recall.' : `"${what}" cannot be measured.`;
      throw usageError(`${problem}${didYouMean(what ?? '', ['recall'])}`, bench.name);
    }
    const { benchRecall } = await import('./bench/bench-recall.ts');
    return benchRecall(rest);
  },
};
