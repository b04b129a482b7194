/** A text with words marked. Text stays text: it never becomes HTML. */

import { Fragment, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';

interface Part {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Whole words only: `run` is not marked within `prune`. */
function markedParts(text: string, words: readonly string[]): Part[] {
  const wanted = words.filter((word) => word !== '').map((word) => RegExp.escape(word));
  if (wanted.length === 0) return [{ text, isMarked: false }];
  const longestFirst = wanted.toSorted((a, b) => b.length - a.length).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${longestFirst})(?![\\p{L}\\p{N}_])`, 'giu');
  return text
    .split(pattern)
    .map((part, at) => ({ text: part, isMarked: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}

interface MarkedTextProps {
  readonly text: string;
  readonly words?: readonly string[] | undefined;
}

export function MarkedText({ text, words = [] }: MarkedTextProps): VNode {
  const parts = useMemo(() => markedParts(text, words), [text, words]);
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>{part.isMarked ? <mark>{part.text}</mark> : part.text}</Fragment>
      ))}
    </>
  );
}
