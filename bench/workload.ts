/** What is remembered and what is asked: a tenant whose users each have a share of the entries. */

import type { Memory } from '../src/operations/memory.ts';
import { SeededRandom } from './seeded-random.ts';
import { Sentences } from './sentences.ts';

export type AddInput = Parameters<Memory['add']>[0];

/** One thing to look up: a user, a question about something that the user has told, and the id of an entry. */
export interface Target {
  readonly userId: string;
  readonly query: string;
  readonly id: string;
}

/** An entry to be written, and by whom. */
export interface Write {
  readonly userId: string;
  readonly input: AddInput;
}

interface Known {
  readonly userId: string;
  readonly content: string;
  readonly id: string;
}

const TOPICS = ['work', 'home', 'travel', 'health', 'food', 'family', 'money', 'music'];

export class Workload {
  readonly #users: readonly string[];
  readonly #random: SeededRandom;
  readonly #sentences: Sentences;
  readonly #known: Known[] = [];

  constructor(seed: number, users: number) {
    this.#random = new SeededRandom(seed);
    this.#sentences = new Sentences(this.#random);
    this.#users = Array.from({ length: users }, (_, index) => `user-${index}`);
  }

  /** `count` entries, given to the users in turns, so that nobody's lie side by side in the file. */
  *load(count: number, batchSize: number): Generator<Write[]> {
    for (let done = 0, turn = 0; done < count; turn += 1) {
      const batch = this.ofOneUser(Math.min(batchSize, count - done), turn);
      yield batch;
      done += batch.length;
    }
  }

  /** Entries of one user: of the one whose turn it is, or of any. */
  ofOneUser(size: number, turn = this.#random.between(0, this.#users.length)): Write[] {
    const userId = String(this.#users[turn % this.#users.length]);
    return Array.from({ length: size }, () => ({ userId, input: this.#input() }));
  }

  ofManyUsers(size: number): Write[] {
    return Array.from({ length: size }, () => ({ userId: this.#random.pick(this.#users), input: this.#input() }));
  }

  /** What was stored under which id can be asked for later. */
  remember(writes: readonly Write[], ids: readonly string[]): void {
    writes.forEach(({ userId, input }, index) =>
      this.#known.push({ userId, content: input.content, id: ids[index] ?? '' }),
    );
  }

  targets(count: number): Target[] {
    return Array.from({ length: count }, () => {
      const { userId, content } = this.#random.pick(this.#known);
      return { userId, query: this.#sentences.questionOn(content), id: this.#idOf(userId) };
    });
  }

  /** Three in four are semantic, the others episodes. */
  #input(): AddInput {
    const random = this.#random;
    return {
      content: this.#sentences.next(),
      layer: 'user',
      kind: random.next() < 0.75 ? 'semantic' : 'episodic',
      tags: [random.pick(TOPICS)],
      metadata: { topic: random.pick(TOPICS), turn: random.between(0, 100) },
      importance: random.between(0, 101) / 100,
    };
  }

  #idOf(userId: string): string {
    for (;;) {
      const known = this.#random.pick(this.#known);
      if (known.userId === userId) return known.id;
    }
  }
}
