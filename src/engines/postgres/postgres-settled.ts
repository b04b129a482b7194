/**
 * Reaches to which nobody writes for a while, held whole: words, vectors and what the ranking reads. A search there is answered from
 * memory, and only then the database is asked whether it is all still so, in the statement that reads what was found.
 */

import { LRUCache } from 'lru-cache';
import type { Principal } from '../../domain/principal.ts';
import { ChangeCounts } from './change-counts.ts';
import { settledBytesOf, type SettledPartition } from './postgres-settled-partition.ts';
import type { VectorSql } from './postgres-vector.ts';

/**
 * A reach is cached only if it is searched again before this share of what may be held was taken up by others; otherwise they
 * just evict each other.
 */
const SEEN_SHARE = 0.5;

/** What an entry takes that is held, with its vector, roughly. */
const HELD_ENTRY_BYTES = 2560;

/**
 * To read a reach whole takes as long as five or six searches of it save afterwards. Who has searched it so many times is likely to search
 * it as many times again; of those who search it once or twice, most have had what they wanted.
 */
const RARE = 3;

/** How many entries a reach is taken to have of which nothing is known. */
const LIKELY_ENTRIES = 512;

/** Partitions that cannot be held are remembered as such for a while, so that nobody reads them in vain: vectors may be added to what is there. */
const MAX_UNFIT = 1000;
const UNFIT_MS = 60_000;

/** Until a search is answered, and whoever asked has perhaps asked for something else. */
const LATER_MS = 20;
const MAX_LATER = 100;

/** A partition as it was when it was searched. */
export interface SeenPartition {
  readonly id: number;
  readonly key: string;
  readonly stamp: string;
  readonly entries: number;
  readonly lexemes: number;
}

/** All partitions that a principal reaches by some keys, as they were when they were last searched. */
export interface SeenReach {
  readonly keys: readonly string[];
  readonly partitions: readonly SeenPartition[];
  /** How much of each entry was read, and in which space it was compared. */
  readonly endings: number;
  readonly sql: VectorSql;
}

export interface SettledReach extends SeenReach {
  readonly settled: readonly SettledPartition[];
}

/** What is held of a reach that may have changed since. */
export interface OutdatedReach {
  readonly reach: SettledReach;
  /** As it is now. Does nothing where something was removed since this was asked for: it may be among it. */
  readonly hold: (reach: SettledReach) => void;
  /** It is to be read anew, and so is all of this partition, where one is named. */
  readonly giveUp: (partitionId?: number) => undefined;
}

/** By the numbers of partitions, and with what is held of them that has changed since. */
type ReadPartitions = (wanted: ReadonlyMap<number, SettledPartition | undefined>) => Promise<readonly Read[]>;

/** What was read of a partition; undefined where it cannot be held. */
export interface Read {
  readonly id: number;
  readonly stamp: string;
  readonly partition: SettledPartition | undefined;
}

interface Seen {
  /** Undefined of what has hardly been searched. */
  readonly reach: SeenReach | undefined;
  searches: number;
  /**
   * The count of what its principal had written when it was last the same at two searches, as far as is known: while that is the count,
   * nobody is known to have written since. Undefined where it was not the same.
   */
  calmSince: number | undefined;
  /** Whether somebody else is writing to it, so that it is to be asked about first. */
  isDisturbed: boolean;
}

/** Of one principal, as others search at the same time. */
export interface PrincipalSettled {
  /** Whether a reach has hardly been searched for a while, so that it is not worth reading all of it. Called once for each search there. */
  isRare(keys: readonly string[]): boolean;
  /** Does this of a reach a moment later, with nobody waiting for it. Where that fails, or too much is to be done, it is not done. */
  later(keys: readonly string[], work: () => Promise<void>): void;
  /** All of a reach, where all is held as it was last seen. */
  find(keys: readonly string[]): SettledReach | undefined;
  /** The same as it was once. */
  findOutdated(keys: readonly string[]): OutdatedReach | undefined;
  /**
   * Tells how a reach was found. Where it is worth being held `read` is asked for those partitions that are not, meanwhile. Should
   * that fail, the next one who searches tries again.
   */
  see(reach: SeenReach, read: ReadPartitions): void;
  /** The principal has written something. */
  unsettle(): void;
  /** It has turned out that somebody else has written to it. */
  disturb(keys: readonly string[]): void;
}

