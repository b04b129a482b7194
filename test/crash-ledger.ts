/**
 * What was asked of a memory and what it answered, so that after a crash one can tell what must be there, what may be
 * there and what must not. Values are compared as JSON, and every change makes a value that was never there before.
 */

import { isDeepStrictEqual } from 'node:util';

/** A thing that is written and read as one; null where it is not there. */
export interface Change {
  readonly cell: string;
  readonly value: unknown;
}

export interface Stand {
  readonly value: unknown;
  readonly version: number;
}

/** All or none of its changes. */
export interface Attempt {
  readonly changes: readonly Change[];
}

export interface Figures {
  readonly acknowledged: number;
  /** Attempts without an answer, and how many of them turned out to have happened. */
  readonly unknown: number;
  readonly applied: number;
  /** Refused, and found to have changed nothing. */
  readonly refused: number;
}

export class Ledger {
  readonly #known = new Map<string, Stand>();
  /** Of what is there: every value that it had, from the first version on. */
  readonly #histories = new Map<string, unknown[]>();
  readonly #doubted = new Set<Attempt>();
  #acknowledged = 0;
  #unknown = 0;
  #applied = 0;
  #refused = 0;

  get figures(): Figures {
    const [acknowledged, unknown, applied, refused] = [this.#acknowledged, this.#unknown, this.#applied, this.#refused];
    return { acknowledged, unknown, applied, refused };
  }

  known(cell: string): Stand | undefined {
    return this.#known.get(cell);
  }

  history(cell: string): readonly unknown[] {
    return this.#histories.get(cell) ?? [];
  }

  /** Whether nobody can tell yet what stands there. */
  isDoubted(cell: string): boolean {
    return [...this.#doubted].some(({ changes }) => changes.some((change) => change.cell === cell));
  }

  /** With the versions that were answered, in the order of the changes; those of what was deleted do not matter. */
  acknowledge({ changes }: Attempt, versions: readonly number[]): void {
    this.#acknowledged += 1;
    for (const [index, { cell, value }] of changes.entries()) this.#settle(cell, value, versions[index] ?? 0);
  }

  /** There was an answer, by which nothing has happened. */
  refuse(): void {
    this.#refused += 1;
  }

  /** There was none: it happened or it did not. */
  doubt(attempt: Attempt): void {
    this.#unknown += 1;
    this.#doubted.add(attempt);
  }

  /** Holds everything that is there against what is known, and settles every doubt. Empty where all is well. */
  compare(seen: ReadonlyMap<string, Stand>): string[] {
    const problems = [...this.#doubted].flatMap((attempt) => this.#resolve(attempt, seen));
    this.#doubted.clear();
    for (const [cell, stand] of this.#known) {
      const found = seen.get(cell);
      if (found === undefined) problems.push(`lost: ${cell} at version ${stand.version}`);
      else if (!isDeepStrictEqual(found, stand)) problems.push(differing(cell, stand, found));
    }
    for (const [cell, stand] of seen) {
      if (!this.#known.has(cell)) problems.push(`never written, or deleted: ${cell} is ${JSON.stringify(stand)}`);
    }
    return problems;
  }

  #resolve({ changes }: Attempt, seen: ReadonlyMap<string, Stand>): string[] {
    const done = changes.filter(({ cell, value }) => isDeepStrictEqual(seen.get(cell)?.value ?? null, value));
    if (done.length === 0) return [];
    if (done.length < changes.length) {
      return [`half done: ${done.length} of ${changes.map(({ cell }) => cell).join(', ')}`];
    }
    this.#applied += 1;
    return changes.flatMap(({ cell, value }) => {
      const [before, version] = [this.#known.get(cell)?.version ?? 0, seen.get(cell)?.version ?? 0];
      this.#settle(cell, value, version);
      return value === null || version > before ? [] : [`not a new version: ${cell} went from ${before} to ${version}`];
    });
  }

  #settle(cell: string, value: unknown, version: number): void {
    if (value === null) {
      this.#known.delete(cell);
      this.#histories.delete(cell);
      return;
    }
    this.#known.set(cell, { value, version });
    this.#histories.set(cell, [...this.history(cell), value]);
  }
}

function differing(cell: string, wanted: Stand, found: Stand): string {
  return `changed: ${cell} was acknowledged as ${JSON.stringify(wanted)} and is ${JSON.stringify(found)}`;
}
