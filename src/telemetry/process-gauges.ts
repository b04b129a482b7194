/** How this process is: its event loop, its memory, its CPU time. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Instruments } from './instruments.ts';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** Returns how to stop. What is read while `isGlance` says so counts as not read. */
export function addProcessGauges(instruments: Instruments, isGlance = (): boolean => false): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  addDelays(instruments, delays, isGlance);
  instruments.growing('process.cpu.time', (observed) => {
    const { user, system } = process.cpuUsage();
    observed.observe(user / MICROSECONDS, { 'cpu.mode': 'user' });
    observed.observe(system / MICROSECONDS, { 'cpu.mode': 'system' });
  });
  instruments.gauge('process.memory.usage', (observed) => {
    const { rss, heapUsed, external } = process.memoryUsage();
    observed.observe(rss, { kind: 'rss' });
    observed.observe(heapUsed, { kind: 'heap' });
    observed.observe(external, { kind: 'external' });
  });
  return () => delays.disable();
}

/** Beyond the resolution of the timer by which it is measured. Each reading is of the time since the one before. */
function addDelays(
  instruments: Instruments,
  delays: ReturnType<typeof monitorEventLoopDelay>,
  isGlance: () => boolean,
): void {
  const late = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0;
  instruments.gauge('nodejs.eventloop.delay.mean', (observed) => observed.observe(late(delays.mean)));
  instruments.gauge('nodejs.eventloop.delay.p99', (observed) => observed.observe(late(delays.percentile(99))));
  instruments.gauge('nodejs.eventloop.delay.max', (observed) => {
    observed.observe(late(delays.max));
    if (isGlance()) return;
    // Next turn: the other two may not have been asked yet.
    setImmediate(() => delays.reset());
  });
}
