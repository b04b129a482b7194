/**
 * All of a small reach, for a ranking that looks at everything: how near each entry is, and what describes it. Both lie in memory,
 * and what has changed since is read from the file: so a search costs what is new, and not what there is.
 */

import { KEPT_CHANGES } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import {
  comparedOf,
  describedOf,
  SEEN_COLUMNS,
  type Compared,
  type ComparedRow,
  type DescribedReach,
  type Position,
  type Seen,
  type SqliteDescribed,
} from './sqlite-described.ts';
import { candidateColumns, type CandidateRow, type Similarity } from './sqlite-entry-row.ts';
import type { Meaning } from './sqlite-coded-search.ts';
import type { Place, SqliteNearest } from './sqlite-nearest.ts';
import type { Moment, SqliteStandstill } from './sqlite-standstill.ts';

const SELECT_POSITION = `
  SELECT coalesce((SELECT max(seq) FROM events), 0) AS event, coalesce((SELECT max(change) FROM code_changes), 0) AS change`;
// What is no event, such as sealing anew, stands among the changes.
const SELECT_CHANGED = `
  SELECT e.seq FROM events v CROSS JOIN entries e ON e.id = v.entry_id WHERE v.seq > ?
  UNION SELECT seq FROM code_changes WHERE change > ?`;
const SELECT_SEEN = `SELECT ${SEEN_COLUMNS} FROM entries e WHERE e.seq IN (SELECT value FROM json_each(?))`;

/** What is remembered of earlier searches. */
export interface RecallMemory {
  readonly described: SqliteDescribed;
  readonly standstill: SqliteStandstill;
}

export class SqliteWholeReach {
  readonly #connection: SqliteConnection;
  readonly #nearest: SqliteNearest;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search. */
  constructor(connection: SqliteConnection, nearest: SqliteNearest, memory?: RecallMemory) {
    this.#connection = connection;
    this.#nearest = nearest;
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
      const inMemory = isConditional ? undefined : this.#inMemory(columns, known, place, meaning, moment);
      if (inMemory !== undefined) return inMemory;
      if (known.bytes === 0) {
        const read = readAll();
        for (const { described } of read) known.add(described);
        return read;
      }
      const seen = this.#nearest.all<Seen & Similarity>(SEEN_COLUMNS, place, meaning);
      this.#describe(
        columns,
        known,
        seen.filter((each) => known.find(each) === undefined),
      );
      if (!isConditional) known.keepOnly(seen, moment);
      return known.described(seen);
    });
  }

  /** Undefined where vectors are not held. */
  #inMemory(
    columns: string,
    known: DescribedReach,
    place: Place,
    meaning: Meaning,
    moment: Moment,
  ): Compared[] | undefined {
    // All that is read is of one moment.
    return this.#connection.db.transaction(() => {
      const compared = this.#nearest.inMemory(place, meaning, moment);
      if (compared === undefined) return undefined;
      const position = this.#connection.first<Position>(SELECT_POSITION);
      const suspects = this.#changedSince(known, position) ?? compared.map(({ seq }) => seq);
      const changed = this.#seen(suspects.filter((seq) => known.has(seq))).filter((each) => !known.find(each));
      this.#describe(columns, known, [...compared.filter(({ seq }) => !known.has(seq)), ...changed]);
      known.keepOnly(compared, moment, position);
      return known.described(compared);
    })();
  }

  /** The numbers of what may be another version than what is known; undefined where that is not known. */
  #changedSince({ position: then, size }: DescribedReach, now: Position | undefined): number[] | undefined {
    if (then === undefined || now === undefined) return undefined;
    const [events, changes] = [now.event - then.event, now.change - then.change];
    if (events === 0 && changes === 0) return [];
    // There may be many of other users; and the log of changes does not reach back for ever.
    if (events > size || changes < 0 || changes > KEPT_CHANGES) return undefined;
    return this.#connection.all<{ seq: number }>(SELECT_CHANGED, then.event, then.change).map(({ seq }) => seq);
  }

  #seen(seqs: readonly number[]): Seen[] {
    return seqs.length === 0 ? [] : this.#connection.all(SELECT_SEEN, JSON.stringify(seqs));
  }

  /** Reads what these are now. */
  #describe(columns: string, known: DescribedReach, unknown: readonly Pick<Seen, 'seq'>[]): void {
    if (unknown.length === 0) return;
    const sql = `SELECT ${columns} FROM entries e WHERE e.seq IN (SELECT value FROM json_each(?))`;
    const rows = this.#connection.all<CandidateRow>(sql, JSON.stringify(unknown.map(({ seq }) => seq)));
    for (const row of rows) known.add(describedOf(row));
  }
}
