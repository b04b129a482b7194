/** Grey shapes of the size of what is being loaded, so that nothing jumps when it comes. */

import type { VNode } from 'preact';

export function Skeleton({
  rows = 3,
  kind = 'line',
}: {
  readonly rows?: number;
  readonly kind?: 'line' | 'card';
}): VNode {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <div class={`skeleton-${kind}`} key={at} />
      ))}
    </div>
  );
}

export function PageSkeleton(): VNode {
  return (
    <div class="page">
      <Skeleton rows={6} kind="card" />
    </div>
  );
}
