/** Gives up what takes too long. All have equally long, so that one timer is enough for all of them. */

import { lateError } from '../domain/in-time.ts';

/** Something that is waited for. */
interface Deadline {
  readonly at: number;
  readonly giveUp: (late: Error) => void;
}

export class Deadlines {
  readonly #ms: number;
  /** The oldest first, which is the next to be late. */
  readonly #open = new Set<Deadline>();
  #timer: NodeJS.Timeout | undefined;

  /** 0 milliseconds: as long as it takes. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** From now on; `giveUp` is told `UNAVAILABLE` when it takes too long. Whoever was in time says so by {@link close}. */
  open(giveUp: (late: Error) => void): Deadline | undefined {
    if (this.#ms === 0) return undefined;
    const deadline: Deadline = { at: performance.now() + this.#ms, giveUp };
    this.#open.add(deadline);
    if (this.#timer === undefined) this.#lookIn(this.#ms);
    return deadline;
  }

  close(deadline: Deadline | undefined): void {
    if (deadline !== undefined) this.#open.delete(deadline);
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    this.#timer = undefined;
    for (const deadline of this.#open) {
      const left = deadline.at - performance.now();
      if (left > 0) {
        this.#lookIn(left);
        return;
      }
      this.#open.delete(deadline);
      deadline.giveUp(lateError(this.#ms));
    }
  }
}