export class PostgresSettled {
  readonly #held: LRUCache<string, SettledPartition>;
  /** The stamps of what cannot be held. */
  readonly #unfit = new LRUCache<string, string>({ max: MAX_UNFIT, ttl: UNFIT_MS });
  readonly #seen: LRUCache<string, Seen>;
  /** By principal, what they wrote. */
  readonly #writes = new ChangeCounts();
  /** What is to be done a moment later, in this order. */
  readonly #later = new Map<string, () => Promise<void>>();
  #isReading = false;
  readonly #removals = new ChangeCounts();

  /** For all tenants together: 64 MiB are enough for some seventy users with six hundred memories each. */
  constructor(maxBytes: number) {
    this.#held = new LRUCache({ maxSize: maxBytes });
    this.#seen = new LRUCache({ maxSize: Math.floor(maxBytes * SEEN_SHARE) });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize;
  }

  ofPrincipal(principal: Principal): PrincipalSettled {
    const { tenantId } = principal;
    const beginning = beginningOf(principal);
    const nameOf = (keys: readonly string[]): string => beginning + keys.join();
    const writes = (): number => this.#writes.of(beginning);
    return {
      isRare: (keys) => {
        const name = nameOf(keys);
        const seen = this.#seen.get(name);
        if (seen) seen.searches += 1;
        else this.#see(name, { reach: undefined, searches: 1, calmSince: writes(), isDisturbed: false });
        return (seen?.searches ?? 1) <= RARE;
      },
      later: (keys, work) => this.#doLater(nameOf(keys), work),
      find: (keys) => {
        const { calmSince, reach } = this.#seen.get(nameOf(keys)) ?? {};
        return calmSince === writes() && reach ? this.#find(tenantId, reach, true) : undefined;
      },
      findOutdated: (keys) => this.#findOutdated(tenantId, nameOf(keys), writes),
      see: (reach, read) => {
        const name = nameOf(reach.keys);
        const before = this.#seen.get(name);
        const isCalm = before?.reach ? isSame(before.reach, reach) : before?.calmSince === writes();
        const searches = before?.searches ?? 1;
        this.#see(name, { reach, searches, calmSince: isCalm ? writes() : undefined, isDisturbed: false });
        if (before !== undefined && !this.#isReading) void this.#read(tenantId, reach, read);
      },
      unsettle: () => {
        this.#writes.note(beginning);
      },
      disturb: (keys) => {
        const seen = this.#seen.get(nameOf(keys));
        if (seen) Object.assign(seen, { calmSince: undefined, isDisturbed: true });
      },
    };
  }

  /** Lets go of where something was removed of a tenant; without `ids` of everything. */
  forget(tenantId: string, ids?: ReadonlySet<string>): void {
    this.#removals.note(tenantId);
    for (const [name, { entries }] of this.#held.entries()) {
      if (!name.startsWith(`${tenantId} `)) continue;
      if (ids === undefined || entries.some(({ entry }) => ids.has(entry.id))) this.#held.delete(name);
    }
  }

  #doLater(name: string, work: () => Promise<void>): void {
    if (this.#later.size >= MAX_LATER || this.#later.has(name)) return;
    this.#later.set(name, work);
    if (this.#later.size === 1) setTimeout(() => void this.#doAll(), LATER_MS).unref();
  }

  /** One after another, so that searches do not wait for many of them. */
  async #doAll(): Promise<void> {
    for (const [name, work] of this.#later) {
      // Whoever searches there again has it done.
      await work().catch(() => {});
      this.#later.delete(name);
    }
  }

  #find(tenantId: string, reach: SeenReach, isAsSeen: boolean): SettledReach | undefined {
    const settled = reach.partitions.flatMap(({ id, stamp }) => {
      const partition = this.#held.get(nameOfPartition(tenantId, reach, id));
      return partition !== undefined && (!isAsSeen || partition.stamp === stamp) ? partition : [];
    });
    return settled.length === reach.partitions.length ? { ...reach, settled } : undefined;
  }

