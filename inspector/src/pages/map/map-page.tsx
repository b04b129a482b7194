/** Map: not built yet. */

import type { VNode } from 'preact';
import { EmptyState } from '../../components/empty-state.tsx';

export function Page(): VNode {
  return (
    <div class="page">
      <h1>Map</h1>
      <EmptyState title="This page is not built yet" />
    </div>
  );
}
