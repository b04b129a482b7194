/** The statement of a search: by words, by meaning or both, and everything that the ranking needs of what is found. */

import type { Layer } from '../../domain/scope.ts';
import type { Reach, Term } from '../../ports/entry-store.ts';
import type { SaidColumns } from '../sql/said.ts';
import { SINCE } from './postgres-entry-row.ts';
import { keysOf, partitionsBy } from './postgres-page.ts';
import { conditionsOf } from './postgres-selection.ts';
import { PROMISE } from './postgres-promise.ts';
import { Parameters, type Statement } from './postgres-statement.ts';
import { textOf, type VectorSql } from './postgres-vector.ts';

export interface Search {
  readonly reach: Reach;
  readonly limit: number;
  /** Milliseconds. */
  readonly now: number;
  readonly meaning: Meaning | undefined;
  /** Only these are compared by meaning, where they are given. */
  readonly near?: readonly string[] | undefined;
}

export interface Meaning {
  readonly vector: Float32Array;
  readonly sql: VectorSql;
}

/** What every row says of the search itself; where nothing was found there is one row, without an id. */
export interface SearchRow {
  readonly id: string | null;
  /** How many entries there are in the reach, whatever the conditions; null where vectors were compared one by one. */
  readonly entries: number | null;
  /** Whether it is among the nearest; null likewise. */
  readonly isNear: boolean | null;
  /** Null where it has no vector. */
  readonly similarity: number | null;
}

export interface CandidateRow extends SearchRow, SaidColumns {
  readonly layer: Layer;
  readonly contentHash: string;
  readonly importance: number;
  readonly confidence: number;
  readonly since: number;
  readonly length: number;
  /** Of a short text all lexemes, of a longer one only how often it has each term. */
  readonly lexemes: string | null;
  readonly frequencies: readonly number[] | null;
}

/** A reach this small is compared one by one: that takes no longer than the index, and misses nothing. */
const SMALL_REACH = 5000;

/**
 * The index holds the vectors of everyone, so that a search goes through `all / reach` of them for each that it may see.
 * One of these costs as much as comparing this many one by one.
 */
const COST_OF_INDEX = 4;

/**
 * What words are looked at for. Where a large reach has more, the newest that contain each word: words of which there
 * are so many tell little, and those that tell much are looked at to the last.
 */
export const MAX_POSTINGS = 60_000;

/** A search has no more terms. */
const MAX_TERMS = 64;

/** The lexemes of a text that has no more are sent whole: counting there takes less time than looking up each term here. */
const SHORT = 256;

// A search may have hundreds of rows, and nothing is read as fast as a null.
const UNLESS_EXACT = `
  CASE WHEN r.is_exact THEN NULL ELSE r.entries END AS entries, CASE WHEN r.is_exact THEN NULL ELSE f.is_near END AS "isNear"`;

/** What a search looks for, as SQL over parameters. */
interface Parts {
  readonly limit: string;
  readonly now: string;
  /** Of an entry `e`: `''` or ` AND …`. */
  readonly conditions: string;
  readonly vector: string;
}

