/**
 * Searching a reach that is small enough to be held in memory: the database says how near everything in it is, and as which it
 * was written; what it says of itself is read once. Chooses the same candidates as the statement of a search does.
 */

import type { Candidate, Term } from '../../ports/entry-store.ts';
import { countTerms } from '../sql/term-counts.ts';
import { averageOf, chosenOf, sumOf, type Found } from './postgres-choice.ts';
import type { DescribedPartition, TenantDescribed } from './postgres-described.ts';
import { isOfSameServer } from './postgres-page.ts';
import { MAX_POSTINGS, type Meaning } from './postgres-search.ts';
import {
  compareOf,
  DESCRIBE,
  distancesOf,
  MAX_ENTRIES,
  NOTHING_KNOWN,
  partitionOf,
  sentIn,
  SETTINGS,
  VECTORS_AT_A_TIME,
  vectorsOf,
  type DescribedRow,
  type PartitionRow,
  type VectorsRow,
} from './postgres-small-reach-rows.ts';
import { settledOf, unchangedVectors, type Vectors } from './postgres-settled-partition.ts';
import type { PrincipalSettled, Read } from './postgres-settled.ts';
import type { Ask } from './postgres-statement.ts';
import type { VectorSql } from './postgres-vector.ts';

/** Sealed contents are read whole, and are not worth their place. */
const MOST_CHARACTERS = 1024;

/** How often to begin again where somebody writes between two statements. */
const MAX_ATTEMPTS = 3;

/** What is remembered, for whoever searches. */
export interface RememberedReaches {
  readonly described: TenantDescribed;
  readonly settled: PrincipalSettled;
}

export interface SmallSearch {
  readonly keys: readonly string[];
  readonly terms: readonly Term[];
  readonly meaning: Meaning | undefined;
  readonly endings: number;
  readonly limit: number;
  /** Milliseconds. */
  readonly now: number;
}

export class PostgresSmallReach {
  readonly #ask: Ask;
  readonly #remembered: () => RememberedReaches;
  readonly #described: TenantDescribed;
  readonly #settled: PrincipalSettled;
  readonly #search: SmallSearch;

  constructor(ask: Ask, remembered: () => RememberedReaches, search: SmallSearch) {
    const { described, settled } = remembered();
    this.#ask = ask;
    this.#remembered = remembered;
    this.#described = described;
    this.#settled = settled;
    this.#search = search;
  }

