/** A command line that a person can copy into a shell, whatever the names in it are. Pure. */

import { isShown } from './shown-text.ts';

/** Nothing in it means anything to a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quoted where a shell needs it. What a terminal would not show, or take for a command to it, is written as its bytes. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (PLAIN.test(word)) return word;
  if (isShown(word)) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(word, 'utf8')].map((byte) => String.raw`\x` + byte.toString(16).padStart(2, '0'));
  return `$'${bytes.join('')}'`;
}
