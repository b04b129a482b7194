/** Words of partitions: how many entries have each and, where there are few, which. While nobody commits, neither is read twice. */

import type { Term } from '../../ports/entry-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SizedPartition } from './sqlite-nearest.ts';
import type { Moment } from './sqlite-standstill.ts';

// Asked of all words at once: to begin with the index anew for each would take twice as long.
const COUNT_WORDS = `
  SELECT t.term AS word, t.doc AS documents, NULL AS seqs FROM json_each(?) w CROSS JOIN entry_terms t ON t.term = w.value`;

/** Of a word that more entries have, only how many is remembered. */
const MOST_REMEMBERED = 256;

// Takes no longer than to count them, where there are not very many.
const FIND_WORDS = `
  SELECT w.value AS word, count(*) AS documents, iif(count(*) <= ${MOST_REMEMBERED}, json_group_array(t.rowid), NULL) AS seqs
  FROM json_each(?) w CROSS JOIN entry_text t ON t.words MATCH '"' || w.value || '"' GROUP BY w.key`;

/** Reaches with more entries are only counted. */
const SMALL_REACH = 2048;

interface WordRow {
  readonly word: string;
  readonly documents: number;
  readonly seqs: string | null;
}

/** Who has a word. */
interface Holders {
  readonly documents: number;
  /** In the order of their numbers; undefined where it is not known which. */
  readonly seqs: readonly number[] | undefined;
}

const NOBODY: Holders = { documents: 0, seqs: [] };

/** Joins a partition and a lexeme into one word of the text index. No lexeme contains the dot between them. */
export function wordOf(partitionId: number, lexeme: string): string {
  return `${partitionId}·${lexeme}`;
}

export class SqliteWords {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Of each lexeme, how many entries of these partitions have it. `moment` is one before anything was read; without one nothing is remembered. */
  counts(partitions: readonly SizedPartition[], lexemes: readonly string[], moment: Moment | undefined): number[] {
    const sql = moment && isSmall(partitions) ? FIND_WORDS : COUNT_WORDS;
    const holders = this.#holders(partitions, lexemes, sql, moment);
    return lexemes.map((lexeme) =>
      partitions.reduce((sum, { id }) => sum + (holders.get(wordOf(id, lexeme))?.documents ?? 0), 0),
    );
  }

  /** The numbers of all entries that have any of the terms, in order. Undefined where it is not known which, or there are more. */
  entriesWith(
    partitions: readonly SizedPartition[],
    terms: readonly Term[],
    most: number,
    moment: Moment,
  ): number[] | undefined {
    if (!isSmall(partitions)) return undefined;
    const lexemes = terms.map(({ lexeme }) => lexeme);
    const holders = this.#holders(partitions, lexemes, FIND_WORDS, moment);
    const found = new Set<number>();
    for (const { id } of partitions) {
      for (const { lexeme } of terms) {
        const { seqs } = holders.get(wordOf(id, lexeme)) ?? NOBODY;
        if (seqs === undefined) return undefined;
        for (const seq of seqs) found.add(seq);
      }
    }
    return found.size > most ? undefined : [...found].toSorted((a, b) => a - b);
  }

  /** By their words, and read by this statement where they are not known. */
  #holders(
    partitions: readonly SizedPartition[],
    lexemes: readonly string[],
    sql: string,
    known: Moment = new Map(),
  ): ReadonlyMap<string, Holders> {
    const words = partitions.flatMap(({ id }) => lexemes.map((lexeme) => wordOf(id, lexeme)));
    const unknown = words.filter((word) => !known.has(word));
    const rows = unknown.length === 0 ? [] : this.#connection.all<WordRow>(sql, JSON.stringify(unknown));
    for (const word of unknown) known.set(word, NOBODY);
    for (const { word, documents, seqs } of rows) {
      known.set(word, { documents, seqs: seqs === null ? undefined : (JSON.parse(seqs) as number[]) });
    }
    return new Map(words.map((word) => [word, known.get(word) as Holders]));
  }
}

function isSmall(partitions: readonly SizedPartition[]): boolean {
  return partitions.reduce((sum, { count }) => sum + count, 0) < SMALL_REACH;
}
