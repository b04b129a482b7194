/** That what is shown is followed as it changes, as long as the service answers. */

import type { VNode } from 'preact';
import { isReachable } from '../api/reachable.ts';

export function LiveMark(): VNode {
  return (
    <span class="quiet" role="status">
      <i class={isReachable.value ? 'live-dot' : 'live-dot is-cut'} /> {isReachable.value ? 'live' : 'cut off'}
    </span>
  );
}
