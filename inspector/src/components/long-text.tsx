/** What is remembered, of which a long one is shown in full when it is asked for. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Half a screen of it. */
const LONG = 600;

interface LongTextProps {
  readonly text: string;
  readonly as?: 'h1' | 'h2' | 'p';
  readonly class?: string;
}

export function LongText({ text, as: Element = 'p', class: className = '' }: LongTextProps): VNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG;
  return (
    <>
      <Element class={`memory-text ${className}`}>{isLong && !isWhole ? `${beginning(text)}…` : text}</Element>
      {isLong && (
        <button
          type="button"
          class="button button-small long-text-more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  );
}

/** Half of a surrogate pair is no character. */
function beginning(text: string): string {
  return text.slice(0, LONG).replace(/[\ud800-\udbff]$/, '');
}