  #findOutdated(tenantId: string, name: string, writes: () => number): OutdatedReach | undefined {
    const seen = this.#seen.get(name);
    const before = seen?.reach;
    const reach = before && this.#find(tenantId, before, false);
    if (seen === undefined || reach === undefined) return undefined;
    const removals = this.#removals.of(tenantId);
    const hold = (now: SettledReach): void => {
      if (removals !== this.#removals.of(tenantId)) return;
      now.partitions.forEach(({ id }, index) => {
        const partition = now.settled[index];
        if (partition) this.#hold(nameOfPartition(tenantId, now, id), partition);
      });
      const isCalm = !seen.isDisturbed || isSame(reach, now);
      const { settled: _, ...reachNow } = now;
      const calmSince = isCalm ? writes() : undefined;
      this.#see(name, { reach: reachNow, searches: seen.searches, calmSince, isDisturbed: !isCalm });
    };
    const giveUp = (id?: number): undefined => {
      this.#seen.delete(name);
      if (id !== undefined) this.#held.delete(nameOfPartition(tenantId, reach, id));
      return undefined;
    };
    return { reach, hold, giveUp };
  }

  #see(name: string, seen: Seen): void {
    // Of what is there already it would not change the size.
    this.#seen.delete(name);
    this.#seen.set(name, seen, { size: seenBytesOf(seen.reach) });
  }

  #hold(name: string, partition: SettledPartition): void {
    // Of what is held already it would not change the size.
    this.#held.delete(name);
    this.#held.set(name, partition, { size: settledBytesOf(partition) });
  }

  async #read(tenantId: string, reach: SeenReach, read: ReadPartitions): Promise<void> {
    const wanted = new Map<number, SettledPartition | undefined>();
    for (const { id, stamp } of reach.partitions) {
      const name = nameOfPartition(tenantId, reach, id);
      const held = this.#held.get(name);
      if (held?.stamp !== stamp && this.#unfit.get(name) !== stamp) wanted.set(id, held);
    }
    if (wanted.size === 0) return;
    const removals = this.#removals.of(tenantId);
    this.#isReading = true;
    try {
      for (const { id, stamp, partition } of await read(wanted)) {
        const name = nameOfPartition(tenantId, reach, id);
        if (partition === undefined) this.#unfit.set(name, stamp);
        // What was removed meanwhile may be among it.
        else if (removals === this.#removals.of(tenantId)) this.#hold(name, partition);
      }
    } catch {
      // Searches go on as before.
    } finally {
      this.#isReading = false;
    }
  }
}

/** Of the names of all that a principal reaches. */
function beginningOf({ tenantId, userId }: Principal): string {
  return `${tenantId} ${JSON.stringify(userId)} `;
}

function nameOfPartition(tenantId: string, { endings, sql }: SeenReach, id: number): string {
  return `${tenantId} ${endings} ${sql.spaceId} ${id}`;
}

function isSame(before: SeenReach, now: SeenReach): boolean {
  return stampsOf(before.partitions) === stampsOf(now.partitions);
}

/** The stamps of partitions in the order of their numbers, as the database is asked for them. */
export function stampsOf(partitions: readonly SeenPartition[]): string {
  return partitions
    .toSorted((a, b) => a.id - b.id)
    .map(({ stamp }) => stamp)
    .join();
}

/** What it would take to hold it, roughly. */
function seenBytesOf(reach: SeenReach | undefined): number {
  const entries = reach?.partitions.reduce((sum, partition) => sum + partition.entries, 1) ?? LIKELY_ENTRIES;
  return entries * HELD_ENTRY_BYTES;
}
