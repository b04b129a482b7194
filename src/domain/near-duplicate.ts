/** What tells two texts apart that look alike to an embedding. Pure. */

/** The cosine similarity from which two texts may say the same. */
export const NEAR_DUPLICATE_SIMILARITY = 0.92;

/** Letters and digits, and the separators within a figure: "1,001", "3.14", "2026-01-02", "12:30", "-5", "20%". */
const WORD = /(?:(?<![\p{L}\p{M}\p{N}])-)?[\p{L}\p{M}\p{N}]+(?:[.,:/'’_-][\p{L}\p{M}\p{N}]+)*%?/gu;
const DIGIT = /\p{N}/u;

/**
 * Whether both have the same words with a digit in them, each as often, in any order. "Order 1001" and "Order 1002" are
 * nearly the same to an embedding, and never say the same.
 */
export function sameFigures(a: string, b: string): boolean {
  const left = figures(a);
  const right = figures(b);
  return left.length === right.length && left.every((figure, at) => figure === right[at]);
}

function figures(text: string): string[] {
  const words = text.normalize('NFKC').replaceAll('−', '-').toLowerCase().match(WORD) ?? [];
  return words.filter((word) => DIGIT.test(word)).toSorted();
}
