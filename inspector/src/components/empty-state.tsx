/** Nothing here yet: says so, and what the next step would be. */

import type { ComponentChildren, VNode } from 'preact';
import { CopyButton } from './copy-button.tsx';

interface EmptyStateProps {
  readonly title: string;
  /** A command to paste, which would put something here. */
  readonly command?: string;
  readonly children?: ComponentChildren;
}

export function EmptyState({ title, command, children }: EmptyStateProps): VNode {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
      {command !== undefined && (
        <div class="command">
          <pre tabIndex={0}>{command}</pre>
          <CopyButton text={command} label="Copy the command" />
        </div>
      )}
    </div>
  );
}
