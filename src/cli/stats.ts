/** `lamina stats`: how much memory there is, of what sort, and how it grows. */

import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { countFrom } from './flag-values.ts';
import { adminFrom, principalFrom, WHO, whichMemory } from './memory-flags.ts';
import { memoryName, readMemory } from './open-memory.ts';
import { statsText } from './stats-text.ts';
import { viewOf } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';

const MOST_DAYS = 366;

export const stats: Command = {
  name: 'stats',
  summary: 'Count memories by layer and kind, and show how they grow.',
  flags: [
    { name: 'of-tenant', description: 'All of the tenant, and not only what you may see. For administrators' },
    { name: 'days', value: 'N', description: 'Days of growth', fallback: '30' },
    JSON_FLAG,
    ...whichMemory(),
    ...WHO,
  ],
  examples: [
    { line: 'lamina stats', does: 'Of what you may see.' },
    { line: 'lamina stats --of-tenant --days 7 --json', does: 'Of the whole tenant, for a program.' },
  ],
  async run(given) {
    const isOfTenant = given.has('of-tenant');
    const days = countFrom(given, 'days', 1, MOST_DAYS);
    const principal = isOfTenant ? adminFrom(given) : principalFrom(given);
    const input = { of: isOfTenant ? ('tenant' as const) : ('mine' as const), ...(days !== undefined && { days }) };
    const counted = await whileWaiting(
      given,
      'Counting',
      readMemory(given, principal, (memory) => memory.stats(input)),
    );
    const name = await memoryName(given);
    return answer(given, counted, () => `${name}\n${statsText(counted, viewOf(given))}`);
  },
};
