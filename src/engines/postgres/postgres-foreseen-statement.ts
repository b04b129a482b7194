/**
 * The first search of a small reach as one statement: how common its words are, what is worth ranking, and what will probably be answered,
 * whole. It looks for nothing where one of the words may be the name of somebody who said something there, or where there are episodes.
 */

import type { Candidate, Foreseen } from '../../ports/entry-store.ts';
import { ENTRY_COLUMNS, SINCE, WITH_ACCESSES, type EntryRow } from './postgres-entry-row.ts';
import { partitionsBy } from './postgres-page.ts';
import { promiseBy } from './postgres-promise.ts';
import { MAX_POSTINGS, type Meaning } from './postgres-search.ts';
import { MAX_ENTRIES } from './postgres-small-reach-rows.ts';
import { Parameters, type Statement } from './postgres-statement.ts';
import { textOf } from './postgres-vector.ts';

/** Every row says the same of the reach. Where nothing was looked for or found there is one, without an id. */
export interface ForeseenRow extends Pick<
  Candidate,
  'layer' | 'contentHash' | 'importance' | 'confidence' | 'since' | 'length'
> {
  readonly documents: number;
  readonly lexemes: number;
  readonly episodes: number;
  readonly frequencies: readonly number[] | null;
  /** Whether the reach is as it was foreseen, so that the rows are what was found. */
  readonly isForeseen: boolean;
  readonly id: string | null;
  /** In turns which of the words it has, counted from 1, and how often; null where it has none. */
  readonly counts: string | null;
  /** Null where it has no vector. */
  readonly similarity: number | null;
  /** Of what will probably be answered. */
  readonly entry: EntryRow | null;
}

/** As the core weighs a term, see `core/recall/bm25.ts`. Whoever goes by it compares it with what the core says. */
const WEIGHT = 'ln(1 + (s.documents - c.documents + 0.5) / (c.documents + 0.5))';

/** See {@link PROMISE}: a text of average length that has a term again and again promises so many times its weight. */
const MOST_PROMISE = 1.9;

const NOT_EXPIRED = 'NOT IN (SELECT x.seq FROM expired x)';

/**
 * Answered by {@link ForeseenRow}s. Every limit of one and every offset of none says nothing new, but leaves the planner no choice: as in
 * the statement of larger reaches.
 */
