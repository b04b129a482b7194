/** Loaded into the service before its own code: tells what the process holds, when asked. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface LoadReading {
  readonly kind: 'reading';
  readonly rssBytes: number;
  /** Of it, without what lies in the heap and is not in use: garbage, and room that V8 keeps for the next. */
  readonly heldBytes: number;
  /** With the vectors that are remembered, which lie beside it. */
  readonly heapBytes: number;
  /** Since it was asked last; a timer of ten milliseconds that comes in time counts as 0. */
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
}

const RESOLUTION_MS = 10;

if (process.send) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('message', (message) => {
    if (message !== 'read' && message !== 'collect') return;
    // A plain collection keeps the pages that it has emptied: a hundred MiB and more, for the next garbage.
    if (message === 'collect') globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const { total_physical_size: heapResident } = getHeapStatistics();
    const reading: LoadReading = {
      kind: 'reading',
      rssBytes: rss,
      heldBytes: rss - heapResident + heapUsed,
      heapBytes: heapUsed + arrayBuffers,
      loopDelayP99Ms: late(delay.percentile(99)),
      loopDelayMaxMs: late(delay.max),
    };
    delay.reset();
    process.send?.(reading);
  });
  // A service that does not come about must not wait for questions.
  process.channel?.unref();
}
