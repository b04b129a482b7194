/** Timeouts. All have the same length, so one timer is enough for all of them. */

import { lateError } from '../domain/in-time.ts';
import { LinkedRow, type RowMember } from './linked-row.ts';

/** Something with a deadline. */
interface Deadline extends RowMember<Deadline> {
  readonly at: number;
  readonly giveUp: (late: Error) => void;
}

export class Deadlines {
  readonly #ms: number;
  /** Oldest first, which is the next to time out. */
  readonly #open = new LinkedRow<Deadline>();
  #timer: NodeJS.Timeout | undefined;

  /** 0 milliseconds: no timeout. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Starts then; `giveUp` gets `UNAVAILABLE` on timeout. Call {@link close} when done in time. */
  open(giveUp: (late: Error) => void, since = performance.now()): Deadline | undefined {
    if (this.#ms === 0) return undefined;
    const links = { earlier: undefined, later: undefined, isInRow: false };
    const deadline: Deadline = { at: since + this.#ms, giveUp, ...links };
    this.#open.add(deadline);
    if (this.#timer === undefined) this.#lookIn(this.#ms);
    return deadline;
  }

  /** False after the timeout. */
  close(deadline: Deadline | undefined): boolean {
    return deadline === undefined || this.#open.delete(deadline);
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    this.#timer = undefined;
    for (let deadline = this.#open.first; deadline !== undefined; deadline = this.#open.first) {
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
