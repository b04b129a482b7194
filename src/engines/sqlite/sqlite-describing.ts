/** What describes entries, for the ranking: what is remembered of them, as long as it stands, and what the file says of others. */

import { KEPT_CHANGES } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import {
  DescribedReach,
  describedOf,
  type Compared,
  type Position,
  type Seen,
  type SqliteDescribed,
} from './sqlite-described.ts';
import { candidateColumns, type CandidateRow } from './sqlite-entry-row.ts';
import type { Place } from './sqlite-nearest.ts';
import type { Moment, SqliteStandstill } from './sqlite-standstill.ts';
import type { Near } from './sqlite-vectors.ts';

const SELECT_POSITION = `
  SELECT max(pruned, coalesce((SELECT max(seq) FROM events), 0)) AS event, pruned,
         coalesce((SELECT max(change) FROM code_changes), 0) AS change FROM event_epoch`;
// What is no event, such as sealing anew, stands among the changes.
const SELECT_CHANGED = `
  SELECT e.seq FROM events v CROSS JOIN entries e ON e.id = v.entry_id WHERE v.seq > ?
  UNION SELECT seq FROM code_changes WHERE change > ?`;

/** Of a reach that is not looked at whole so many are remembered, and then it begins anew. */
const MOST_REMEMBERED = 16_384;

/** What is remembered of earlier searches. */
export interface RecallMemory {
  readonly described: SqliteDescribed;
  readonly standstill: SqliteStandstill;
}

export class SqliteDescribing {
  readonly #connection: SqliteConnection;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search. */
  constructor(connection: SqliteConnection, memory?: RecallMemory) {
    this.#connection = connection;
    this.#memory = memory;
  }

  /** Some of a reach, in the order in which they were found. All that is read, also to find them, is of one moment. */
  some(endings: number, { partitions }: Place, find: (moment: Moment | undefined) => readonly Near[]): Compared[] {
    const moment = this.#memory?.standstill.moment();
    const describe = (known: DescribedReach): Compared[] => {
      const found = find(moment);
      if (known.size > MOST_REMEMBERED) known.clear();
      if (moment) this.#catchUp(known, moment);
      const unknown = found.filter(({ seq }) => !known.has(seq));
      this.read(known, endings, unknown);
      return known.described(found);
    };
    const atOnce = this.#connection.db.transaction(describe);
    if (this.#memory === undefined) return atOnce(new DescribedReach());
    const ids = partitions.map(({ id }) => id);
    return this.#memory.described.using(ids, endings, atOnce);
  }

  /** Up to where everything is written down that happens. */
  position(): Position | undefined {
    return this.#connection.first(SELECT_POSITION);
  }

  /** The numbers of what may be another version than what is known; undefined where that is not known. */
  changedSince({ position: then, size }: DescribedReach, now: Position | undefined): number[] | undefined {
    if (then === undefined || now === undefined) return undefined;
    const [events, changes] = [now.event - then.event, now.change - then.change];
    if (events === 0 && changes === 0) return [];
    // There may be many of other users; and neither log reaches back for ever.
    if (events > size || then.event < now.pruned || changes < 0 || changes > KEPT_CHANGES) return undefined;
    return this.#connection.all<{ seq: number }>(SELECT_CHANGED, then.event, then.change).map(({ seq }) => seq);
  }

  /** Reads what these are now. */
  read(known: DescribedReach, endings: number, unknown: readonly Pick<Seen, 'seq'>[]): void {
    if (unknown.length === 0) return;
    const sql = `
      SELECT ${candidateColumns(endings)} FROM json_each(?) n CROSS JOIN entries e ON e.seq = n.value`;
    const rows = this.#connection.all<CandidateRow>(sql, JSON.stringify(unknown.map(({ seq }) => seq)));
    for (const row of rows) known.add(describedOf(row));
  }

  /** Lets go of what may have changed. */
  #catchUp(known: DescribedReach, moment: Moment): void {
    if (known.currentAt === moment) return;
    const position = this.position();
    const changed = this.changedSince(known, position);
    if (changed) for (const seq of changed) known.drop(seq);
    else known.clear();
    known.stands(moment, position);
  }
}
