/** A hint that is not slept through: what rings while nobody waits is heard by the next who does. */

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

  /** Resolves when it has rung since the last time. For one at a time. */
  async rung(): Promise<void> {
    if (!this.#hasRung && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#hasRung = false;
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#ring);
  }
}
