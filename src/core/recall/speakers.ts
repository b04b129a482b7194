/**
 * Who is named in a question, of those who have said anything. What people say of themselves they say as "I", and hardly
 * ever with their name: so a name tells who must have said it, and is in the way of everything else.
 */

import type { Candidate } from '../../ports/entry-store.ts';
import { nameLexemes, possibleNames } from '../text/lexemes.ts';

/** More words of a query than this are not looked up as names. */
const MAX_NAMES = 16;

/** The lexemes of a query that may name a speaker. */
export function namesToLookUp(query: string): string[] {
  return [...new Set(possibleNames(query).map(({ lexeme }) => lexeme))].slice(0, MAX_NAMES);
}

/** The question as the one who is named would ask it: "What did Anna's aunt give Anna?", "What did my aunt give I?" */
export function asIfSpoken(query: string, speakers: ReadonlySet<string>): string {
  let text = '';
  let end = 0;
  for (const { lexeme, start, end: after } of possibleNames(query)) {
    if (!speakers.has(lexeme)) continue;
    const between = query.slice(end, start);
    const isSameName = end > 0 && between.trim() === '';
    const possessive = /^['’]s\b/u.exec(query.slice(after))?.[0] ?? '';
    if (isSameName) text = text.replace(/(?:I|my)$/u, '');
    else text += between;
    text += possessive === '' ? 'I' : 'my';
    end = after + possessive.length;
  }
  return text + query.slice(end);
}

/**
 * Tells of each speaker whether they are meant. Of "Anna Smith" and "John Smith" only she is by "What did Anna Smith do?": he is
 * named by less of it, and by nothing else.
 */
export function namedSpeakers(
  candidates: readonly Candidate[],
  names: ReadonlySet<string>,
): (speaker: string) => boolean {
  const speakers = new Set<string>();
  for (const { said } of candidates) if (said?.speaker !== undefined) speakers.add(said.speaker);
  const matched = new Map(
    [...speakers].map((speaker) => [speaker, new Set(nameLexemes(speaker).filter((lexeme) => names.has(lexeme)))]),
  );
  const isLess = (own: ReadonlySet<string>): boolean =>
    [...matched.values()].some((other) => other.size > own.size && own.isSubsetOf(other));
  const named = new Set([...matched].filter(([, own]) => own.size > 0 && !isLess(own)).map(([speaker]) => speaker));
  return (speaker) => named.has(speaker);
}
