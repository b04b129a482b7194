/**
 * Keeps the event loop turning under load. Requests that have arrived together would all be answered in one turn, and
 * everything else (timers, heartbeats, health) would wait for that long; here those that do not fit wait for the next.
 */

/** Milliseconds of a turn after which nothing new is begun. */
const TURN_MS = 5;

export class Turns {
  /** When the turn began; undefined before the first request of a turn. */
  #began: number | undefined;

  /** Undefined to begin at once, else what to wait for first; in the order of the calls. */
  admit(): Promise<void> | undefined {
    return this.#isOver() ? new Promise((resolve) => this.#later(resolve)) : undefined;
  }

  /** Immediates run one after the other, each with all that follows from it, so that the next one knows how long it took. */
  #later(begin: () => void): void {
    setImmediate(() => (this.#isOver() ? this.#later(begin) : begin()));
  }

  #isOver(): boolean {
    if (this.#began !== undefined) return performance.now() - this.#began > TURN_MS;
    this.#began = performance.now();
    // Before those who wait for the next turn: it is asked for before any of them.
    setImmediate(() => {
      this.#began = undefined;
    });
    return false;
  }
}
