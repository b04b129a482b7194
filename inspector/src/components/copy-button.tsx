/** Copies a text. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class="icon-button icon-button-small"
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
      onClick={() => void copy().catch(() => undefined)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}