export function foreseenOf(
  keys: readonly string[],
  { asked, former, names, limit, likely }: Foreseen,
  meaning: Meaning | undefined,
  now: number,
): Statement {
  const parameters = new Parameters();
  const all = parameters.bind([...asked, ...former, ...names], 'text[]');
  const [surely, words] = [asked.length, asked.length + former.length].map((count) => parameters.bind(count, 'int'));
  const most = parameters.bind(limit, 'bigint');
  const vector = meaning ? parameters.bind(textOf(meaning.vector), meaning.sql.type) : '';
  const bound = (value: number): string => parameters.bind(value, 'float8');
  const sql = `
    WITH reach AS MATERIALIZED (
      SELECT p.id, k.key, p.entry_count, p.lexeme_count FROM ${partitionsBy(parameters.bind(keys, 'text[]'))}),
    expired AS MATERIALIZED (SELECT e.seq FROM lamina.entries e WHERE e.expires_at <= ${parameters.bind(now, 'bigint')}),
    counted AS MATERIALIZED (
      SELECT t.place, t.lexeme, coalesce(sum(c.documents), 0)::float8 AS documents
      FROM unnest(${all}) WITH ORDINALITY AS t (lexeme, place) LEFT JOIN reach p ON true LEFT JOIN LATERAL (
        SELECT c.documents FROM lamina.word_counts c
        WHERE c.partition_id = p.id AND c.lexeme = t.lexeme LIMIT 1) c ON true
      GROUP BY t.place, t.lexeme),
    sums AS MATERIALIZED (
      SELECT s.documents, s.lexemes, s.episodes, c.frequencies, greatest(1, s.lexemes / greatest(1, s.documents)) AS average,
             s.documents BETWEEN 1 AND ${MAX_ENTRIES} AND s.episodes = 0 AND c.named = 0
               AND s.documents * c.terms <= ${MAX_POSTINGS} AS is_foreseen
      FROM (
        SELECT coalesce(sum(r.entry_count), 0)::float8 AS documents, coalesce(sum(r.lexeme_count), 0)::float8 AS lexemes,
               coalesce(sum(r.entry_count) FILTER (WHERE starts_with(r.key, '["episodic"')), 0)::float8 AS episodes
        FROM reach r) s
      CROSS JOIN (
        SELECT coalesce(sum(c.documents) FILTER (WHERE c.place > ${words}), 0) AS named,
               count(*) FILTER (WHERE c.place <= ${words} AND c.documents > 0) AS terms,
               json_agg(c.documents ORDER BY c.place) AS frequencies
        FROM counted c) c),
    terms AS MATERIALIZED (
      SELECT c.lexeme, c.place, c.documents, ${WEIGHT} AS weight FROM sums s CROSS JOIN counted c
      WHERE s.is_foreseen AND (c.place <= ${surely} OR c.place <= ${words} AND c.documents > 0)),
    promising AS MATERIALIZED (
      SELECT w.seq, sum(${promiseBy('(SELECT s.average FROM sums s)')} ORDER BY w.documents, w.place) AS promise,
             string_agg(concat(w.place, ' ', w.frequency), ' ') AS counts
      FROM terms t CROSS JOIN reach p CROSS JOIN LATERAL (
        SELECT w.seq, w.frequency, w.length, t.weight, t.documents, t.place FROM lamina.entry_words w
        WHERE w.partition_id = p.id AND w.lexeme = t.lexeme OFFSET 0) w
      WHERE t.documents > 0 AND w.seq ${NOT_EXPIRED}
      GROUP BY w.seq),
    near AS MATERIALIZED (${meaning ? distancesTo(vector, meaning) : 'SELECT null::bigint AS seq, null::float8 AS distance LIMIT 0'}),
    found AS MATERIALIZED (
      SELECT f.seq, w.promise, w.counts, n.distance FROM (
        (SELECT w.seq FROM promising w ORDER BY w.promise DESC, w.seq LIMIT ${most})
        UNION
        (SELECT n.seq FROM near n ORDER BY n.distance LIMIT ${most})) f
      LEFT JOIN promising w ON w.seq = f.seq LEFT JOIN near n ON n.seq = f.seq),
    described AS MATERIALIZED (
      SELECT f.seq, f.counts, 1 - f.distance AS similarity, e.id, e.layer, e.content_hash, e.importance, e.confidence, e.since, e.length,
             row_number() OVER (ORDER BY ${bound(likely.words)} * coalesce(f.promise / i.ideal, 0)
               + ${bound(likely.meaning)} * tanh(greatest(0, coalesce(1 - f.distance, 0) - ${bound(likely.mean)}) / ${bound(likely.spread)})
               + ${bound(likely.importance)} * e.importance + ${bound(likely.confidence)} * e.confidence DESC) AS place
      FROM (SELECT nullif(${MOST_PROMISE} * sum(t.weight), 0) AS ideal FROM terms t) i CROSS JOIN found f CROSS JOIN LATERAL (
        SELECT e.id, e.layer, e.content_hash, e.importance, e.confidence, ${SINCE} AS since, e.length
        FROM lamina.entries e WHERE e.seq = f.seq LIMIT 1) e)
    SELECT s.documents, s.lexemes, s.episodes, s.frequencies, s.is_foreseen AS "isForeseen", d.id, d.layer,
           d.content_hash AS "contentHash", d.importance, d.confidence, d.since, d.length, d.counts, d.similarity,
           CASE WHEN d.place <= ${parameters.bind(likely.count, 'bigint')} THEN (
             SELECT row_to_json(e) FROM (
               SELECT ${ENTRY_COLUMNS} FROM lamina.entries e ${WITH_ACCESSES} WHERE e.seq = d.seq LIMIT 1) e) END AS entry
    FROM sums s LEFT JOIN described d ON true`;
  return { sql, values: parameters.values };
}

/** Of all vectors of the reach. */
function distancesTo(vector: string, { sql: { spaceId, distance } }: Meaning): string {
  return `
      SELECT v.seq, v.distance FROM reach p CROSS JOIN LATERAL (
        SELECT v.seq, ${distance(vector)} AS distance FROM lamina.embeddings v
        WHERE v.space_id = ${spaceId} AND v.partition_id = p.id AND (SELECT s.is_foreseen FROM sums s) OFFSET 0) v
      WHERE v.seq ${NOT_EXPIRED}`;
}
