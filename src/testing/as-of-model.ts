/** Every state that a memory ever had, in plain lists: what answers about the past are held against. */

import type { Entry } from '../domain/entry.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { ManualClock } from './manual-clock.ts';
import type { SeededRandom } from './seeded-random.ts';

export const PEOPLE = ['alice', 'bob'] as const;
const MINUTE_MS = 60_000;

/** One entry: its states in the order in which they were written, unless it was deleted. */
interface Life {
  readonly owner: string;
  readonly states: Entry[];
  isDeleted: boolean;
}

/** What is asked about the past. */
export interface PastQuestion {
  readonly userId: string;
  readonly at: number;
  readonly layer?: 'user' | 'project' | undefined;
  readonly shelf: 'active' | 'archived' | 'all';
  readonly tag?: string | undefined;
}

function isVisible({ visibility, ownerId }: Entry, userId: string): boolean {
  return visibility === 'shared' || ownerId === userId;
}

function isOnShelf({ status }: Entry, shelf: PastQuestion['shelf']): boolean {
  return shelf === 'all' || (status === 'archived') === (shelf === 'archived');
}

const time = (iso: string | undefined, without: number): number => (iso === undefined ? without : Date.parse(iso));

export class AsOfModel {
  readonly #random: SeededRandom;
  readonly #clock: ManualClock;
  readonly #lives: Life[] = [];
  /** Every moment at which something was written. */
  readonly moments: number[] = [];

  constructor(random: SeededRandom, clock: ManualClock) {
    this.#random = random;
    this.#clock = clock;
  }

  /** Everything that alice's user layer and the project hold for this user, the newest first. */
  at({ userId, at, layer, shelf, tag }: PastQuestion): Entry[] {
    const shown = this.#lives.flatMap(({ states, isDeleted }) => {
      const former = this.#stateAt(states, at);
      const now = states.at(-1);
      if (isDeleted || !former || !now || this.#hasExpired(now)) return [];
      const isThere =
        isVisible(former, userId) &&
        isVisible(now, userId) &&
        isOnShelf(former, shelf) &&
        (layer === undefined || former.layer === layer) &&
        (tag === undefined || former.tags.includes(tag)) &&
        time(former.validFrom, -Infinity) <= at &&
        time(former.validTo, Infinity) > at;
      return isThere ? [former] : [];
    });
    return shown.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
  }

  /** What this user is told by id: also what does not hold, and what is archived. */
  byId(userId: string, at: number): Map<string, Entry | null> {
    return new Map(
      this.#lives.map(({ states, isDeleted }) => {
        const [former, now] = [this.#stateAt(states, at), states.at(-1)];
        const isThere = !isDeleted && now !== undefined && !this.#hasExpired(now) && former !== undefined;
        const isSeen = isThere && isVisible(former, userId) && isVisible(now, userId);
        return [states[0]?.id ?? '', isSeen ? former : null];
      }),
    );
  }

  isReplaced({ id, version }: Entry): boolean {
    return this.#lives.some(({ states }) => states.at(-1)?.id === id && states.at(-1)?.version !== version);
  }

  #stateAt(states: readonly Entry[], at: number): Entry | undefined {
    return states.findLast(({ updatedAt }) => Date.parse(updatedAt) <= at);
  }

  /** One random write, by somebody who may. */
  async write(as: (principal: PrincipalInput) => Memory): Promise<void> {
    const random = this.#random;
    // Sometimes two within one millisecond.
    if (random.below(6) > 0) this.#clock.advance((1 + random.below(3)) * MINUTE_MS);
    this.moments.push(this.#clock.now());
    const alive = this.#lives.filter(({ states, isDeleted }) => !isDeleted && !this.#hasExpired(states.at(-1)));
    const dice = random.below(12);
    if (alive.length < 8 || dice < 3) return this.#add(as);
    const life = random.pick(alive);
    const memory = as({ userId: life.owner });
    const id = life.states[0]?.id ?? '';
    if (dice < 4) {
      await memory.delete({ id });
      life.isDeleted = true;
    } else if (dice < 6) {
      const isArchived = life.states.at(-1)?.status === 'archived';
      this.#keep(life, (isArchived ? await memory.restore({ id }) : await memory.archive({ id })).memory);
    } else {
      this.#keep(life, (await memory.update({ id, ...this.#change(life) })).memory);
    }
  }

  async #add(as: (principal: PrincipalInput) => Memory): Promise<void> {
    const random = this.#random;
    const layer = random.pick(['user', 'project'] as const);
    const owner = layer === 'user' ? 'alice' : random.pick(PEOPLE);
    const { memory } = await as({ userId: owner }).add({
      content: this.#content(),
      layer,
      identifiers: { userId: owner, projectId: 'p' },
      visibility: random.pick(['private', 'shared']),
      tags: [random.pick(['a', 'b'])],
      ...(random.below(3) === 0 && { validFrom: this.#timeIn(-10, 30) }),
      ...(random.below(4) === 0 && { validTo: this.#timeIn(30, 90) }),
      ...(random.below(6) === 0 && { expiresAt: this.#timeIn(20, 200) }),
    });
    this.#lives.push({ owner, states: [memory], isDeleted: false });
  }

  #change({ states }: Life): object {
    const random = this.#random;
    const isOwned = states[0]?.ownerId !== null;
    switch (random.below(isOwned ? 5 : 4)) {
      case 0:
        return { tags: [random.pick(['a', 'b'])] };
      case 1:
        return { importance: random.next() };
      case 2:
        return { validTo: this.#timeIn(30, 60) };
      case 3:
        return { content: this.#content() };
      default:
        return { visibility: random.pick(['private', 'shared']) };
    }
  }

  /** All have one word in common, and each has words of its own. */
  #content(): string {
    return `memo ${this.#random.words(3)}`;
  }

  /** So many minutes from now. */
  #timeIn(least: number, most: number): string {
    return new Date(this.#clock.now() + (least + this.#random.below(most - least)) * MINUTE_MS).toISOString();
  }

  #keep({ states }: Life, entry: Entry): void {
    if (entry.version !== states.at(-1)?.version) states.push(entry);
  }

  #hasExpired(entry: Entry | undefined): boolean {
    return time(entry?.expiresAt, Infinity) <= this.#clock.now();
  }
}
