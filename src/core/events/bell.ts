/** A wake-up signal that is never missed: a ring while nobody waits wakes the next waiter. */

export class Bell {
  readonly #signal: AbortSignal;
  readonly #ring = (): void => this.ring();
  #hasRung = false;
  #wake: (() => void) | undefined;

  /** Rings also when the signal aborts. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#ring);
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Resolves when it has rung since the last time. For one waiter at a time. */
  async rung(): Promise<void> {
    if (!this.#hasRung && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#hasRung = false;
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#ring);
  }
}
