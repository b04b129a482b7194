/** What changed between two texts, by words. */

export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed';
}

/** More cells than this would be felt; then the middle is told as replaced. */
const MAX_CELLS = 4_000_000;

export function wordDiff(before: string, after: string): DiffPart[] {
  const [a, b] = [words(before), words(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return joined([
    ...a.slice(0, start).map(same),
    ...(left.length * right.length > MAX_CELLS ? replaced(left, right) : aligned(left, right)),
    ...a.slice(a.length - end).map(same),
  ]);
}

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_'’]+|[^\s\p{L}\p{N}_'’]/gu) ?? [];
}

function same(text: string): DiffPart {
  return { text, kind: 'same' };
}

function replaced(left: readonly string[], right: readonly string[]): DiffPart[] {
  return [
    { text: left.join(''), kind: 'removed' },
    { text: right.join(''), kind: 'added' },
  ];
}

/** By their longest common subsequence. */
function aligned(left: readonly string[], right: readonly string[]): DiffPart[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] =
        left[i] === right[j]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [one, other] = [left[i], right[j]];
    const at = i * width + j;
    if (one !== undefined && one === other) {
      parts.push(same(one));
      i += 1;
      j += 1;
    } else if (one !== undefined && (other === undefined || (lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0))) {
      parts.push({ text: one, kind: 'removed' });
      i += 1;
    } else {
      parts.push({ text: other ?? '', kind: 'added' });
      j += 1;
    }
  }
  return parts;
}

/** Neighbours of one kind as one part. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) result[result.length - 1] = { ...last, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
