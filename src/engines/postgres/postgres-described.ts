/**
 * What the ranking reads of entries, held in memory: a user's memory is searched again and again, and hardly an entry of it has
 * changed since. What is there, who may see it and how near it is, the database says each time, and with it whether anything
 * in a partition was written since it was read.
 */

import { LRUCache } from 'lru-cache';
import type { DescribedEntry } from '../sql/described.ts';
import { ChangeCounts } from './change-counts.ts';

/** What an entry takes besides its texts, roughly. */
const ENTRY_BYTES = 640;

/** Reaches that are too large are remembered as such, so that nobody asks for them in vain. */
const MAX_LARGE = 1000;

/** Of so many reaches it is remembered which partitions they have. */
const MAX_REACHES = 4096;

export interface Described {
  readonly seq: number;
  /** Of the row: another one after each change. */
  readonly stamp: string;
  readonly lexemes: string;
  readonly expiresAt: number | null;
  /** All but what depends on the question. */
  readonly entry: DescribedEntry;
}

/** The entries of a partition, by their numbers. */
export interface DescribedPartition {
  /** Another one after anything was written to it. */
  readonly stamp: string;
  readonly entries: Map<number, Described>;
}

/** Of one tenant, as others are searched at the same time. */
export interface TenantDescribed {
  find(partitionId: number): DescribedPartition | undefined;
  /** Does nothing where something was removed since this was made: it may be among what was read before. */
  hold(partitionId: number, partition: DescribedPartition): void;
  /** Whether all partitions of a reach are held, as far as is known. */
  isHeld(keys: readonly string[]): boolean;
  noteReach(keys: readonly string[], partitionIds: readonly number[]): void;
  isLarge(keys: readonly string[]): boolean;
  noteLarge(keys: readonly string[]): void;
}

export class PostgresDescribed {
  readonly #held: LRUCache<string, DescribedPartition>;
  readonly #large = new LRUCache<string, true>({ max: MAX_LARGE });
  readonly #reaches = new LRUCache<string, readonly number[]>({ max: MAX_REACHES });
  readonly #removals = new ChangeCounts();

  /** For all tenants together: 64 MiB are enough for the memories of a hundred users. */
  constructor(maxBytes: number) {
    this.#held = new LRUCache({ maxSize: maxBytes });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize;
  }

  /** `endings` is how much of each entry is read. */
  ofTenant(tenantId: string, endings: number): TenantDescribed {
    const removals = this.#removals.of(tenantId);
    const named = (partitionId: number): string => `${tenantId} ${endings} ${partitionId}`;
    const reachOf = (keys: readonly string[]): string => `${tenantId} ${keys.join()}`;
    return {
      find: (partitionId) => this.#held.get(named(partitionId)),
      hold: (partitionId, partition) => {
        if (removals !== this.#removals.of(tenantId)) return;
        const name = named(partitionId);
        // Of what is held already it would not change the size.
        this.#held.delete(name);
        this.#held.set(name, partition, { size: bytesOf(partition.entries.values()) });
      },
      isHeld: (keys) => this.#reaches.get(reachOf(keys))?.every((id) => this.#held.has(named(id))) ?? false,
      noteReach: (keys, partitionIds) => this.#reaches.set(reachOf(keys), partitionIds),
      isLarge: (keys) => this.#large.has(reachOf(keys)),
      noteLarge: (keys) => this.#large.set(reachOf(keys), true),
    };
  }

  /** Lets go of what was removed of a tenant; without `ids` of everything. */
  forget(tenantId: string, ids?: ReadonlySet<string>): void {
    this.#removals.note(tenantId);
    for (const [name, { entries }] of this.#held.entries()) {
      if (!name.startsWith(`${tenantId} `)) continue;
      if (ids === undefined) this.#held.delete(name);
      else for (const { seq, entry } of entries.values()) if (ids.has(entry.id)) entries.delete(seq);
    }
  }
}

/** Roughly. */
export function bytesOf(entries: Iterable<Described>): number {
  let bytes = ENTRY_BYTES;
  for (const { lexemes, entry } of entries) {
    bytes += ENTRY_BYTES + lexemes.length + (entry.said?.ending.length ?? 0);
  }
  return bytes;
}
