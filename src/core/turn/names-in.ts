/** What a message may name: its word sequences, in the spellings in which names are written down. Pure. */

import { nameSpellings } from '../../domain/name-spellings.ts';
import { placedWords, type PlacedWord } from '../text/lexemes.ts';
import { STOP_WORDS } from '../text/stop-words.ts';

/** A name has so many words at most. */
const MAX_WORDS = 4;

/** Of a long message those at its beginning, and as many at its end. */
const MAX_LOOKED_AT = 40;

export function namesIn(message: string): string[] {
  const words = placedWords(message);
  const isLong = words.length > 2 * MAX_LOOKED_AT;
  const parts = isLong ? [words.slice(0, MAX_LOOKED_AT), words.slice(-MAX_LOOKED_AT)] : [words];
  return [...new Set(parts.flatMap(sequencesOf).flatMap((sequence) => spellingsOf(message, sequence)))];
}

/** No name ends with a stop word. One begins with it where a capital follows: The Hague. */
function sequencesOf(words: readonly PlacedWord[]): PlacedWord[][] {
  return words.flatMap((first, at) => {
    if (isStopWord(first) && !/^\p{Lu}/u.test(words[at + 1]?.word ?? '')) return [];
    const sequences = Array.from({ length: MAX_WORDS }, (_, more) => words.slice(at, at + more + 1));
    return sequences.filter((sequence, more) => {
      const last = sequence[more];
      return last !== undefined && !isStopWord(last);
    });
  });
}

function isStopWord({ word }: PlacedWord): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

function spellingsOf(message: string, sequence: readonly PlacedWord[]): string[] {
  return nameSpellings(message.slice(sequence[0]?.start, sequence.at(-1)?.end), sequence.length);
}
