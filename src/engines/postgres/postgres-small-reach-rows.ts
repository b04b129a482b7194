/** Small reaches as the database tells of them: how near everything is, as which it was written, and what it says of itself. */

import type { Layer } from '../../domain/scope.ts';
import { saidOf, type SaidColumns } from '../sql/said.ts';
import type { Described, DescribedPartition } from './postgres-described.ts';
import { SINCE } from './postgres-entry-row.ts';
import { partitionsBy } from './postgres-page.ts';
import type { Meaning } from './postgres-search.ts';
import type { SeenPartition } from './postgres-settled.ts';
import { Parameters, type Statement } from './postgres-statement.ts';
import { sentVectors, textOf, type VectorSql } from './postgres-vector.ts';

/** Of a reach. Of more not all are sent, but only what the indexes choose. */
export const MAX_ENTRIES = 2048;

/** A partition that there is, as it is now. */
export interface PartitionRow extends SeenPartition {
  /** The numbers of all that have a vector, and how far each is; null where there are none. */
  readonly seqs: readonly number[] | null;
  readonly distances: readonly (number | 'NaN')[] | null;
}

/**
 * About the plans, which are made once: the planner takes every partition for one of average size, and where that is large it would
 * rather read the whole table than look up a small one.
 */
export const SETTINGS = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`;

/** An entry that was not known of its partition; without a number where there is none of these. */
export interface DescribedRow extends SaidColumns {
  readonly partitionId: number;
  readonly partitionStamp: string;
  /** How many there are in the partition, known and not. */
  readonly entries: number;
  readonly seq: number | null;
  readonly stamp: string;
  readonly id: string;
  readonly layer: Layer;
  readonly contentHash: string;
  readonly importance: number;
  readonly confidence: number;
  readonly since: number;
  readonly length: number;
  readonly lexemes: string;
  readonly expiresAt: number | null;
}

/** Of an entry `e`, as {@link DescribedRow} has it, with the last `$2` characters of an episode. */
export const DESCRIBED_COLUMNS = `
  e.seq, e.xmin::text AS stamp, e.id, e.layer, e.content_hash AS "contentHash", e.importance, e.confidence, ${SINCE} AS since,
  e.length, CASE e.kind WHEN 'episodic' THEN right(e.content, $2::int) END AS ending,
  CASE e.kind WHEN 'episodic' THEN e.identifiers ->> 'sessionId' END AS "sessionId", e.turn, e.speaker, e.lexemes,
  e.expires_at AS "expiresAt"`;

/** Whether an entry `e` is not among those that are known by number and stamp. A list is looked through once, whatever the planner expects. */
export const IS_UNKNOWN = `
  (e.seq, e.xmin::text) NOT IN (SELECT k.seq, k.stamp FROM unnest($3::bigint[], $4::text[]) AS k (seq, stamp))`;

/** Answered by a {@link DescribedRow} for each entry that is not known. */
export const DESCRIBE = `
  SELECT p.id AS "partitionId", p.stamp AS "partitionStamp", p.entry_count AS entries, e.*
  FROM ${partitionsBy('$1::text[]')} LEFT JOIN LATERAL (
    SELECT ${DESCRIBED_COLUMNS} FROM lamina.entries e WHERE e.partition_id = p.id AND ${IS_UNKNOWN}
    OFFSET 0) e ON true
  WHERE p.id = ANY ($5::bigint[])`;

/** Answered by a {@link PartitionRow} for each partition; without distances where there are more than `most` entries in all of them. */
export function compareOf(keys: readonly string[], meaning: Meaning | undefined, most: number): Statement {
  const parameters = new Parameters();
  const reach = `
    WITH reach AS MATERIALIZED (
      SELECT p.id, k.key, p.stamp, p.entry_count AS entries, p.lexeme_count AS lexemes
      FROM ${partitionsBy(parameters.bind(keys, 'text[]'))})
    SELECT r.id, r.key, r.stamp, r.entries, r.lexemes`;
  if (meaning === undefined)
    return { sql: `${reach}, null AS seqs, null AS distances FROM reach r`, values: parameters.values };
  const { vector, sql } = meaning;
  const distance = sql.distance(parameters.bind(textOf(vector), sql.type));
  const compared = `
    SELECT json_agg(v.seq) AS seqs, json_agg(v.distance) AS distances FROM (
      SELECT v.seq, ${distance} AS distance FROM lamina.embeddings v
      WHERE v.space_id = ${sql.spaceId} AND v.partition_id = r.id AND (SELECT sum(x.entries) FROM reach x) <= ${most}
      OFFSET 0) v`;
  return {
    sql: `${reach}, c.seqs, c.distances FROM reach r CROSS JOIN LATERAL (${compared}) c`,
    values: parameters.values,
  };
}

/** A partition with some of the vectors in it, one after another. */
export interface VectorsRow {
  readonly id: number;
  readonly stamp: string;
  readonly seqs: readonly number[] | null;
  /** As base64. */
  readonly vectors: string | null;
}

/**
 * So many vectors are read at a time. All of a reach are a megabyte, which takes the database, the connection and the process some
 * milliseconds each: whoever searches meanwhile would wait for all of them.
 */
export const VECTORS_AT_A_TIME = 96;

/** Answered by a {@link VectorsRow} for this partition, where it is there, with the vectors of these entries. */
export function vectorsOf(
  keys: readonly string[],
  id: number,
  seqs: readonly number[],
  { spaceId, sent }: VectorSql,
): Statement {
  const sql = `
    SELECT p.id, p.stamp, c.seqs, c.vectors FROM ${partitionsBy('$1::text[]')} CROSS JOIN LATERAL (
      SELECT json_agg(v.seq) AS seqs, encode(string_agg(v.sent, ''), 'base64') AS vectors
      FROM unnest($3::bigint[]) AS s (seq) CROSS JOIN LATERAL (
        SELECT v.seq, ${sent} AS sent FROM lamina.embeddings v
        WHERE v.seq = s.seq AND v.space_id = ${spaceId} AND v.partition_id = p.id LIMIT 1) v) c
    WHERE p.id = $2::bigint`;
  return { sql, values: [keys, id, seqs] };
}

export function sentIn({ seqs, vectors }: VectorsRow): Map<number, Float32Array> {
  if (seqs === null || vectors === null) return new Map();
  const sent = sentVectors(Buffer.from(vectors, 'base64'), seqs.length);
  const dimensions = sent.length / seqs.length;
  return new Map(seqs.map((seq, index) => [seq, sent.subarray(index * dimensions, (index + 1) * dimensions)]));
}

/** What `rows` say of a partition, with what was known before. Where something of that is gone, nobody knows what: then it is nothing. */
export function partitionOf(rows: readonly DescribedRow[], before: DescribedPartition | undefined): DescribedPartition {
  const entries = new Map(before?.entries);
  for (const row of rows) if (row.seq !== null) entries.set(row.seq, describedOf(row, row.seq));
  const [first] = rows;
  return first?.entries === entries.size ? { stamp: first.partitionStamp, entries } : NOTHING_KNOWN;
}

export function describedOf(row: DescribedRow, seq: number): Described {
  const { stamp, lexemes, expiresAt, id, layer, contentHash, importance, confidence, since, length } = row;
  const entry = { id, layer, contentHash, importance, confidence, since, length, said: saidOf(row) };
  return { seq, stamp, lexemes, expiresAt, entry };
}

/** No partition has this stamp. */
export const NOTHING_KNOWN: DescribedPartition = { stamp: '', entries: new Map() };

/** How far each is, by its number. */
export function distancesOf(rows: readonly PartitionRow[]): Map<number, number> {
  const distances = new Map<number, number>();
  for (const { seqs, distances: far } of rows) {
    seqs?.forEach((seq, index) => distances.set(seq, Number(far?.[index])));
  }
  return distances;
}
