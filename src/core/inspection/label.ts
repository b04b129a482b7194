/** The beginning of a text in one line, by which people know it again. */

import { LABEL_LENGTH } from '../../domain/inspection.ts';

/** Enough to find so many characters in, also where much of it is white space. */
const LOOKED_AT = 4 * LABEL_LENGTH;

export function labelOf(text: string): string {
  const line = text.slice(0, LOOKED_AT).replace(/\s+/gu, ' ').trim();
  // By code points: half of a surrogate pair is no character.
  return line.length <= LABEL_LENGTH ? line : [...line].slice(0, LABEL_LENGTH).join('').trimEnd();
}
