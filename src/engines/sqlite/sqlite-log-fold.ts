/**
 * When the log of writes of a file is folded into it: as far as nobody is in the way once the log is long, in a thread beside further
 * commits; and to the end a moment after something was removed, so that its bytes do not lie in the log until that is full.
 */

/** How long removals are gathered, so that many of them cost one fold. */
const DELAY_MS = 2000;

/** While others read the log it cannot be emptied: so often it is tried again. Then the next removal does it. */
const MAX_ATTEMPTS = 30;

/** So many pages make a log long. SQLite would fold as many, but within a commit. */
const LONG = 1000;

export interface FoldWays {
  /** Gives false where somebody is in the way. */
  readonly empty: () => Promise<boolean>;
  /** Resolves also where nothing came of it. */
  readonly beside: () => Promise<void>;
}

export class SqliteLogFold {
  readonly #ways: FoldWays;
  #timer: NodeJS.Timeout | undefined;
  #underway: Promise<void> | undefined;
  #isOver = false;

  constructor(ways: FoldWays) {
    this.#ways = ways;
  }

  /** Told after each commit how many pages are only in the log. */
  noteLength(pages: number): void {
    if (pages < LONG || this.#isOver || this.#underway !== undefined) return;
    this.#underway = this.#ways.beside().finally(() => {
      this.#underway = undefined;
    });
  }

  /** Resolves when nobody folds beside. */
  async idle(): Promise<void> {
    await this.#underway;
  }

  /** Soon, not now, and never in the way of whoever removed something. */
  soon(attempts = MAX_ATTEMPTS): void {
    if (this.#isOver || attempts === 0) return;
    this.#timer ??= setTimeout(() => void this.#empty(attempts), DELAY_MS).unref();
  }

  /** From now on whoever closes the file folds the log. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.idle();
  }

  async #empty(attempts: number): Promise<void> {
    this.#timer = undefined;
    await this.idle();
    // A failure is not worth an error: nobody waits for it.
    const isEmpty = await this.#ways.empty().catch(() => false);
    if (!isEmpty) this.soon(attempts - 1);
  }
}
