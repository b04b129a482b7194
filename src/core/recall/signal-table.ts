/**
 * The signals of all candidates of a search, a column for each signal: there may be a thousand candidates, of which ten are
 * shown, and columns are gone through many times faster than as many objects are made.
 */

import type { Signals } from '../../domain/recall.ts';
import { SHIFTING, SPEAKER_WEIGHT, type Weights } from './score.ts';

export type SignalName = Exclude<keyof Signals, 'evidence'>;

/** Of each candidate by its index; NaN where it has no such signal. */
export type Column = Float64Array;

export class SignalTable {
  readonly length: number;
  readonly text: Column;
  readonly vector: Column;
  /** In the order in which they are told. */
  readonly #columns = new Map<SignalName, Column>();

  constructor(length: number) {
    this.length = length;
    this.text = this.add('text');
    this.vector = this.add('vector');
  }

  /** A column in which no candidate has a signal yet. */
  add(name: SignalName): Column {
    const column = new Float64Array(this.length).fill(Number.NaN);
    this.#columns.set(name, column);
    return column;
  }

  /** Undefined where no candidate has this signal. */
  column(name: SignalName): Column | undefined {
    return this.#columns.get(name);
  }

  /** What one candidate has. */
  at(index: number): Signals {
    const signals: Partial<Record<SignalName, number>> = {};
    for (const [name, column] of this.#columns) {
      const signal = column[index];
      if (signal !== undefined && !Number.isNaN(signal)) signals[name] = signal;
    }
    return signals as Signals;
  }

  /** Takes from a candidate all other signals than these. */
  keepOnly(index: number, names: readonly SignalName[]): void {
    for (const [name, column] of this.#columns) if (!names.includes(name)) column[index] = Number.NaN;
  }

  /** Gives a candidate these instead of what it had. */
  set(index: number, signals: Readonly<Partial<Record<SignalName, number>>>): void {
    for (const [name, signal] of Object.entries(signals)) {
      const column = this.#columns.get(name as SignalName);
      if (column !== undefined) column[index] = signal;
    }
  }

  /** All evidence together, of each candidate. */
  sums({ bias, text, vector }: Weights): Column {
    const sums = new Float64Array(this.length);
    for (let index = 0; index < sums.length; index += 1) {
      sums[index] = bias + text * Number(this.text[index]) + vector * Number(this.vector[index]);
    }
    for (const { name, weight, neutral } of SHIFTING) {
      const column = this.#columns.get(name);
      if (column !== undefined) addShifts(sums, column, weight, neutral);
    }
    return sums;
  }

  /** How much of what could speak for each does: its words, its meaning and, where somebody is named, who said it. */
  pulls({ text, vector }: Weights): Column {
    const speakers = this.#columns.get('speaker');
    return this.text.map((covered, index) => {
      const speaker = speakers?.[index] ?? Number.NaN;
      const isNamed = !Number.isNaN(speaker);
      const most = text + vector + (isNamed ? SPEAKER_WEIGHT : 0);
      const meant = isNamed ? SPEAKER_WEIGHT * speaker : 0;
      return most === 0 ? 0 : (text * covered + vector * Number(this.vector[index]) + meant) / most;
    });
  }
}

function addShifts(sums: Column, column: Column, weight: number, neutral: number): void {
  for (let index = 0; index < sums.length; index += 1) {
    const signal = Number(column[index]);
    if (!Number.isNaN(signal)) sums[index] = Number(sums[index]) + weight * (signal - neutral);
  }
}
