/** Empties the log of writes a moment after something was removed, so that its bytes do not lie there until the log is full. */

/** How long removals are gathered, so that many of them cost one fold. */
const DELAY_MS = 2000;

/** While others read the log it cannot be emptied: so often it is tried again. Then the next removal does it. */
const MAX_ATTEMPTS = 30;

export class SqliteLogFold {
  readonly #fold: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `fold` gives false where somebody is in the way. */
  constructor(fold: () => Promise<boolean>) {
    this.#fold = fold;
  }

  /** Soon, not now, and never in the way of whoever removed something. */
  soon(attempts = MAX_ATTEMPTS): void {
    if (this.#isOver || attempts === 0) return;
    this.#timer ??= setTimeout(() => void this.#run(attempts), DELAY_MS).unref();
  }

  /** From now on whoever closes the file folds the log. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #run(attempts: number): Promise<void> {
    this.#timer = undefined;
    // A failure is not worth an error: nobody waits for it.
    const isFolded = await this.#fold().catch(() => false);
    if (!isFolded) this.soon(attempts - 1);
  }
}
