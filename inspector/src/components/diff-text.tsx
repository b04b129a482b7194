/** A text with what was added and removed since another, by words. */

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { wordDiff } from './word-diff.ts';

export function DiffText({ before, after }: { readonly before: string; readonly after: string }): VNode {
  const parts = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <p class="memory-text">
      {parts.map(({ text, kind }, at) => {
        if (kind === 'added') return <ins key={at}>{text}</ins>;
        if (kind === 'removed') return <del key={at}>{text}</del>;
        return <span key={at}>{text}</span>;
      })}
    </p>
  );
}
