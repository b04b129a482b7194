/**
 * What the ranking reads of entries, held in memory: a conversation is searched again and again, and of its hundreds of turns
 * hardly one has changed since. What is there, and how near it is, the file says each time. Only what it says of one version of
 * an entry need not be read twice.
 */

import { LRUCache } from 'lru-cache';
import type { DescribedEntry } from '../sql/described.ts';
import { saidOf } from '../sql/said.ts';
import { countLexemes } from '../sql/term-counts.ts';
import type { CandidateRow, Similarity } from './sqlite-entry-row.ts';
import { sharesOf } from './sqlite-search-memory.ts';
import type { Moment } from './sqlite-standstill.ts';

/** What an entry takes besides its texts, roughly. */
const ENTRY_BYTES = 640;

/** Sealed contents are read whole, and are not worth their place. */
const MOST_CHARACTERS = 1024;

/** As which an entry was described: whoever changes it changes one of the two, and no number is ever given twice. */
export interface Seen {
  readonly seq: number;
  readonly version: number;
  readonly contentHash: string;
}

export interface Described extends Seen {
  readonly lexemes: string;
  /** All but what depends on the question. */
  readonly entry: DescribedEntry;
}

/** An entry, and how similar it is in meaning. */
export interface Compared extends Similarity {
  readonly described: Described;
}

/** The columns of {@link Seen}. */
export const SEEN_COLUMNS = 'e.seq, e.version, e.content_hash AS contentHash';

export type ComparedRow = CandidateRow & Similarity;

export function comparedOf(row: ComparedRow): Compared {
  return { described: describedOf(row), similarity: row.similarity };
}

export function describedOf(row: CandidateRow): Described {
  const { seq, version, contentHash, lexemes, id, layer, importance, confidence, since } = row;
  const entry = {
    id,
    layer,
    contentHash,
    importance,
    confidence,
    since,
    length: countLexemes(lexemes),
    said: saidOf(row),
  };
  return { seq, version, contentHash, lexemes, entry };
}

/** The last event of a file, the last that was pruned, and the last change that is none. */
export interface Position {
  readonly event: number;
  readonly pruned: number;
  readonly change: number;
}

/** The entries of one reach. */
export class DescribedReach {
  readonly #entries = new Map<number, Described>();
  #bytes = 0;
  #completeAt: Moment | undefined;
  #currentAt: Moment | undefined;
  #position: Position | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  /** How many entries are described. */
  get size(): number {
    return this.#entries.size;
  }

  /** Up to which all changes of what is described are known. */
  get position(): Position | undefined {
    return this.#position;
  }

  has(seq: number): boolean {
    return this.#entries.has(seq);
  }

  /** At which all was described that is there, as it is. */
  get completeAt(): Moment | undefined {
    return this.#completeAt;
  }

  /** At which nothing was described as it no longer is. */
  get currentAt(): Moment | undefined {
    return this.#currentAt;
  }

  /** Undefined where another version was described, or none. */
  find({ seq, version, contentHash }: Seen): Described | undefined {
    const described = this.#entries.get(seq);
    return described?.version === version && described.contentHash === contentHash ? described : undefined;
  }

  /** With what is known of them: should another process have changed one meanwhile, as it is now. */
  described(compared: readonly (Pick<Seen, 'seq'> & Similarity)[]): Compared[] {
    const all: Compared[] = [];
    for (const { seq, similarity } of compared) {
      const described = this.#entries.get(seq);
      if (described) all.push({ described, similarity });
    }
    return all;
  }

  add(described: Described): void {
    this.drop(described.seq);
    this.#entries.set(described.seq, described);
    this.#bytes += bytesOf(described);
  }

  /** Lets go of what is no longer there, given all that is at a moment. */
  keepOnly(seen: readonly Pick<Seen, 'seq'>[], moment: Moment, position?: Position): void {
    this.#completeAt = moment;
    this.stands(moment, position);
    if (this.#entries.size === seen.length) return;
    const there = new Set(seen.map(({ seq }) => seq));
    for (const seq of this.#entries.keys()) if (!there.has(seq)) this.drop(seq);
  }

  /** All that is described stands as it is at a moment. */
  stands(moment: Moment, position: Position | undefined): void {
    this.#currentAt = moment;
    this.#position = position;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  drop(seq: number): void {
    const described = this.#entries.get(seq);
    if (described === undefined) return;
    this.#bytes -= bytesOf(described);
    this.#entries.delete(seq);
  }
}

function bytesOf({ lexemes, entry }: Described): number {
  return ENTRY_BYTES + lexemes.length + (entry.said?.ending.length ?? 0);
}

/** The reaches that were searched last, of all tenants together, up to a bound. */
export class SqliteDescribedCache {
  readonly #held: LRUCache<string, DescribedReach>;
  #tenants = 0;

  constructor(maxBytes: number = sharesOf().described) {
    this.#held = new LRUCache({ maxSize: maxBytes });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize;
  }

  ofTenant(): SqliteDescribed {
    this.#tenants += 1;
    return new SqliteDescribed(this.#held, String(this.#tenants));
  }
}

/** The same of one tenant. */
export class SqliteDescribed {
  readonly #held: LRUCache<string, DescribedReach>;
  readonly #prefix: string;
  /** What may be held. */
  readonly #names = new Set<string>();

  constructor(held: LRUCache<string, DescribedReach>, prefix: string) {
    this.#held = held;
    this.#prefix = prefix;
  }

  /** Lends what is held of a reach, and holds what it has become. Endings that are too long are not held. */
  using<T>(partitionIds: readonly number[], endings: number, work: (reach: DescribedReach) => T): T {
    const name = `${this.#prefix}:${endings}:${partitionIds.join(',')}`;
    const reach = this.#held.get(name) ?? new DescribedReach();
    const before = reach.bytes;
    const value = work(reach);
    if (reach.bytes === before || endings > MOST_CHARACTERS) return value;
    // Of what is held already it would not change the size.
    this.#held.delete(name);
    this.#held.set(name, reach, { size: Math.max(1, reach.bytes) });
    this.#names.add(name);
    return value;
  }

  /** Lets go of everything: something was removed, or the file is closed. */
  forget(): void {
    for (const name of this.#names) this.#held.delete(name);
    this.#names.clear();
  }
}
