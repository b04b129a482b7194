/** What is held of a reach, brought up to what was written since: only that is read, with its vectors, in one statement. */

import { sumOf } from './postgres-choice.ts';
import { isOfSameServer, partitionsBy } from './postgres-page.ts';
import { extended, settledOf, unchangedVectors, type SettledPartition } from './postgres-settled-partition.ts';
import type { OutdatedReach, SeenPartition, SettledReach } from './postgres-settled.ts';
import {
  describedOf,
  DESCRIBED_COLUMNS,
  IS_UNKNOWN,
  MAX_ENTRIES,
  SETTINGS,
  type DescribedRow,
} from './postgres-small-reach-rows.ts';
import type { Ask, Statement } from './postgres-statement.ts';
import { sentVectors } from './postgres-vector.ts';

/** Entries. Where more was written, others may read it. */
const MOST = 100;

interface CaughtUpRow extends DescribedRow {
  readonly key: string;
  readonly lexemeCount: number;
  /** As base64; null where it has none. */
  readonly vector: string | null;
}

/** Undefined where too much has changed, or something is gone: nobody knows what. */
export async function caughtUp(ask: Ask, { reach, hold, giveUp }: OutdatedReach): Promise<SettledReach | undefined> {
  const { sql, values } = catchUpOf(reach);
  const rows = Map.groupBy(await ask<CaughtUpRow>(sql, values, SETTINGS), ({ partitionId }) => partitionId);
  const before = new Map(reach.partitions.map(({ id }, index) => [id, reach.settled[index]]));
  const partitions: SeenPartition[] = [];
  const settled: SettledPartition[] = [];
  for (const [id, read] of rows) {
    const partition = settledBy(read, before.get(id));
    if (partition === undefined) return giveUp(id);
    settled.push(partition);
    for (const { key, partitionStamp, entries, lexemeCount } of read.slice(0, 1)) {
      partitions.push({ id, key, stamp: partitionStamp, entries, lexemes: lexemeCount });
    }
  }
  if (sumOf(partitions, ({ entries }) => entries) > MAX_ENTRIES) return giveUp();
  const now = { ...reach, partitions, settled };
  hold(now);
  return now;
}

/** Answered by one {@link CaughtUpRow} at least for each partition that there is. */
function catchUpOf({ keys, endings, settled, sql: { spaceId, sent } }: SettledReach): Statement {
  const known = settled.flatMap(({ entries }) => entries);
  const sql = `
    SELECT p.id AS "partitionId", p.stamp AS "partitionStamp", p.entry_count AS entries, k.key, p.lexeme_count AS "lexemeCount", e.*
    FROM ${partitionsBy('$1::text[]')} LEFT JOIN LATERAL (
      SELECT ${DESCRIBED_COLUMNS}, (
        SELECT encode(${sent}, 'base64') FROM lamina.embeddings v WHERE v.seq = e.seq AND v.space_id = ${spaceId} LIMIT 1) AS vector
      FROM lamina.entries e
      WHERE e.partition_id = p.id AND p.stamp <> ALL ($5::text[]) AND ${IS_UNKNOWN}
      LIMIT ${MOST + 1}) e ON true`;
  const values = [
    keys,
    endings,
    known.map(({ seq }) => seq),
    known.map(({ stamp }) => stamp),
    settled.map(({ stamp }) => stamp),
  ];
  return { sql, values };
}

function settledBy(
  rows: readonly CaughtUpRow[],
  before: SettledPartition = NOTHING_SETTLED,
): SettledPartition | undefined {
  const [partition] = rows;
  if (partition === undefined) return undefined;
  const { partitionStamp: stamp, entries: count } = partition;
  if (before !== NOTHING_SETTLED && !isOfSameServer(before.stamp, stamp)) return undefined;
  const read = rows.flatMap((row) => (row.seq === null ? [] : [{ row, described: describedOf(row, row.seq) }]));
  if (read.length > MOST) return undefined;
  const vectors = new Map(
    read.flatMap(({ row: { vector }, described: { seq } }) =>
      vector === null ? [] : [[seq, sentVectors(Buffer.from(vector, 'base64'), 1)] as const],
    ),
  );
  const added = read.map(({ described }) => described);
  const isKnown = new Set(before.entries.map(({ seq }) => seq));
  if (!added.some(({ seq }) => isKnown.has(seq))) {
    return before.entries.length + added.length === count ? extended(before, stamp, added, vectors) : undefined;
  }
  const entries = new Map([...before.entries, ...added].map((described) => [described.seq, described]));
  if (entries.size !== count) return undefined;
  const described = { stamp, entries };
  return settledOf(described, new Map([...unchangedVectors(before, described), ...vectors]));
}

const NOTHING_SETTLED: SettledPartition = {
  stamp: '',
  entries: [],
  words: new Map(),
  vectors: new Float32Array(),
  norms: new Float64Array(),
};
