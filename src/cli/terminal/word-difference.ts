/** What was taken out of a text and what was put in, word by word. Pure. */

export interface Piece {
  readonly sort: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Of the table of the longest common sequence: beyond it the middle is told as replaced whole. */
const MAX_CELLS = 4_000_000;

/** Words, blanks and signs, each for itself. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

export function wordDifference(before: string, after: string): Piece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const isSameAtEnd = (): boolean => old[old.length - 1 - end] === now[now.length - 1 - end];
  while (end < old.length - start && end < now.length - start && isSameAtEnd()) end += 1;
  return joined([
    { sort: 'same', text: old.slice(0, start).join('') },
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    { sort: 'same', text: old.slice(old.length - end).join('') },
  ]);
}

function middle(old: readonly string[], now: readonly string[]): Piece[] {
  if (old.length * now.length > MAX_CELLS) {
    return [
      { sort: 'removed', text: old.join('') },
      { sort: 'added', text: now.join('') },
    ];
  }
  const longest = commonLengths(old, now);
  const pieces: Piece[] = [];
  const width = now.length + 1;
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [removed, added] = [old[i], now[j]];
    if (removed !== undefined && removed === added) {
      pieces.push({ sort: 'same', text: removed });
      i += 1;
      j += 1;
    } else if (
      added === undefined ||
      (removed !== undefined && at(longest, (i + 1) * width + j) >= at(longest, i * width + j + 1))
    ) {
      pieces.push({ sort: 'removed', text: removed ?? '' });
      i += 1;
    } else {
      pieces.push({ sort: 'added', text: added });
      j += 1;
    }
  }
  return pieces;
}

/** How long the longest common sequence is from each place on, row by row. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        old[i] === now[j]
          ? at(table, (i + 1) * width + j + 1) + 1
          : Math.max(at(table, (i + 1) * width + j), at(table, i * width + j + 1));
    }
  }
  return table;
}

function at(table: Uint32Array, index: number): number {
  return table[index] ?? 0;
}

/** Neighbours of one sort as one piece; within a change what was removed comes first, blanks between changes with them. */
function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  let removed = '';
  let added = '';
  const flush = (): void => {
    if (removed !== '') found.push({ sort: 'removed', text: removed });
    if (added !== '') found.push({ sort: 'added', text: added });
    removed = '';
    added = '';
  };
  for (const [index, { sort, text }] of pieces.entries()) {
    if (text === '') continue;
    const isBetween = /^\s+$/.test(text) && (removed !== '' || added !== '') && nextSort(pieces, index) !== 'same';
    if (sort === 'removed') removed += text;
    else if (sort === 'added') added += text;
    else if (isBetween) {
      removed += text;
      added += text;
    } else {
      flush();
      const last = found.at(-1);
      if (last?.sort === 'same') found[found.length - 1] = { sort: 'same', text: last.text + text };
      else found.push({ sort: 'same', text });
    }
  }
  flush();
  return found;
}

function nextSort(pieces: readonly Piece[], index: number): Piece['sort'] {
  return pieces.slice(index + 1).find(({ text }) => text !== '')?.sort ?? 'same';
}