  /**
   * Undefined where the reach is too large for this, or is being written to all the time. And where it is not described yet: to describe
   * all of it is worth it for those who come again, and takes longer than all the rest, so that it is done when nobody waits.
   */
  async candidates(): Promise<Candidate[] | undefined> {
    const { terms, meaning } = this.#search;
    if (!this.isHeld()) {
      this.describeLater();
      return undefined;
    }
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const rows = await this.#compare(meaning);
      if (rows === undefined || sumOf(rows, (row) => row.entries) * terms.length > MAX_POSTINGS) return undefined;
      const partitions = await this.#partitions(rows);
      if (partitions === undefined) continue;
      if (meaning !== undefined) this.#see(rows, meaning.sql);
      return this.#chosen(rows, partitions);
    }
    return undefined;
  }

  /** Whether all of the reach is described, as far as is known. */
  isHeld(): boolean {
    return this.isFit() && this.#described.isHeld(this.#search.keys);
  }

  /** For the searches to come, once there were some. */
  describeLater(): void {
    const { keys } = this.#search;
    if (!this.isFit() || this.#settled.isRare(keys)) return;
    this.#settled.later(keys, () => this.#begunAgain().#describe());
  }

  /** Whether all of it may be described. */
  isFit(): boolean {
    const { keys, endings } = this.#search;
    return endings <= MOST_CHARACTERS && !this.#described.isLarge(keys);
  }

  /** With what is remembered then: what is removed until then is not among what is read. */
  #begunAgain(): PostgresSmallReach {
    return new PostgresSmallReach(this.#ask, this.#remembered, this.#search);
  }

  async #describe(): Promise<void> {
    const { meaning } = this.#search;
    const rows = await this.#compare(undefined);
    const partitions = rows && (await this.#partitions(rows));
    if (partitions && meaning) this.#see(rows, meaning.sql);
  }

  /** Undefined where there are too many. */
  async #compare(meaning: Meaning | undefined): Promise<PartitionRow[] | undefined> {
    const { keys } = this.#search;
    const { sql, values } = compareOf(keys, meaning, MAX_ENTRIES);
    const rows = await this.#ask<PartitionRow>(sql, values, SETTINGS);
    if (sumOf(rows, (row) => row.entries) <= MAX_ENTRIES) return rows;
    this.#described.noteLarge(keys);
    return undefined;
  }

  /** As they were when they were compared; undefined where that is not known. */
  async #partitions(rows: readonly PartitionRow[]): Promise<DescribedPartition[] | undefined> {
    const held = new Map(rows.map(({ id }) => [id, this.#described.find(id)]));
    const isHeld = ({ id, stamp }: PartitionRow): boolean => held.get(id)?.stamp === stamp;
    const unknown = rows.filter((row) => !isHeld(row));
    for (const { id, stamp } of unknown) if (!isOfSameServer(held.get(id)?.stamp, stamp)) held.delete(id);
    const ids = unknown.map(({ id }) => id);
    for (const [id, partition] of ids.length === 0 ? [] : await this.#read(ids, held)) {
      held.set(id, partition);
      this.#described.hold(id, partition);
    }
    if (!rows.every(isHeld)) return undefined;
    this.#described.noteReach(
      this.#search.keys,
      rows.map(({ id }) => id),
    );
    return rows.flatMap(({ id }) => held.get(id) ?? []);
  }

  /** What is known of these partitions, with all that was written since. */
  async #read(
    ids: readonly number[],
    held: ReadonlyMap<number, DescribedPartition | undefined>,
  ): Promise<Map<number, DescribedPartition>> {
    const known = ids.flatMap((id) => [...(held.get(id)?.entries.values() ?? [])]);
    const [seqs, stamps] = [known.map(({ seq }) => seq), known.map(({ stamp }) => stamp)];
    const { keys, endings } = this.#search;
    const rows = await this.#ask<DescribedRow>(DESCRIBE, [keys, endings, seqs, stamps, ids], SETTINGS);
    const read = Map.groupBy(rows, ({ partitionId }) => partitionId);
    return new Map([...read].map(([id, found]) => [id, partitionOf(found, held.get(id))]));
  }

  #chosen(rows: readonly PartitionRow[], partitions: readonly DescribedPartition[]): Candidate[] {
    const { terms, limit, now, meaning } = this.#search;
    const distances = distancesOf(rows);
    const lexemes = terms.map(({ lexeme }) => lexeme);
    const found: Found[] = [];
    for (const { entries } of partitions) {
      for (const described of entries.values()) {
        if (described.expiresAt !== null && described.expiresAt <= now) continue;
        const frequencies = countTerms(described.lexemes, lexemes);
        found.push({ described, frequencies, distance: distances.get(described.seq) });
      }
    }
    return chosenOf(found, { terms, average: averageOf(rows), isByMeaning: meaning !== undefined, limit });
  }

  /** Where it was searched before, its vectors are read for the searches to come; nobody waits for that. */
  #see(rows: readonly PartitionRow[], sql: VectorSql): void {
    const { keys, endings } = this.#search;
    const partitions = rows.map(({ id, key, stamp, entries, lexemes }) => ({ id, key, stamp, entries, lexemes }));
    this.#settled.see({ keys, partitions, endings, sql }, async (wanted) => {
      const read: Read[] = [];
      for (const [id, before] of wanted) {
        const partition = this.#described.find(id) ?? NOTHING_KNOWN;
        const vectors = await this.#vectorsOf(id, partition, unchangedVectors(before, partition), sql);
        if (vectors) read.push({ id, stamp: partition.stamp, partition: settledOf(partition, vectors) });
      }
      return read;
    });
  }

  /** Those that are `known`, and the others, some at a time. Undefined where something was written there meanwhile. */
  async #vectorsOf(
    id: number,
    { stamp, entries }: DescribedPartition,
    known: Vectors,
    sql: VectorSql,
  ): Promise<Vectors | undefined> {
    const vectors = new Map(known);
    const unknown = [...entries.keys()].filter((seq) => !known.has(seq));
    for (let first = 0; first === 0 || first < unknown.length; first += VECTORS_AT_A_TIME) {
      const some = unknown.slice(first, first + VECTORS_AT_A_TIME);
      const statement = vectorsOf(this.#search.keys, id, some, sql);
      const [row] = await this.#ask<VectorsRow>(statement.sql, statement.values, SETTINGS);
      if (row?.stamp !== stamp) return undefined;
      for (const [seq, vector] of sentIn(row)) vectors.set(seq, vector);
    }
    return vectors;
  }
}
