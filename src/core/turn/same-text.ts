/** When two texts say the same to a reader. Pure. */

/** Equal for texts that differ only in case, white space, compatible forms or the mark at their end. */
export function sameness(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .trim();
  // What is nothing but marks is what it is.
  return plain.replace(/[.!。]+$/u, '') || plain;
}

export function isSame(a: string, b: string): boolean {
  return sameness(a) === sameness(b);
}
