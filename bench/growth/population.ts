/**
 * Who is in a tenant that grows: the more entries, the more users, each of whom has as many as ever, and a tenth that
 * belongs to the company and is shared by all.
 */

import type { PrincipalInput } from '../../src/domain/principal.ts';
import { SeededRandom } from '../seeded-random.ts';
import { Sentences } from '../sentences.ts';
import type { AddInput } from '../workload.ts';

/** Entries of one user, at every size. */
export const SCOPE = 500;

/** What one call to `addMany` brings. A user's entries come in as many calls, far apart in the file. */
const BATCH = 25;
/** Of those: what was said in a conversation with the user's agent. The others are what is known about the user. */
const EPISODES = 10;
const ROUNDS = SCOPE / BATCH;

const LIBRARIAN = 'librarian';

export interface Batch {
  readonly userId: string;
  readonly isShared: boolean;
  readonly inputs: readonly AddInput[];
}

/** One thing to look up: by a user about the user's own, and by the same user about what all share. */
export interface GrowthTarget {
  readonly userId: string;
  readonly query: string;
  readonly sharedQuery: string;
  readonly id: string;
}

export function principalOf(userId: string): PrincipalInput {
  return { userId, agentId: 'assistant' };
}

export class Population {
  readonly users: number;
  readonly shared: number;
  readonly sentences: Sentences;
  readonly #random: SeededRandom;

  constructor(entries: number, seed: number) {
    this.users = Math.floor((entries * 0.9) / SCOPE);
    this.shared = entries - this.users * SCOPE;
    this.#random = new SeededRandom(seed);
    this.sentences = new Sentences(this.#random);
  }

  /** Everything, in rounds: in each one every user has a turn, in no order, and the company as many as it needs. */
  *batches(): Generator<Batch> {
    const writers = [
      ...Array.from({ length: this.users }, (_, index) => userNamed(index)),
      ...Array.from({ length: this.shared / ROUNDS / BATCH }, () => LIBRARIAN),
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const userId of this.#shuffled(writers)) yield this.#batchOf(userId);
    }
  }

  /** As many users as are wanted, or as there are, with equal distances. */
  usersAsked(count: number): string[] {
    const asked = Math.min(count, this.users);
    return Array.from({ length: asked }, (_, index) => userNamed(Math.floor((index * this.users) / asked)));
  }

  pick<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }

  #batchOf(userId: string): Batch {
    const isShared = userId === LIBRARIAN;
    const inputs = Array.from({ length: BATCH }, (_, index): AddInput => {
      const rest = { content: this.sentences.next(), importance: this.#random.between(0, 101) / 100 };
      if (isShared) return { ...rest, layer: 'company', kind: 'semantic' };
      return index < EPISODES
        ? { ...rest, layer: 'agent', kind: 'episodic' }
        : { ...rest, layer: 'user', kind: 'semantic' };
    });
    return { userId, isShared, inputs };
  }

  /** Fisher and Yates. */
  #shuffled(items: readonly string[]): string[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.#random.between(0, last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] ?? '', shuffled[last] ?? ''];
    }
    return shuffled;
  }
}

function userNamed(index: number): string {
  return `user-${index}`;
}
