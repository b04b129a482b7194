/**
 * In a person's own memory "I", "the user" and their name are the same person, but not to an embedding model: to it "Where do I live?" is far
 * from "Ada lives in Oslo". So what is told there in the third person is embedded in the first: "I lives in Oslo". The grammar is wrong and the
 * meaning right. English only.
 */

import { STOP_WORDS } from './stop-words.ts';

/** Longer texts are documents and tell of more than one person. */
const MAX_CHARACTERS = 500;

/** "The user" and "the user's name", but neither "the user name" nor "the user-friendly". */
const THE_USER =
  /\bthe user(?:(?<own>['’]s)\b|\b(?!['’]s\b|-| (?:account|agent|base|data|experience|group|guide|id|input|interface|manual|model|name|profile|role|service|session|story|stories|table|type)s?\b))/giu;

/** "User likes tea" and "User's cat", but neither "User stories" nor "User needs are many". */
const USER_FIRST =
  /(?<=(?:^|\n)\s*(?:[-*•]\s+)?|[.!?;:]\s+)user(?:(?<own>['’]s)\b|(?= (?:is|was|has|had|did|does|will|would|can|could|cannot|should|must|may|might|always|also|often|usually|never|now|currently|(?!(?:accounts|details|groups|names|preferences|roles|sessions|settings|stories|tests)\b|needs(?:[.!?]|$| (?:analysis|and|are|assessment|is|of|were)\b))[a-z]+(?:s|ed))\b))/giu;

/** Ids that look like a name and are none. */
const NOBODY =
  /^(?:admin|agent|anonymous|assistant|bot|client|customer|default|demo|guest|local|me|owner|root|service|system|test|tester|user)$/;

const NAME = /^\p{L}{2,30}$/u;

/** Those of the user who was asked for last: a batch is one user's, and each of its texts is asked for several times. */
let latest: { readonly userId: string; readonly names: readonly string[] } = { userId: '', names: [] };

/** The first and perhaps the last name of whoever has this id, as they are written; none where it tells no name. */
export function namesOf(userId: string): readonly string[] {
  if (latest.userId !== userId) latest = { userId, names: namesIn(userId) };
  return latest.names;
}

/** Of "ada", and of "ada.lovelace@example.com". */
function namesIn(userId: string): readonly string[] {
  const [address = '', host] = userId.toLowerCase().split('@');
  const names = host === undefined ? [address] : address.split('.');
  const isName = (name: string): boolean => NAME.test(name) && !STOP_WORDS.has(name) && !NOBODY.test(name);
  return names.length <= 2 && names.every(isName)
    ? names.map((name) => name.charAt(0).toUpperCase() + name.slice(1))
    : [];
}

const oneself = (...match: unknown[]): string => ((match.at(-1) as { own?: string }).own === undefined ? 'I' : 'my');

function withoutName(text: string, userId: string, flags: 'gu' | 'giu'): string {
  const [first, last] = namesOf(userId);
  if (first === undefined) return text;
  // Most texts name nobody, and an expression takes longer to build than to use.
  const isNamed = flags === 'gu' ? text.includes(first) : text.toLowerCase().includes(first.toLowerCase());
  if (!isNamed) return text;
  const name = last === undefined ? first : `${first}(?: ${last})?`;
  // Anna is not Anna-Maria.
  const whole = `(?<![\\p{L}\\p{N}]|\\p{L}-)${name}(?<own>['’]s)?(?![\\p{L}\\p{N}]|-\\p{L})`;
  return text.replace(new RegExp(whole, flags), oneself);
}

function inFirstPerson(text: string, userId: string, flags: 'gu' | 'giu'): string {
  if (text.length > MAX_CHARACTERS) return text;
  const named = withoutName(text, userId, flags);
  return /user/i.test(named) ? named.replace(THE_USER, oneself).replace(USER_FIRST, oneself) : named;
}

/** A text of this user's memory as they would tell it. */
export function toldByOneself(text: string, userId: string): string {
  return inFirstPerson(text, userId, 'gu');
}

/** A question about this user as they would ask it; names in questions are often not capitalised. */
export function askedByOneself(question: string, userId: string): string {
  return inFirstPerson(question, userId, 'giu');
}

const POSSIBLE_NAME = /(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+(?=(?<last> \p{Lu}\p{Ll}+)?)/gu;

/** Everything that {@link toldByOneself} can make of a text, whoever's memory it is in. */
export function tellingsOf(text: string): string[] {
  const tellings = new Set([text, toldByOneself(text, '')]);
  if (text.length <= MAX_CHARACTERS) {
    for (const { 0: first, groups } of text.matchAll(POSSIBLE_NAME)) {
      tellings.add(toldByOneself(text, first));
      if (groups?.['last'] !== undefined) tellings.add(toldByOneself(text, `${first}.${groups['last'].trim()}@`));
    }
  }
  return [...tellings];
}
