/** Names are stored and looked up as written. These are the other spellings that a caller may mean. */

/** A longer name is not an abbreviation. */
const MAX_ABBREVIATION = 5;

/** As given first, then in lower case, capitalised, as an identifier or an abbreviation. */
export function nameSpellings(name: string, wordCount: number = name.split(/\s+/u).length): string[] {
  const written = name.replace(/\s+/gu, ' ');
  const small = written.toLowerCase();
  const capital = small.replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  const others =
    wordCount > 1
      ? [small.replaceAll(' ', '_'), small.replaceAll(' ', '-')]
      : written.length <= MAX_ABBREVIATION
        ? [written.toUpperCase()]
        : [];
  return [...new Set([written, small, capital, ...others])];
}