export function candidatesOf(search: Search, terms: readonly Term[], endings: number, isExact: boolean): Statement {
  const parameters = new Parameters();
  const parts = partsOf(search, parameters);
  const characters = parameters.bind(endings, 'int');
  const [lexemes, weights] = [terms.map(({ lexeme }) => lexeme), terms.map(({ weight }) => weight)];
  const ways: string[] = [];
  if (terms.length > 0) {
    const postings = parameters.bind(Math.ceil(MAX_POSTINGS / terms.length), 'bigint');
    ways.push(`SELECT h.seq, false AS is_near, null::float8 AS distance FROM (${wordHits(parts, postings)}) h`);
  }
  if (search.meaning) {
    const seqs = search.near
      ? givenSeqs(search.meaning, parts, parameters.bind([...new Set(search.near)], 'uuid[]'))
      : nearestSeqs(search.meaning, parts);
    ways.push(`SELECT n.seq, true AS is_near, n.distance FROM (${seqs}) n`);
  }
  const sql = `
    WITH ${reachOf(search, parts, isExact || search.near !== undefined, parameters)},
    terms AS MATERIALIZED (
      SELECT t.lexeme, t.weight, t.place
      FROM unnest(${parameters.bind(lexemes, 'text[]')}, ${parameters.bind(weights, 'float8[]')})
        WITH ORDINALITY AS t (lexeme, weight, place)),
    found AS MATERIALIZED (
      SELECT f.seq, bool_or(f.is_near) AS is_near, bool_or(NOT f.is_near) AS has_words, min(f.distance) AS distance
      FROM (${ways.join(' UNION ALL ')}) f GROUP BY f.seq),
    hits AS MATERIALIZED (
      SELECT count(*) FILTER (WHERE f.has_words) < ${parts.limit}
             AND (SELECT r.entries FROM reach r) <= ${MAX_POSTINGS / MAX_TERMS} AS is_all FROM found f)
    SELECT ${UNLESS_EXACT}, f.id, f.layer, f."contentHash", f.importance, f.confidence, f.since, f.length, f.ending, f."sessionId", f.turn, f.speaker,
           f.lexemes, f.frequencies, f.similarity
    FROM reach r LEFT JOIN (
      SELECT f.is_near, e.*, coalesce(1 - f.distance, ${similarityOf(search.meaning, parts)}) AS similarity
      FROM hits h CROSS JOIN found f CROSS JOIN LATERAL (
        SELECT e.id, e.seq, e.layer, e.content_hash AS "contentHash", e.importance, e.confidence, ${SINCE} AS since,
               e.length, CASE e.kind WHEN 'episodic' THEN right(e.content, ${characters}) END AS ending,
               CASE e.kind WHEN 'episodic' THEN e.identifiers ->> 'sessionId' END AS "sessionId", e.turn, e.speaker,
               CASE WHEN e.length > ${SHORT} THEN NULL WHEN f.has_words OR NOT h.is_all THEN e.lexemes ELSE '' END AS lexemes, CASE WHEN e.length > ${SHORT} THEN (
          SELECT coalesce(json_agg(coalesce(w.frequency, 0) ORDER BY t.place), '[]') FROM terms t
          LEFT JOIN LATERAL (
            SELECT w.frequency FROM lamina.entry_words w
            WHERE w.partition_id = e.partition_id AND w.lexeme = t.lexeme AND w.seq = e.seq LIMIT 1) w ON true
        ) END AS frequencies
        FROM lamina.entries e WHERE e.seq = f.seq LIMIT 1) e) f ON true`;
  return { sql, values: parameters.values };
}

/** Nearest first. */
export function nearestOf(search: Search & { readonly meaning: Meaning }, isExact: boolean): Statement {
  const parameters = new Parameters();
  const parts = partsOf(search, parameters);
  const sql = `
    WITH ${reachOf(search, parts, isExact, parameters)}
    SELECT ${UNLESS_EXACT}, f.id, f.similarity
    FROM reach r LEFT JOIN (
      SELECT true AS is_near, e.id, ${similarityOf(search.meaning, parts)} AS similarity
      FROM (${nearestSeqs(search.meaning, parts)}) n
      CROSS JOIN LATERAL (SELECT e.id, e.seq FROM lamina.entries e WHERE e.seq = n.seq LIMIT 1) e) f ON true
    ORDER BY f.similarity DESC, f.id`;
  return { sql, values: parameters.values };
}

function partsOf({ reach, limit, now, meaning }: Search, parameters: Parameters): Parts {
  const { partitions: _, ...conditions } = reach;
  return {
    limit: parameters.bind(limit, 'bigint'),
    now: parameters.bind(now, 'bigint'),
    conditions: conditionsOf(conditions, parameters),
    vector: meaning ? parameters.bind(textOf(meaning.vector), meaning.sql.type) : '',
  };
}

/** The partitions with what there is to know of them, and whether to compare vectors one by one. */
function reachOf({ reach, limit, meaning }: Search, parts: Parts, isExact: boolean, parameters: Parameters): string {
  const hasIndex = meaning?.sql.indexedDistance('') !== undefined;
  const keys = parameters.bind(keysOf(reach.partitions), 'text[]');
  const exact = parameters.bind(isExact || !hasIndex, 'boolean');
  const worth = parameters.bind(COST_OF_INDEX * limit, 'float8');
  return `
    reach AS MATERIALIZED (
      SELECT p.ids, p.entries, greatest(1, p.lexemes / greatest(1, p.entries)) AS average,
             ${exact} OR p.entries <= ${SMALL_REACH} OR p.entries * p.entries <= ${worth} * greatest(c.reltuples, p.entries)
               AS is_exact
      FROM pg_class c, (
        SELECT array_agg(p.id) AS ids, coalesce(sum(p.entry_count), 0)::float8 AS entries,
               coalesce(sum(p.lexeme_count), 0)::float8 AS lexemes
        FROM ${partitionsBy(keys)}) p
      WHERE c.oid = 'lamina.embeddings'::regclass),
    expired AS MATERIALIZED (SELECT e.seq FROM lamina.entries e WHERE e.expires_at <= ${parts.now})`;
}

