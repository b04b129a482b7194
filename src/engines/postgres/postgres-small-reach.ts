/**
 * Searching a reach that is small enough to be held in memory: the database says how near everything in it is, and as which it
 * was written; what it says of itself is read once. Chooses the same candidates as the statement of a search does.
 */

import type { Candidate, Term } from '../../ports/entry-store.ts';
import { candidateOf } from '../sql/described.ts';
import { countTerms } from '../sql/term-counts.ts';
import type { Described, DescribedPartition, TenantDescribed } from './postgres-described.ts';
import { promiseOf } from './postgres-promise.ts';
import { MAX_POSTINGS, type Meaning } from './postgres-search.ts';
import {
  compareOf,
  DESCRIBE,
  distancesOf,
  partitionOf,
  SETTINGS,
  type DescribedRow,
  type PartitionRow,
} from './postgres-small-reach-rows.ts';
import type { Ask } from './postgres-statement.ts';

/** Entries. Of more not all are sent, but only what the indexes choose. */
const MAX_ENTRIES = 2048;

/** Sealed contents are read whole, and are not worth their place. */
const MOST_CHARACTERS = 1024;

/** How often to begin again where somebody writes between two statements. */
const MAX_ATTEMPTS = 3;

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
  readonly #described: TenantDescribed;
  readonly #search: SmallSearch;

  constructor(ask: Ask, described: TenantDescribed, search: SmallSearch) {
    this.#ask = ask;
    this.#described = described;
    this.#search = search;
  }

  /** Undefined where the reach is too large for this, or is being written to all the time. */
  async candidates(): Promise<Candidate[] | undefined> {
    const { keys, terms, endings, meaning } = this.#search;
    if (endings > MOST_CHARACTERS || this.#described.isLarge(keys)) return undefined;
    const { sql, values } = compareOf(keys, meaning, MAX_ENTRIES);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const rows = await this.#ask<PartitionRow>(sql, values, SETTINGS);
      const entries = sumOf(rows, (row) => row.entries);
      if (entries > MAX_ENTRIES || entries * terms.length > MAX_POSTINGS) {
        if (entries > MAX_ENTRIES) this.#described.noteLarge(keys);
        return undefined;
      }
      const partitions = await this.#partitions(rows);
      if (partitions !== undefined) return this.#chosen(rows, partitions);
    }
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
    return rows.every(isHeld) ? rows.flatMap(({ id }) => held.get(id) ?? []) : undefined;
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
    const [words, entries] = [sumOf(rows, (row) => row.lexemes), sumOf(rows, (row) => row.entries)];
    const average = Math.max(1, words / Math.max(1, entries));
    const byWords = mostPromising(found.filter(hasAnyTerm), terms, average, limit);
    const byMeaning = meaning === undefined ? [] : nearest(found, limit);
    return [...new Set([...byWords, ...byMeaning])].map(({ described: { entry }, frequencies, distance }) =>
      candidateOf(entry, frequencies, distance === undefined ? undefined : 1 - distance),
    );
  }
}

/** Whether nothing but what was written since is different: see the stamps of partitions. */
function isOfSameServer(before: string | undefined, now: string): boolean {
  return before?.split(' ', 1)[0] === now.split(' ', 1)[0];
}

/** An entry, and what it has of what is looked for. */
interface Found {
  readonly described: Described;
  readonly frequencies: readonly number[];
  /** Undefined where it has no vector. */
  readonly distance: number | undefined;
}

function hasAnyTerm({ frequencies }: Found): boolean {
  return frequencies.some((count) => count > 0);
}

function mostPromising(
  hits: readonly Found[],
  terms: readonly Term[],
  average: number,
  limit: number,
): readonly Found[] {
  if (hits.length <= limit) return hits;
  const promised = hits.map((found) => ({
    found,
    promise: promiseOf(found.described.entry.length, found.frequencies, terms, average),
  }));
  promised.sort((a, b) => b.promise - a.promise || a.found.described.seq - b.found.described.seq);
  return promised.slice(0, limit).map(({ found }) => found);
}

function nearest(all: readonly Found[], limit: number): readonly Found[] {
  const compared = all.filter(({ distance }) => distance !== undefined);
  if (compared.length <= limit) return compared;
  // Numbers are sorted in a fraction of the time.
  const farthest = Number(Float64Array.from(compared, ({ distance }) => Number(distance)).toSorted()[limit - 1]);
  const near = compared.filter(({ distance }) => !(Number(distance) > farthest));
  if (near.length === limit) return near;
  return near.toSorted((a, b) => Number(a.distance) - Number(b.distance)).slice(0, limit);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
