/**
 * How many requests are begun together. Those that are go through each step side by side: code and data of a step are at hand
 * for all of them, one look at the database's log does for all, and their answers leave one right after the other, so that
 * whoever waits for them is woken once. For requests that take microseconds this is worth more than half of what they cost; of those that
 * take long only one is begun at a time, because everybody else waits meanwhile.
 */

/** What those begun together may take. */
const SLICE_MS = 2;

/** The same while several tenants ask: less has to be waited for. */
const SHARED_SLICE_MS = 1;

const MOST = 32;

/** How fast it is believed that requests have become cheap. That they have become dear is believed at once. */
const TRUST = 0.1;

export class SliceSize {
  /** Milliseconds of this thread for one request. */
  #cost = SLICE_MS;

  size(isShared = false): number {
    const ms = isShared ? SHARED_SLICE_MS : SLICE_MS;
    return Math.max(1, Math.min(MOST, Math.floor(ms / this.#cost)));
  }

  /** Call when so many have just been begun: measures until they end, or wait for something that is not done by this thread. */
  measure(count: number): void {
    const since = performance.now();
    // A tick that a promise asks for comes after all promises that can go on.
    queueMicrotask(() => process.nextTick(() => this.see((performance.now() - since) / count)));
  }

  /** Takes into account what each of some requests took. More than enough for one at a time is not remembered: once may be an accident. */
  see(cost: number): void {
    const change = Math.min(cost, SLICE_MS) - this.#cost;
    this.#cost += change > 0 ? change : change * TRUST;
  }
}
