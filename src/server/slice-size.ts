/**
 * How many requests are started together. They go through each step side by side: the code and data of a step are in the
 * CPU cache for all of them, one check of the database's log serves all, and their responses leave back to back, so that a
 * waiting client is woken once. For requests that take microseconds this saves more than half of their cost; long ones are
 * started one at a time, because everybody else waits meanwhile.
 */

/** The time budget of requests started together. */
const SLICE_MS = 2;

/** The same while several tenants ask, so that they wait less. */
const SHARED_SLICE_MS = 1;

const MOST = 32;

/** How fast the estimate falls. It rises at once. */
const TRUST = 0.1;

export class SliceSize {
  /** Milliseconds of this thread per request. */
  #cost = SLICE_MS;

  size(isShared = false): number {
    const ms = isShared ? SHARED_SLICE_MS : SLICE_MS;
    return Math.max(1, Math.min(MOST, Math.floor(ms / this.#cost)));
  }

  /** Call when this many have been started since then: measures until they end, or wait for something outside this thread. */
  measure(count: number, since: number): void {
    // A tick scheduled from a promise runs after all settled promises.
    queueMicrotask(() => process.nextTick(() => this.see((performance.now() - since) / count)));
  }

  /**
   * Updates the estimate with the time per request. It is capped at one request per slice: a single outlier may be an
   * accident.
   */
  see(cost: number): void {
    const change = Math.min(cost, SLICE_MS) - this.#cost;
    this.#cost += change > 0 ? change : change * TRUST;
  }
}
