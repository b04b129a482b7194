/** Loaded into the service before its own code: tells what the process holds, when asked. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoadReading {
  readonly kind: 'reading';
  readonly rssBytes: number;
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
    if (message === 'collect') for (let count = 0; count < 3; count += 1) globalThis.gc?.();
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const reading: LoadReading = {
      kind: 'reading',
      rssBytes: rss,
      heapBytes: heapUsed + arrayBuffers,
      loopDelayP99Ms: late(delay.percentile(99)),
      loopDelayMaxMs: late(delay.max),
    };
    delay.reset();
    process.send?.(reading);
  });
}
