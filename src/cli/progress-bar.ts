/** How far something long has come: a bar that is drawn anew on a terminal, now and then a line elsewhere. */

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** What is at hand. */
  readonly label: string;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const WIDTH = 24;

/** Milliseconds between two drawings, and between two lines. */
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;

/** Back to the beginning of the line, and clear it. */
const CLEAR = '\r\u001B[2K';

const DEFAULT_COLUMNS = 80;

export class ProgressBar {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt: number;
  #first: number | undefined;
  #isComplete = false;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `now` is in milliseconds. */
  constructor(output: Output, now: () => number) {
    this.#output = output;
    this.#now = now;
    this.#startedAt = now();
  }

  show(progress: Progress): void {
    this.#first ??= progress.done;
    const now = this.#now();
    const isSoon = now - this.#shownAt < (this.#output.isTTY ? DRAW_EVERY_MS : LINE_EVERY_MS);
    const isEnd = progress.done >= progress.total && !this.#isComplete;
    if (isSoon && !isEnd) return;
    this.#shownAt = now;
    this.#isComplete = progress.done >= progress.total;
    const { isTTY, columns = DEFAULT_COLUMNS } = this.#output;
    const text = this.#describe(progress, now);
    // One that wraps around could not be cleared again.
    this.#output.write(isTTY ? `${CLEAR}${`${barOf(progress)} ${text}`.slice(0, columns - 1)}` : `${text}\n`);
  }

  /** Leaves nothing behind on a terminal. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write(CLEAR);
  }

  #describe({ done, total, label }: Progress, now: number): string {
    const percent = `${Math.floor(shareOf(done, total) * 100)}%`.padStart(4);
    return `${percent}  ${done} of ${total}${this.#timeLeft(done, total, now)}  ${label}`;
  }

  /** From what was done since the beginning: what had been done before took no time. */
  #timeLeft(done: number, total: number, now: number): string {
    const sinceThen = done - (this.#first ?? 0);
    if (sinceThen <= 0 || done >= total) return '';
    const seconds = Math.ceil(((now - this.#startedAt) / 1000 / sinceThen) * (total - done));
    return `, ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`;
  }
}

function shareOf(done: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

function barOf({ done, total }: Progress): string {
  const full = Math.round(shareOf(done, total) * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`;
}
