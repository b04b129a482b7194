/** The text index and the vector index: what might be recalled, found and described in one statement. */

import type { Partition } from '../../domain/access.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type {
  Candidate,
  Embedding,
  Foreseen,
  Nearest,
  Probe,
  Reach,
  Term,
  TextStatistics,
} from '../../ports/entry-store.ts';
import { saidOf } from '../sql/said.ts';
import { countTerms } from '../sql/term-counts.ts';
import { PostgresForesight } from './postgres-foresight.ts';
import { keysOf, partitionsBy } from './postgres-page.ts';
import { candidatesOf, nearestOf, type CandidateRow, type Meaning, type SearchRow } from './postgres-search.ts';
import { PostgresSmallReach, type RememberedReaches } from './postgres-small-reach.ts';
import type { PostgresSpaces } from './postgres-spaces.ts';
import type { Ask, Statement } from './postgres-statement.ts';
import { vectorOf, vectorSql } from './postgres-vector.ts';

const SELECT_STATISTICS = `
  WITH reach AS MATERIALIZED (
    SELECT p.id, p.entry_count, p.lexeme_count, k.key FROM ${partitionsBy('$1::text[]')})
  SELECT coalesce(sum(r.entry_count), 0)::bigint AS documents, coalesce(sum(r.lexeme_count), 0)::bigint AS lexemes,
         coalesce(sum(r.entry_count) FILTER (WHERE starts_with(r.key, '["episodic"')), 0)::bigint AS episodes, (
    SELECT coalesce(json_agg(f.documents ORDER BY f.place), '[]') FROM (
      SELECT t.place, coalesce(sum(c.documents), 0) AS documents
      FROM unnest($2::text[]) WITH ORDINALITY AS t (lexeme, place) LEFT JOIN reach p ON true LEFT JOIN LATERAL (
        SELECT c.documents FROM lamina.word_counts c
        WHERE c.partition_id = p.id AND c.lexeme = t.lexeme LIMIT 1) c ON true
      GROUP BY t.place) f) AS frequencies
  FROM reach r`;

const SELECT_VECTORS = `
  SELECT e.id, v.vector::text AS vector FROM unnest($2::uuid[]) AS i (id)
  CROSS JOIN LATERAL (SELECT e.id, e.seq FROM lamina.entries e WHERE e.id = i.id LIMIT 1) e
  CROSS JOIN LATERAL (
    SELECT v.vector FROM lamina.embeddings v WHERE v.seq = e.seq AND v.space_id = $1::int LIMIT 1) v`;

/**
 * How the index over all vectors is gone through: on until enough of them may be seen, in the order of distance but for
 * a little. The rest is about the plan, which the statements spell out to the last join: it is made once, uses that
 * index where it is named however few rows the planner expects, and is not compiled.
 */
const SETTINGS = `
  SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '400', true),
         set_config('hnsw.max_scan_tuples', '40000', true), set_config('hnsw.scan_mem_multiplier', '4', true),
         set_config('enable_sort', 'off', true)`;

interface StatisticsRow {
  readonly documents: number;
  readonly lexemes: number;
  readonly episodes: number;
  readonly frequencies: readonly number[];
}

/** What is remembered for whoever asks, of so much of each entry. */
type RememberedBy = (endings: number) => RememberedReaches;

export class PostgresRecall {
  readonly #ask: Ask;
  readonly #clock: Clock;
  readonly #spaces: PostgresSpaces;
  readonly #vectorSchema: string;
  readonly #remembered: RememberedBy | undefined;

  /** Without `remembered` everything is read for each search: within a transaction, which sees what nobody else does. */
  constructor(ask: Ask, clock: Clock, spaces: PostgresSpaces, vectorSchema: string, remembered?: RememberedBy) {
    this.#remembered = remembered;
    this.#ask = ask;
    this.#clock = clock;
    this.#spaces = spaces;
    this.#vectorSchema = vectorSchema;
  }

  async textStatistics(partitions: readonly Partition[], lexemes: readonly string[]): Promise<TextStatistics> {
    const [row] = await this.#ask<StatisticsRow>(SELECT_STATISTICS, [keysOf(partitions), lexemes]);
    const { documents = 0, lexemes: total = 0, episodes = 0, frequencies = [] } = row ?? {};
    const averageLength = documents === 0 ? 0 : total / documents;
    return { documents, averageLength, episodes, documentFrequencies: frequencies };
  }

