/**
 * What a first search is answered together, as far as it was foreseen: statistics, candidates, and the entries that were guessed to be the
 * winners. Whatever turns out otherwise is asked for as usual.
 */

import type { Entry } from '../../domain/entry.ts';
import type { Candidate, Foreseen, Probe, Term, TextStatistics } from '../../ports/entry-store.ts';
import { entryOf } from './postgres-entry-row.ts';
import { foreseenOf, type ForeseenRow } from './postgres-foreseen-statement.ts';
import type { Meaning } from './postgres-search.ts';
import { SETTINGS } from './postgres-small-reach-rows.ts';
import type { Ask } from './postgres-statement.ts';

/** Weights that differ by less are the same: the database and the core take logarithms each in their own way. */
const ROUNDING = 1e-9;

/** What is asked, of whom. */
export interface ForesightOf {
  readonly ask: Ask;
  readonly keys: readonly string[];
  readonly foreseen: Foreseen;
  readonly meaning: Meaning | undefined;
  /** Milliseconds. */
  readonly now: number;
  /** Called where the candidates were as foreseen. */
  readonly used: () => void;
}

export class PostgresForesight {
  readonly #foreseen: Foreseen;
  readonly #rows: readonly ForeseenRow[];
  readonly #used: () => void;

  private constructor({ foreseen, used }: ForesightOf, rows: readonly ForeseenRow[]) {
    this.#foreseen = foreseen;
    this.#used = used;
    this.#rows = rows;
  }

  static async read(of: ForesightOf): Promise<PostgresForesight> {
    const { sql, values } = foreseenOf(of.keys, of.foreseen, of.meaning, of.now);
    return new PostgresForesight(of, await of.ask<ForeseenRow>(sql, values, SETTINGS));
  }

  /** Whether the reach is as it was foreseen. */
  get isTrue(): boolean {
    return this.#rows[0]?.isForeseen ?? false;
  }

  /** Whether it will hardly be otherwise the next time. */
  get isSurprise(): boolean {
    return !this.isTrue && (this.#rows[0]?.documents ?? 0) > 0;
  }

  statistics(): TextStatistics {
    const { documents = 0, lexemes = 0, episodes = 0, frequencies } = this.#rows[0] ?? {};
    const averageLength = documents === 0 ? 0 : lexemes / documents;
    return { documents, averageLength, episodes, documentFrequencies: frequencies ?? [] };
  }

  /** Undefined where something else is asked for than was foreseen. */
  candidates({ terms, embedding, endings, near }: Probe, limit: number): Candidate[] | undefined {
    const { probe, limit: most } = this.#foreseen;
    const isSame = limit === most && near === undefined && endings === probe.endings && embedding === probe.embedding;
    if (!this.isTrue || !isSame || !this.#areSame(terms)) return undefined;
    this.#used();
    return this.#found(terms);
  }

  /** Undefined where others were found. */
  entries(ids: readonly string[]): Entry[] | undefined {
    const read = new Map(this.#rows.flatMap(({ id, entry }) => (id !== null && entry ? [[id, entry] as const] : [])));
    const found = ids.flatMap((id) => read.get(id) ?? []);
    return found.length === ids.length ? found.map(entryOf) : undefined;
  }

  /** Whether the terms are those that are there, and weigh as much. */
  #areSame(terms: readonly Term[]): boolean {
    const { documents, documentFrequencies } = this.statistics();
    const { asked, former } = this.#foreseen;
    const weights = new Map<string, number>();
    for (const [index, lexeme] of [...asked, ...former].entries()) {
      const count = documentFrequencies[index] ?? 0;
      if (count > 0) weights.set(lexeme, Math.log(1 + (documents - count + 0.5) / (count + 0.5)));
    }
    const isKnown = ({ lexeme, weight }: Term): boolean =>
      Math.abs((weights.get(lexeme) ?? Number.NaN) - weight) <= ROUNDING * weight;
    return terms.length === weights.size && terms.every(isKnown);
  }

  #found(terms: readonly Term[]): Candidate[] {
    const { asked, former } = this.#foreseen;
    const places = new Map(terms.map(({ lexeme }, index) => [lexeme, index]));
    const indexes = [...asked, ...former].map((lexeme) => places.get(lexeme) ?? -1);
    const none: readonly number[] = terms.map(() => 0);
    return this.#rows.flatMap((row) => {
      const { id, layer, contentHash, importance, confidence, since, length, counts, similarity } = row;
      if (id === null) return [];
      const frequencies = counts === null ? none : countsOf(counts, indexes, none);
      const described = { id, layer, contentHash, importance, confidence, since, length };
      return { ...described, frequencies, similarity: similarity ?? undefined, said: undefined };
    });
  }
}

/** How often each of the terms is there, where `indexes` say which of the words is which term. */
function countsOf(counts: string, indexes: readonly number[], none: readonly number[]): number[] {
  const frequencies = [...none];
  const numbers = counts.split(' ');
  for (let at = 0; at < numbers.length; at += 2) {
    frequencies[indexes[Number(numbers[at]) - 1] ?? -1] = Number(numbers[at + 1]);
  }
  return frequencies;
}
