/** Whether the process is overloaded: requests are then refused while it can still answer. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LaminaError } from '../domain/error.ts';
import type { ServiceLimits } from './service-limits.ts';

type PressureLimits = Pick<ServiceLimits, 'loopDelayMs' | 'heapBytes' | 'rssBytes'>;

const SAMPLE_MS = 1000;
const RESOLUTION_MS = 10;

/** Consecutive samples that must exceed a limit: one or two long statements are no reason to refuse requests. */
const SAMPLES = 3;

const RETRY_AFTER_MS = 2000;

export interface PressureReading {
  readonly loopDelayMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export class Pressure {
  readonly #limits: PressureLimits;
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;
  #over = 0;
  #reason = '';

  constructor(limits: PressureLimits) {
    this.#limits = limits;
  }

  start(): void {
    const { loopDelayMs, heapBytes, rssBytes } = this.#limits;
    if (Math.max(loopDelayMs, heapBytes, rssBytes) === 0) return;
    this.#delay.enable();
    this.#timer = setInterval(() => this.see(this.#read()), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  get isHigh(): boolean {
    return this.#over >= SAMPLES;
  }

  /** Throws `UNAVAILABLE` while overloaded. */
  assertBearable(): void {
    if (!this.isHigh) return;
    const message = `The service has more to do than it can (${this.#reason}). Try again shortly.`;
    throw new LaminaError('UNAVAILABLE', message, { details: { retryAfterMs: RETRY_AFTER_MS } });
  }

  /** Takes a sample into account. */
  see(reading: PressureReading): void {
    const reasons: Readonly<Record<keyof PressureReading, string>> = {
      loopDelayMs: 'its event loop is late',
      heapBytes: 'its heap is full',
      rssBytes: 'its memory is full',
    };
    const over = (Object.keys(reasons) as (keyof PressureReading)[]).find(
      (name) => this.#limits[name] > 0 && reading[name] > this.#limits[name],
    );
    this.#over = over === undefined ? 0 : this.#over + 1;
    this.#reason = over === undefined ? '' : reasons[over];
  }

  #read(): PressureReading {
    const loopDelayMs = Math.max(0, this.#delay.percentile(99) / 1e6 - RESOLUTION_MS);
    this.#delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    return { loopDelayMs, heapBytes: heapUsed, rssBytes: rss };
  }
}
