/** `lamina history`: the versions of a memory, each with what it changed. */

import type { Version } from '../domain/browse.ts';
import type { Entry } from '../domain/entry.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { principalFrom, WHO, whichMemory } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';
import { notThere } from './show.ts';
import { oneLine, ownLines } from './terminal/shown-text.ts';
import { plain, type Paint } from './terminal/style.ts';
import { viewOf, type View } from './terminal/view.ts';
import { wordDifference, type Piece } from './terminal/word-difference.ts';

export const history: Command = {
  name: 'history',
  summary: 'Show the versions of a memory, and what each changed.',
  parameters: [{ name: 'ID', description: 'The id of the memory' }],
  flags: [JSON_FLAG, ...whichMemory(), ...WHO],
  examples: [
    { line: 'lamina history 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88', does: 'Newest first, word by word.' },
    { line: 'lamina history 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88 --json', does: 'Every version whole, for a program.' },
  ],
  notes: 'Without colour, what was taken out stands in [- -], and what was put in in {+ +}.',
  async run(given) {
    const [id = ''] = given.words;
    const { versions } = await readMemory(given, principalFrom(given), (memory) => memory.versions({ id }));
    if (versions.length === 0) throw notThere(id);
    return answer(given, { versions }, () => historyText(versions, viewOf(given)));
  },
};

/** What changes by itself, or is told otherwise. */
const UNTOLD: ReadonlySet<string> = new Set([
  'content',
  'contentHash',
  'version',
  'previousVersion',
  'updatedAt',
  'accessCount',
  'lastAccessedAt',
  'currentRelevance',
]);

function historyText(versions: readonly Version[], view: View): string {
  return versions
    .map(({ memory }, index) => {
      const before = versions[index + 1]?.memory;
      const title = `${view.paint('bold', `Version ${memory.version}`)}  ${view.ago(memory.updatedAt)}  ${view.paint('dim', memory.updatedAt)}`;
      return [title, contentText(memory, before, view.paint), ...fieldLines(memory, before)].join('\n');
    })
    .join('\n\n');
}

function contentText(memory: Entry, before: Entry | undefined, paint: Paint): string {
  if (before === undefined) return ownLines(memory.content);
  if (before.content === memory.content) return paint('dim', 'The text is the same.');
  return wordDifference(ownLines(before.content), ownLines(memory.content))
    .map((piece) => pieceText(piece, paint))
    .join('');
}

function pieceText({ sort, text }: Piece, paint: Paint): string {
  if (sort === 'same') return text;
  if (paint === plain) return sort === 'removed' ? `[-${text}-]` : `{+${text}+}`;
  return sort === 'removed' ? paint(['red', 'strikethrough'], text) : paint('green', text);
}

function fieldLines(memory: Entry, before: Entry | undefined): string[] {
  if (before === undefined) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(memory)])].filter((name) => !UNTOLD.has(name));
  return names.flatMap((name) => {
    const [old, now] = [shownField(before, name), shownField(memory, name)];
    return old === now ? [] : [`  ${name}: ${old} → ${now}`];
  });
}

function shownField(memory: Entry, name: string): string {
  const value: unknown = Object.entries(memory).find(([key]) => key === name)?.[1];
  if (value === undefined) return '–';
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
