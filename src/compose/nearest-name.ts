/** Suggests the intended name for an unknown one. */

/** How many letters must be added, dropped, replaced or swapped with the next to make one text of the other. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const dropped = (previous[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? (beforePrevious[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, dropped, added, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Past this length nothing resembles a name of ours, and comparing would only cost time. */
const LONGEST_NAME = 64;

/** The known name that looks most like this one, or undefined when none is close enough to suggest. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(bare(name), bare(candidate));
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  // One typo in a short name, a third of a long one: with more, any word resembles some other.
  return best && best.distance <= Math.max(1, bare(best.name).length / 3) ? best.name : undefined;
}

/** The dashes of a flag do not make it more like another. */
function bare(name: string): string {
  return name.toLowerCase().replace(/^-+/, '');
}

/** A sentence that suggests the nearest name, or empty: to be appended to an error message. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}
