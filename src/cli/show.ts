/** `lamina show`: one memory with everything that is kept with it. */

import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { timeFrom } from './flag-values.ts';
import { principalFrom, WHO, whichMemory } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';
import { oneLine, ownLines } from './terminal/shown-text.ts';
import { viewOf, type View } from './terminal/view.ts';

export const show: Command = {
  name: 'show',
  summary: 'Show a memory with everything that is kept with it.',
  parameters: [{ name: 'ID', description: 'The id of the memory, as lamina list and lamina search show it' }],
  flags: [
    { name: 'as-of', value: 'TIME', description: 'As it stood then; 2d is two days ago' },
    JSON_FLAG,
    ...whichMemory(),
    ...WHO,
  ],
  examples: [
    { line: 'lamina show 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88', does: 'All of it.' },
    { line: 'lamina show 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88 --json', does: 'The same for a program.' },
  ],
  async run(given) {
    const [id = ''] = given.words;
    const principal = principalFrom(given);
    const asOf = timeFrom(given, 'as-of');
    const { memory: entry } = await readMemory(given, principal, (memory) =>
      memory.get({ id, ...(asOf !== undefined && { asOf }) }),
    );
    if (entry === null) throw notThere(id);
    return answer(given, entry, () => entryText(entry, viewOf(given)));
  },
};

export function notThere(id: string): LaminaError {
  return new LaminaError('MEMORY_NOT_FOUND', `There is no memory "${id}", or it is not yours to see.`, {
    advice: 'Check the id; --user, --tenant and --url say whose memory it is.',
  });
}

const TIMES: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'lastAccessedAt',
  'validFrom',
  'validTo',
  'expiresAt',
]);

function entryText({ content, ...fields }: Entry, view: View): string {
  const rows = Object.entries(fields).filter(([, value]) => isWorthShowing(value));
  const column = Math.max(...rows.map(([name]) => name.length)) + 2;
  return [
    ownLines(content),
    '',
    ...rows.map(([name, value]) => `${view.paint('dim', name.padEnd(column))}${valueText(name, value, view)}`),
  ].join('\n');
}

function isWorthShowing(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function valueText(name: string, value: unknown, view: View): string {
  if (TIMES.has(name) && typeof value === 'string') return `${view.ago(value)} (${value})`;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return oneLine(value.join(', '));
  if (name === 'identifiers' && typeof value === 'object' && value !== null) {
    return oneLine(
      Object.entries(value)
        .map(([key, id]) => `${key} ${String(id)}`)
        .join(', '),
    );
  }
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
