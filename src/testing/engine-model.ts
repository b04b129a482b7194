/** The state of an engine as plain lists, written to at random: what an engine is held against. */

import { partitionKey, VISIBILITIES, type Partition } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import type { Principal } from '../domain/principal.ts';
import type { Entries, EntryTransaction } from '../ports/entry-store.ts';
import { userOf } from './engine-subject.ts';
import { entryOf, nextVersion, partitionOfEntry, writeOf } from './entry-write.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Everyone who writes. */
export const USERS = ['u', 'u1'] as const;

const STATUSES = ['active', 'archived'] as const;

/** A few suffice: every further partition costs several queries each time. */
function isArchivable({ identifiers, kind = 'semantic' }: Partial<Entry>): boolean {
  return kind === 'semantic' && (identifiers?.projectId === 'p' || identifiers?.contextId === 'c');
}

const PLACES: readonly Partial<Entry>[] = [
  { identifiers: { projectId: 'p' } },
  { identifiers: { projectId: 'p1' } },
  { identifiers: { projectId: 'p' }, kind: 'procedural', visibility: 'shared', ownerId: 'u' },
  { layer: 'user', identifiers: { userId: 'u' }, visibility: 'private', ownerId: 'u' },
  { layer: 'user', identifiers: { userId: 'u1' }, visibility: 'private', ownerId: 'u1' },
  // In a context, whose id is no part of what the owner's layer requires.
  { layer: 'user', identifiers: { userId: 'u', contextId: 'c' }, visibility: 'private', ownerId: 'u' },
  { layer: 'team', identifiers: { teamId: '·' }, visibility: 'shared' },
];

class Abandoned extends Error {}

export class EngineModel {
  readonly #random: SeededRandom;
  readonly #vocabulary: string[];
  readonly entries = new Map<string, Entry>();

  constructor(random: SeededRandom) {
    this.#random = random;
    // Few words, so that they meet; some that an index might trip over.
    this.#vocabulary = ['é', '東京', '1', '12', ...Array.from({ length: 20 }, () => random.word())];
  }

  /** Those that this user may look into. */
  partitionsOf(userId: string): Partition[] {
    const places = PLACES.flatMap((place) =>
      VISIBILITIES.flatMap((visibility) =>
        STATUSES.slice(0, isArchivable(place) ? 2 : 1).map((status) => ({
          ...place,
          status,
          ...(place.ownerId && { visibility }),
        })),
      ),
    );
    const all = places.map((place) => partitionOfEntry(entryOf({ content: 'x', ...place })));
    const open = all.filter(({ audience }) => audience === '' || audience === userId);
    return [...new Map(open.map((partition) => [partitionKey(partition), partition])).values()];
  }

  get words(): readonly string[] {
    return this.#vocabulary;
  }

  text(): string {
    return Array.from({ length: 1 + this.#random.below(9) }, () => this.#random.pick(this.#vocabulary)).join(' ');
  }

  in(partitions: readonly Partition[]): Entry[] {
    const keys = new Set(partitions.map(partitionKey));
    return [...this.entries.values()].filter((entry) => keys.has(partitionKey(partitionOfEntry(entry))));
  }

  /** A transaction of a few random writes by a user; now and then one is given up, and then must not have happened. */
  async write(store: Entries): Promise<void> {
    const principal = userOf(this.#random.pick(USERS));
    const isAbandoned = this.#random.below(5) === 0;
    const before = new Map(this.entries);
    try {
      await store.transaction(principal, async (tx) => {
        // An engine may run it more than once.
        this.#reset(before);
        for (let count = this.#random.below(4); count >= 0; count -= 1) await this.#change(tx, principal);
        if (isAbandoned) throw new Abandoned();
      });
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      this.#reset(before);
    }
  }

  #reset(entries: ReadonlyMap<string, Entry>): void {
    this.entries.clear();
    for (const [id, entry] of entries) this.entries.set(id, entry);
  }

  async #change(tx: EntryTransaction, { userId }: Principal): Promise<void> {
    const isOpen = ({ ownerId = null }: Partial<Entry>): boolean => ownerId === null || ownerId === userId;
    const open = [...this.entries.values()].filter(isOpen);
    const victim = open.length === 0 ? undefined : this.#random.pick(open);
    const dice = this.#random.below(10);
    if (victim === undefined || dice < 5) {
      const place = this.#random.pick(PLACES.filter(isOpen));
      const entry = entryOf({ ...place, content: this.text(), externalId: this.#random.word() });
      await tx.insert([await writeOf(entry)]);
      this.entries.set(entry.id, entry);
    } else if (dice < 8) {
      const content = this.#random.below(3) === 0 ? victim.content : this.text();
      const entry = nextVersion(victim, { content, ...this.#otherPlace(victim) });
      const write = await writeOf(entry);
      await tx.replace([content === victim.content ? { ...write, embedding: undefined } : write]);
      this.entries.set(entry.id, entry);
    } else {
      await tx.remove([victim.id]);
      this.entries.delete(victim.id);
    }
  }

  /**
   * What is a user's own may be shared and made private again, and some of it archived and restored: either moves it
   * to another partition.
   */
  #otherPlace(entry: Entry): Partial<Entry> {
    const { ownerId, visibility } = entry;
    const status = isArchivable(entry) ? this.#random.pick(STATUSES) : entry.status;
    if (ownerId === null || this.#random.below(2) === 0) return { status };
    return { status, visibility: visibility === 'private' ? 'shared' : 'private' };
  }
}
