/**
 * All of a small reach, for a ranking that looks at everything: how near each entry is, and what describes it. Both lie in memory,
 * and what has changed since is read from the file: so a search costs what is new, and not what there is.
 */

import type { SqliteConnection } from './sqlite-connection.ts';
import {
  comparedOf,
  SEEN_COLUMNS,
  type Compared,
  type ComparedRow,
  type DescribedReach,
  type Seen,
} from './sqlite-described.ts';
import type { RecallMemory, SqliteDescribing } from './sqlite-describing.ts';
import { candidateColumns, type Similarity } from './sqlite-entry-row.ts';
import type { Meaning } from './sqlite-coded-search.ts';
import type { Place, SqliteNearest } from './sqlite-nearest.ts';
import type { Moment } from './sqlite-standstill.ts';

const SELECT_SEEN = `SELECT ${SEEN_COLUMNS} FROM entries e WHERE e.seq IN (SELECT value FROM json_each(?))`;

export class SqliteWholeReach {
  readonly #connection: SqliteConnection;
  readonly #nearest: SqliteNearest;
  readonly #describing: SqliteDescribing;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search. */
  constructor(
    connection: SqliteConnection,
    nearest: SqliteNearest,
    describing: SqliteDescribing,
    memory?: RecallMemory,
  ) {
    this.#connection = connection;
    this.#nearest = nearest;
    this.#describing = describing;
    this.#memory = memory;
  }

  /** All that has a vector; of the ends of what was said so many characters. */
  compared(endings: number, place: Place, meaning: Meaning): Compared[] {
    const columns = candidateColumns(endings);
    const readAll = (): Compared[] => this.#nearest.all<ComparedRow>(columns, place, meaning).map(comparedOf);
    if (this.#memory === undefined) return readAll();
    const ids = place.partitions.map(({ id }) => id);
    const isConditional = place.condition.sql !== '';
    const moment = this.#memory.standstill.moment();
    return this.#memory.described.using(ids, endings, (known) => {
      if (known.completeAt === moment && !isConditional) {
        const near = this.#nearest.similarities(place, meaning, moment);
        const all = known.described(near);
        // In another space, or by another process, there may be more.
        if (all.length === near.length) return all;
      }
      const inMemory = isConditional ? undefined : this.#inMemory(endings, known, place, meaning, moment);
      if (inMemory !== undefined) return inMemory;
      if (known.bytes === 0) {
        const read = readAll();
        for (const { described } of read) known.add(described);
        return read;
      }
      const seen = this.#nearest.all<Seen & Similarity>(SEEN_COLUMNS, place, meaning);
      this.#describing.read(
        known,
        endings,
        seen.filter((each) => known.find(each) === undefined),
      );
      if (!isConditional) known.keepOnly(seen, moment);
      return known.described(seen);
    });
  }

  /** Undefined where vectors are not held. */
  #inMemory(
    endings: number,
    known: DescribedReach,
    place: Place,
    meaning: Meaning,
    moment: Moment,
  ): Compared[] | undefined {
    // All that is read is of one moment.
    return this.#connection.db.transaction(() => {
      const compared = this.#nearest.inMemory(place, meaning, moment);
      if (compared === undefined) return undefined;
      const position = this.#describing.position();
      const suspects = this.#describing.changedSince(known, position) ?? compared.map(({ seq }) => seq);
      const changed = this.#seen(suspects.filter((seq) => known.has(seq))).filter((each) => !known.find(each));
      this.#describing.read(known, endings, [...compared.filter(({ seq }) => !known.has(seq)), ...changed]);
      known.keepOnly(compared, moment, position);
      return known.described(compared);
    })();
  }

  #seen(seqs: readonly number[]): Seen[] {
    return seqs.length === 0 ? [] : this.#connection.all(SELECT_SEEN, JSON.stringify(seqs));
  }
}
