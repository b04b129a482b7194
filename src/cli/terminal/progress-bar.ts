/** How far something long has come: a bar that is drawn anew on a terminal, now and then a line elsewhere. */

import type { Given } from '../command.ts';
import type { Output } from './terminal.ts';

export interface Progress {
  readonly done: number;
  /** Absent where nobody has counted: then it is told how many were done, and not how many are left. */
  readonly total?: number;
  /** What is at hand. */
  readonly label: string;
}

const WIDTH = 24;

/** Milliseconds between two drawings, and between two lines. */
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;

/** Back to the beginning of the line, and clear it. */
export const CLEAR_LINE = '\r\u001B[2K';

const DEFAULT_COLUMNS = 80;

/** On the standard error of a command. */
export function progressBar({ terminal }: Given): ProgressBar {
  return new ProgressBar(terminal.stderr, () => performance.now());
}

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
    const isDone = progress.total !== undefined && progress.done >= progress.total;
    const isEnd = isDone && !this.#isComplete;
    if (isSoon && !isEnd) return;
    this.#shownAt = now;
    this.#isComplete = isDone;
    const { isTTY } = this.#output;
    // A terminal that does not know its size says 0.
    const columns = this.#output.columns || DEFAULT_COLUMNS;
    const text = this.#describe(progress, now);
    // One that wraps around could not be cleared again.
    this.#output.write(isTTY ? `${CLEAR_LINE}${`${barOf(progress)}${text}`.slice(0, columns - 1)}` : `${text}\n`);
  }

  /** Leaves nothing behind on a terminal. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write(CLEAR_LINE);
  }

  #describe({ done, total, label }: Progress, now: number): string {
    if (total === undefined) return `${done}${this.#pace(done, done, now)}  ${label}`;
    const percent = `${Math.floor(shareOf(done, total) * 100)}%`.padStart(4);
    return `${percent}  ${done} of ${total}${this.#pace(done, total, now)}  ${label}`;
  }

  /** How many in a second, and how long still; from what was done since the beginning: what was done before took no time. */
  #pace(done: number, total: number, now: number): string {
    const sinceThen = done - (this.#first ?? 0);
    const passed = (now - this.#startedAt) / 1000;
    if (sinceThen <= 0 || passed <= 0) return '';
    const rate = `, ${rateText(sinceThen / passed)}`;
    if (done >= total) return rate;
    const seconds = Math.ceil((passed / sinceThen) * (total - done));
    return `${rate}, ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`;
  }
}

function rateText(perSecond: number): string {
  return perSecond >= 10 || Number.isInteger(perSecond)
    ? `${Math.round(perSecond)}/s`
    : `${perSecond.toFixed(perSecond >= 1 ? 1 : 2)}/s`;
}

function shareOf(done: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

/** With a blank behind it. */
function barOf({ done, total }: Progress): string {
  if (total === undefined) return '';
  const full = Math.round(shareOf(done, total) * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] `;
}