// Usually empty, and then free: cheaper than looking at each entry for its expiry.
const NOT_EXPIRED = 'NOT IN (SELECT x.seq FROM expired x)';

/** One partition after the other. */
const PARTITIONS = 'unnest((SELECT r.ids FROM reach r)::bigint[]) AS p (id)';

/** Which vectors are compared one by one: all, or those that the index does not hold. Each is a lookup of its own, lest they all be read. */
const COMPARED =
  'unnest((SELECT CASE WHEN r.is_exact THEN ARRAY[false, true] ELSE ARRAY[false] END FROM reach r)) AS c (is_indexed)';

/** The limit of one keeps the planner from looking up entries in any other way than one by one, until there are enough. */
function whereEntry(seq: string, conditions: string): string {
  if (conditions === '') return '';
  return `CROSS JOIN LATERAL (SELECT 1 FROM lamina.entries e WHERE e.seq = ${seq}${conditions} LIMIT 1) met`;
}

function wordHits({ limit, conditions }: Parts, postings: string): string {
  return `
    SELECT s.seq FROM (
      SELECT w.seq, ${PROMISE} AS promise
      FROM ${PARTITIONS} CROSS JOIN terms t CROSS JOIN LATERAL (
        SELECT w.seq, w.frequency, w.length, t.weight FROM lamina.entry_words w
        WHERE w.partition_id = p.id AND w.lexeme = t.lexeme ORDER BY w.seq DESC LIMIT ${postings}) w
      WHERE w.seq ${NOT_EXPIRED}
      GROUP BY w.seq ORDER BY promise DESC, w.seq) s
    ${whereEntry('s.seq', conditions)}
    ORDER BY s.promise DESC, s.seq LIMIT ${limit}`;
}

/**
 * One by one, or by the index and, of what it does not hold, one by one. Which of the two is known before either begins, and the index
 * is not begun in vain.
 */
function nearestSeqs({ sql }: Meaning, { limit, conditions, vector }: Parts): string {
  const indexed = sql.indexedDistance(vector);
  const met = conditions && ` AND EXISTS (SELECT 1 FROM lamina.entries e WHERE e.seq = v.seq${conditions})`;
  const oneByOne = `
    (SELECT v.seq, v.distance FROM ${PARTITIONS} CROSS JOIN ${COMPARED} CROSS JOIN LATERAL (
       SELECT v.seq, ${sql.distance(vector)} AS distance FROM lamina.embeddings v
       WHERE v.space_id = ${sql.spaceId} AND v.partition_id = p.id AND v.is_indexed = c.is_indexed${met} OFFSET 0) v
     WHERE v.seq ${NOT_EXPIRED}
     ORDER BY v.distance LIMIT ${limit})`;
  if (indexed === undefined) return oneByOne;
  return `
    SELECT n.seq, n.distance FROM (${oneByOne} UNION ALL
      (SELECT v.seq, ${sql.distance(vector)} FROM lamina.embeddings v ${whereEntry('v.seq', conditions)}
       WHERE NOT (SELECT r.is_exact FROM reach r) AND v.space_id = ${sql.spaceId} AND v.is_indexed
         AND v.partition_id = ANY ((SELECT r.ids FROM reach r)::bigint[]) AND v.seq ${NOT_EXPIRED}
       ORDER BY ${indexed} LIMIT ${limit})) n
    ORDER BY n.distance LIMIT ${limit}`;
}

/** The nearest of those with the given ids: one by one, and only where they lie in the reach. */
function givenSeqs({ sql }: Meaning, { limit, conditions, vector }: Parts, ids: string): string {
  return `
    SELECT e.seq, v.distance FROM unnest(${ids}) AS i (id) CROSS JOIN LATERAL (
      SELECT e.seq FROM lamina.entries e
      WHERE e.tenant_id = (SELECT lamina.current_tenant()) AND e.id = i.id
        AND e.partition_id = ANY ((SELECT r.ids FROM reach r)::bigint[]) AND e.seq ${NOT_EXPIRED}${conditions} LIMIT 1) e
    CROSS JOIN LATERAL (
      SELECT ${sql.distance(vector)} AS distance FROM lamina.embeddings v
      WHERE v.seq = e.seq AND v.space_id = ${sql.spaceId} LIMIT 1) v
    ORDER BY v.distance LIMIT ${limit}`;
}

function similarityOf(meaning: Meaning | undefined, { vector }: Parts): string {
  if (meaning === undefined) return 'null::float8';
  const { spaceId, distance } = meaning.sql;
  return `(
    SELECT 1 - (${distance(vector)}) FROM lamina.embeddings v WHERE v.seq = e.seq AND v.space_id = ${spaceId} LIMIT 1)`;
}
