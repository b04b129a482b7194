/** How far something has come, in a word with a colour and a shape. */

import type { VNode } from 'preact';

type Work = 'cancelled' | 'completed' | 'done' | 'failed' | 'paused' | 'pending' | 'ready' | 'running' | 'waiting';

export function WorkStatus({ status, children }: { readonly status: Work; readonly children?: string }): VNode {
  return <span class={`badge work-${status}`}>{children ?? status}</span>;
}
