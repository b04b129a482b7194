/** From durations to the figures of a row. */

export interface Figures {
  /** Entries or answers per second, over everything between the first and the last. */
  readonly perSecond: number;
  /** Milliseconds per call. */
  readonly p50: number;
  readonly p95: number;
}

export interface Comparison {
  readonly operation: string;
  readonly calls: number;
  /** How many entries one call is about. */
  readonly entriesPerCall: number;
  /** Statements that Lamina sent to SQLite per call, on average. */
  readonly statementsPerCall: number;
  readonly lamina: Figures;
  readonly raw: Figures;
  /** How many times as long Lamina takes. */
  readonly ratio: { readonly p50: number; readonly p95: number; readonly total: number };
}

/** The least value that is not below `share` of the values. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Durations of one side, gathered over several blocks. */
export class Samples {
  readonly #durations: number[] = [];
  #busyMs = 0;

  get count(): number {
    return this.#durations.length;
  }

  /** Times each of the items, and the block as a whole: what is put off from a call still belongs to the total. */
  async block<T>(items: Iterable<T>, work: (item: T) => unknown, after?: () => Promise<unknown>): Promise<void> {
    const blockStarted = performance.now();
    for (const item of items) {
      const started = performance.now();
      const result = work(item);
      // Awaiting nothing would make the raw side pay for a promise that it does not need.
      if (result instanceof Promise) await result;
      this.#durations.push(performance.now() - started);
    }
    await after?.();
    this.#busyMs += performance.now() - blockStarted;
  }

  figures(entriesPerCall: number): Figures {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return {
      perSecond: (sorted.length * entriesPerCall * 1000) / this.#busyMs,
      p50: percentile(sorted, 0.5),
      p95: percentile(sorted, 0.95),
    };
  }
}

export function compare(
  row: Pick<Comparison, 'operation' | 'entriesPerCall' | 'statementsPerCall'>,
  sides: { readonly lamina: Samples; readonly raw: Samples },
): Comparison {
  const lamina = sides.lamina.figures(row.entriesPerCall);
  const raw = sides.raw.figures(row.entriesPerCall);
  const ratio = { p50: lamina.p50 / raw.p50, p95: lamina.p95 / raw.p95, total: raw.perSecond / lamina.perSecond };
  return { ...row, calls: sides.lamina.count, lamina, raw, ratio };
}