  async candidates(reach: Reach, { terms, embedding, near, endings = 1 }: Probe, limit: number): Promise<Candidate[]> {
    const meaning = embedding && (await this.#meaningOf(embedding));
    if (terms.length === 0 && meaning === undefined) return [];
    const small = near === undefined ? await this.#ofSmall(reach, terms, meaning, endings, limit) : undefined;
    if (small !== undefined) return small;
    const search = { reach, limit, now: this.#clock.now(), meaning, near };
    const rows = await this.#search<CandidateRow>(limit, (isExact) => candidatesOf(search, terms, endings, isExact));
    const lexemes = terms.map(({ lexeme }) => lexeme);
    return rows.map((row) => candidateOf(row, lexemes));
  }

  /** All of a search in one statement, as far as it was foreseen. Undefined where it is better asked otherwise. */
  async foresight(partitions: readonly Partition[], foreseen: Foreseen): Promise<PostgresForesight | undefined> {
    const { embedding, endings = 1 } = foreseen.probe;
    const meaning = embedding && (await this.#meaningOf(embedding));
    const remembered = this.#remembered;
    if (remembered === undefined || (embedding && meaning === undefined)) return undefined;
    const [keys, now] = [keysOf(partitions), this.#clock.now()];
    const search = { keys, terms: [], meaning, endings, limit: foreseen.limit, now };
    const reach = new PostgresSmallReach(this.#ask, () => remembered(endings), search);
    if (reach.isHeld() || !reach.isFit()) return undefined;
    return PostgresForesight.read({
      ask: this.#ask,
      keys,
      foreseen,
      meaning,
      now,
      used: () => {
        reach.describeLater();
      },
    });
  }

  /** Undefined where the reach is not a small one, or there are conditions. */
  async #ofSmall(
    { partitions, ...conditions }: Reach,
    terms: readonly Term[],
    meaning: Meaning | undefined,
    endings: number,
    limit: number,
  ): Promise<Candidate[] | undefined> {
    const isConditional = Object.values(conditions).some((value) => value !== undefined);
    const remembered = this.#remembered;
    if (remembered === undefined || isConditional) return undefined;
    const search = { keys: keysOf(partitions), terms, meaning, endings, limit, now: this.#clock.now() };
    return new PostgresSmallReach(this.#ask, () => remembered(endings), search).candidates();
  }

  async nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]> {
    const meaning = await this.#meaningOf(embedding);
    if (meaning === undefined) return [];
    const search = { reach, limit, now: this.#clock.now(), meaning };
    const rows = await this.#search<SearchRow>(limit, (isExact) => nearestOf(search, isExact));
    return rows.map(({ id, similarity }) => ({ id, similarity: similarity ?? 0 }));
  }

  async vectors(space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>> {
    const spaceId = await this.#spaces.find(space, this.#ask);
    if (spaceId === undefined) return new Map();
    const rows = await this.#ask<{ id: string; vector: string }>(SELECT_VECTORS, [spaceId, ids]);
    return new Map(rows.map(({ id, vector }) => [id, vectorOf(vector)]));
  }

  /** Undefined for a space in which nothing was embedded yet: it holds no vectors. */
  async #meaningOf({ space, vector }: Embedding): Promise<Meaning | undefined> {
    const spaceId = await this.#spaces.find(space, this.#ask);
    return spaceId === undefined
      ? undefined
      : { vector, sql: vectorSql(this.#vectorSchema, spaceId, space.dimensions) };
  }

  /** The index gives up at some time; where it did, and there may be more, vectors are compared one by one. */
  async #search<R extends SearchRow>(limit: number, statementOf: (isExact: boolean) => Statement): Promise<Found<R>[]> {
    const ask = (isExact: boolean): Promise<R[]> => {
      const { sql, values } = statementOf(isExact);
      return this.#ask(sql, values, SETTINGS);
    };
    let rows = await ask(false);
    const near = rows.filter(({ isNear }) => isNear === true).length;
    if (rows.some(({ entries }) => entries !== null && near < Math.min(limit, entries))) rows = await ask(true);
    return rows.filter((row): row is Found<R> => row.id !== null);
  }
}

type Found<R extends SearchRow> = R & { readonly id: string };

function candidateOf(row: Found<CandidateRow>, terms: readonly string[]): Candidate {
  return {
    id: row.id,
    layer: row.layer,
    contentHash: row.contentHash,
    importance: row.importance,
    confidence: row.confidence,
    since: row.since,
    length: row.length,
    frequencies: row.frequencies ?? countTerms(row.lexemes ?? '', terms),
    similarity: row.similarity ?? undefined,
    said: saidOf(row),
  };
}
