/** Calls that are waited for, but not for ever. One timer looks after all of them: one for each would cost more than most calls. */

/** How often it is looked whether one is late. */
const LOOK_MS = 1000;

interface OpenCall {
  /** By the clock of `performance`. */
  readonly until: number;
  readonly giveUp: () => void;
}

export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  /** Keeps the process alive only while somebody waits. */
  #timer: NodeJS.Timeout | undefined;

  /** `giveUp` is told once it takes longer, by a second at most. Whatever comes of it, {@link close} it. */
  open(patienceMs: number, giveUp: () => void): OpenCall {
    const call: OpenCall = { until: performance.now() + patienceMs, giveUp };
    this.#open.add(call);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    if (this.#open.size === 1) this.#timer.ref();
    return call;
  }

  close(call: OpenCall): void {
    this.#open.delete(call);
    if (this.#open.size === 0) this.#timer?.unref();
  }

  #look(): void {
    const now = performance.now();
    for (const call of this.#open) {
      if (call.until > now) continue;
      this.close(call);
      call.giveUp();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
