/**
 * Entries that were read, held in memory: to make one of its 38 columns takes several times as long as all else of reading it, and
 * most that are read were read before. What there is, and as what, the file says each time; only what it says of one version of an
 * entry is not read twice.
 */

import { LRUCache } from 'lru-cache';
import { copyOfEntry } from '../../domain/entry-copy.ts';
import type { Entry } from '../../domain/entry.ts';
import { entryOf, type EntryRow } from './sqlite-entry-row.ts';
import type { IsFresh } from './sqlite-freshness.ts';
import { sharesOf } from './sqlite-search-memory.ts';

/** What an entry takes besides its texts, roughly. */
const ENTRY_BYTES = 2048;

/** Longer ones are read each time: they would take the place of many. */
const MOST_BYTES = 64 * 1024;

/** As which an entry was read. Whoever changes or recalls it changes one of these, and no number is ever given twice. */
export interface Stamp {
  readonly seq: number;
  readonly version: number;
  readonly content_hash: string;
  readonly access_count: number;
  readonly last_accessed_at: number | null;
}

/** Columns of {@link Stamp}, named as in the whole row. */
export const STAMP_COLUMNS = 'e.seq, e.version, e.content_hash, e.access_count, e.last_accessed_at';

/** Stamps that are remembered until somebody commits; then it begins anew. */
const MOST_STANDING = 4096;

interface Held {
  readonly stamp: Stamp;
  /** Never given away. */
  readonly entry: Entry;
  readonly holder: Map<number, Held>;
}

/** Of all tenants together, up to a bound; what was read longest ago goes first. */
export class SqliteHeldEntriesCache {
  readonly #held: LRUCache<Held, true>;

  constructor(maxBytes: number = sharesOf().entries) {
    this.#held = new LRUCache<Held, true>({
      maxSize: maxBytes,
      dispose: (_, held) => held.holder.delete(held.stamp.seq),
    });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize;
  }

  /** `isFresh` tells whether another process has written to the tenant's file: then nothing of it is held any longer. */
  ofTenant(isFresh: IsFresh): SqliteHeldEntries {
    return new SqliteHeldEntries(this.#held, isFresh);
  }
}

/** The same of one tenant. */
export class SqliteHeldEntries {
  readonly #all: LRUCache<Held, true>;
  readonly #isFresh: IsFresh;
  readonly #bySeq = new Map<number, Held>();
  /**
   * What was asked for since somebody last committed, and what was found: so long the file need not even say that. No part of a moment
   * of the standstill, which goes on while accesses are counted: stamps tell of those.
   */
  readonly #standing = new Map<string, readonly Stamp[]>();
  #standingStamps = 0;

  constructor(all: LRUCache<Held, true>, isFresh: IsFresh) {
    this.#all = all;
    this.#isFresh = isFresh;
  }

  /** To be called before anything is looked for: what somebody else has removed must not stay, and what they rewrote not be given. */
  begin(): void {
    if (!this.#isFresh()) this.forget();
  }

  /** To be called after each commit of this process. */
  noteCommit(): void {
    this.#standing.clear();
    this.#standingStamps = 0;
  }

  /** Notes what was found by asking for something. */
  stands(asked: string, stamps: readonly Stamp[]): void {
    this.#standingStamps += stamps.length + 1;
    if (this.#standingStamps > MOST_STANDING) this.noteCommit();
    else this.#standing.set(asked, stamps);
  }

  /** What was found by asking for it since the last commit. Some of it may have expired. */
  standing(asked: string): readonly Stamp[] | undefined {
    return this.#standing.get(asked);
  }

  /** A copy; undefined where another version was read, or none. */
  find(stamp: Stamp): Entry | undefined {
    const held = this.#bySeq.get(stamp.seq);
    if (held === undefined || !isSame(held.stamp, stamp)) return undefined;
    this.#all.get(held);
    return copyOfEntry(held.entry);
  }

  /** The entry of a row, which is held from here on. */
  hold(row: EntryRow): Entry {
    const entry = entryOf(row);
    const bytes = bytesOf(row);
    if (bytes > MOST_BYTES) return entry;
    const { seq, version, content_hash, access_count, last_accessed_at } = row as EntryRow & Stamp;
    const before = this.#bySeq.get(seq);
    if (before !== undefined) this.#all.delete(before);
    const held = {
      stamp: { seq, version, content_hash, access_count, last_accessed_at },
      entry,
      holder: this.#bySeq,
    };
    this.#all.set(held, true, { size: bytes });
    // Else there is no room for it.
    if (this.#all.has(held)) this.#bySeq.set(seq, held);
    return copyOfEntry(entry);
  }

  /** Lets go of everything: something was removed, or is written in another way, or the file is closed. */
  forget(): void {
    for (const held of this.#bySeq.values()) this.#all.delete(held);
    this.noteCommit();
  }
}

function isSame(a: Stamp, b: Stamp): boolean {
  return (
    a.version === b.version &&
    a.access_count === b.access_count &&
    a.last_accessed_at === b.last_accessed_at &&
    a.content_hash === b.content_hash
  );
}

function bytesOf({ content, metadata, provenance }: EntryRow): number {
  return ENTRY_BYTES + 2 * (String(content).length + String(metadata).length + String(provenance ?? '').length);
}
