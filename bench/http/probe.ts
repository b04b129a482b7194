/** Loaded into a server before its own code: tells the benchmark what the process spends, when asked. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface ProbeReading {
  readonly kind: 'reading';
  /** Of all threads, since the process began. */
  readonly cpuMicroseconds: number;
  /** 99th percentile since it was asked last; a timer of one millisecond that comes in time counts as 0. */
  readonly loopDelayP99Ms: number;
}

const RESOLUTION_MS = 1;

if (process.send) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on('message', (message) => {
    if (message !== 'read') return;
    const { user, system } = process.cpuUsage();
    const late = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS);
    delay.reset();
    process.send?.({ kind: 'reading', cpuMicroseconds: user + system, loopDelayP99Ms: late } satisfies ProbeReading);
  });
}
