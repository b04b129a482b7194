/** Names are stored as they were written, and looked up so: in which spellings else somebody may mean them. */

/** What is longer is no abbreviation. */
const MAX_ABBREVIATION = 5;

/** As here first, then in small letters, with capitals, as an identifier or an abbreviation. */
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
