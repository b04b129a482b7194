/**
 * Who is named in a question, of those who have said anything. What people say of themselves they say as "I", and hardly
 * ever with their name: so a name tells who must have said it, and is in the way of everything else.
 */

import type { Candidate } from '../../ports/entry-store.ts';
import { lexemesOf, nameLexemes, possibleNames } from '../text/lexemes.ts';

/** More words of a query than this are not looked up as names. */
const MAX_NAMES = 16;

/** The lexemes of a query that may name a speaker. */
export function namesToLookUp(query: string): string[] {
  return [...new Set(possibleNames(query).map(({ lexeme }) => lexeme))].slice(0, MAX_NAMES);
}

/** Names of a query as its words are looked for in texts, where Mum is mom and Grey is gray. */
export function termsOfNames(query: string, names: ReadonlySet<string>): Set<string> {
  const named = possibleNames(query).filter(({ lexeme }) => names.has(lexeme));
  return new Set(named.flatMap(({ lexeme, start, end }) => [lexeme, ...lexemesOf(query.slice(start, end))]));
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

/** Who is named after another is told about, or was told; what is asked for they say less often. */
const NAMED_LATER = 0.4;

/** What may stand between names that are named together: "Anna and Bela", "Anna's, Bela's or". */
const TOGETHER = /^(?:['’]s)?[\s,]*(?:(?:and|or|&)[\s,]*)?$/iu;

/** Of the names in a question those that are named first, alone or together. */
function namedFirst(question: string, names: ReadonlySet<string>): ReadonlySet<string> {
  const first = new Set<string>();
  let end: number | undefined;
  for (const { lexeme, start, end: after } of possibleNames(question)) {
    if (!names.has(lexeme)) continue;
    if (end !== undefined && !TOGETHER.test(question.slice(end, start))) break;
    first.add(lexeme);
    end = after;
  }
  return first;
}

/**
 * Tells of each speaker how much they are meant: who is named first entirely, who is named later less, others not at all. Of
 * "Anna Smith" and "John Smith" only she is by "What did Anna Smith do?": he is named by less of it, and by nothing else.
 */
export function namedSpeakers(
  candidates: readonly Candidate[],
  question: string,
  names: ReadonlySet<string>,
): (speaker: string) => number {
  const speakers = new Set<string>();
  for (const { said } of candidates) if (said?.speaker !== undefined) speakers.add(said.speaker);
  const matched = new Map(
    [...speakers].map((speaker) => [speaker, new Set(nameLexemes(speaker).filter((lexeme) => names.has(lexeme)))]),
  );
  const isLess = (own: ReadonlySet<string>): boolean =>
    [...matched.values()].some((other) => other.size > own.size && own.isSubsetOf(other));
  const first = namedFirst(question, names);
  const shares = new Map(
    [...matched]
      .filter(([, own]) => own.size > 0 && !isLess(own))
      .map(([speaker, own]) => [speaker, own.isSubsetOf(first) ? 1 : NAMED_LATER]),
  );
  return (speaker) => shares.get(speaker) ?? 0;
}
