/** A text of any length as a query. */

/** At most so many characters, without splitting one. A question about a long text is usually at its beginning or end. */
export function queryText(text: string, maxLength: number): string {
  const characters = [...text.trim()];
  if (characters.length <= maxLength) return characters.join('');
  const half = Math.floor((maxLength - 1) / 2);
  const [head, tail] = [characters.slice(0, half), characters.slice(characters.length - half)];
  return `${head.join('')}\n${tail.join('')}`.trim() || characters.slice(0, maxLength).join('');
}
