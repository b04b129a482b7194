/** How results differ between two searches. */

export type Move = { readonly kind: 'same' | 'new' | 'gone' } | { readonly kind: 'up' | 'down'; readonly by: number };

/** What became of each id of `here`, seen from `there`: moved, new here, or the same. */
export function movesOf(here: readonly string[], there: readonly string[]): ReadonlyMap<string, Move> {
  const places = new Map(there.map((id, at) => [id, at]));
  return new Map(here.map((id, at) => [id, moveOf(at, places.get(id))]));
}

function moveOf(at: number, before: number | undefined): Move {
  if (before === undefined) return { kind: 'new' };
  if (before === at) return { kind: 'same' };
  return before > at ? { kind: 'up', by: before - at } : { kind: 'down', by: at - before };
}

export function moveText(move: Move): string {
  if (move.kind === 'up') return `↑${move.by}`;
  if (move.kind === 'down') return `↓${move.by}`;
  return move.kind === 'same' ? '=' : move.kind;
}
