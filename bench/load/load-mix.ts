/** Who asks for what: four searches in five, three adds in twenty, and of everything else a little. */

import type { SeededRandom } from '../seeded-random.ts';
import { Sentences } from '../sentences.ts';

const LOAD_OPERATIONS = [
  'search',
  'add',
  'get',
  'list',
  'update',
  'delete',
  'working: set',
  'working: get',
  'facts: add',
  'facts: list',
] as const;

export type LoadOperation = (typeof LOAD_OPERATIONS)[number];

/** In thousandths. */
const SHARES: Readonly<Record<LoadOperation, number>> = {
  search: 800,
  add: 150,
  get: 10,
  list: 10,
  update: 5,
  delete: 5,
  'working: set': 7,
  'working: get': 5,
  'facts: add': 4,
  'facts: list': 4,
};

const USERS = 50;

/** Different questions: after a while their vectors are remembered, as those of what people ask again are. */
const QUESTIONS = 1000;
const WORKING_KEYS = 20;
const SUBJECTS = 200;

export interface Memory {
  readonly userId: string;
  readonly id: string;
  readonly content: string;
}

export interface LoadRequest {
  readonly operation: LoadOperation;
  readonly userId: string;
  readonly method: string;
  readonly path: string;
  readonly body?: { readonly content?: string; readonly [name: string]: unknown };
  /** What is changed or removed, out of the hands of everyone else meanwhile. */
  readonly memory?: Memory;
}

const ENTRIES = '/v1/memory/entries';

export class LoadMix {
  readonly #random: SeededRandom;
  readonly #sentences: Sentences;
  readonly #questions: readonly string[];
  /** One of each, so that the shortest run has them all. */
  readonly #first: LoadOperation[] = [...LOAD_OPERATIONS];
  /** What was acknowledged, and is there. */
  readonly memories: Memory[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#sentences = new Sentences(random);
    this.#questions = Array.from({ length: QUESTIONS }, () => this.#sentences.questionOn(this.#sentences.next()));
  }

  sentence(): string {
    return this.#sentences.next();
  }

  user(): string {
    return `user-${this.#random.between(0, USERS)}`;
  }

  /** Whether everything was asked for once. */
  get isBegun(): boolean {
    return this.#first.length === 0;
  }

  next(): LoadRequest {
    const request = this.#made(this.#first.shift() ?? this.#drawn());
    // Of what is not there yet nothing can be asked.
    return request ?? this.#add();
  }

  #drawn(): LoadOperation {
    let at = this.#random.between(0, 1000);
    for (const operation of LOAD_OPERATIONS) {
      at -= SHARES[operation];
      if (at < 0) return operation;
    }
    return 'search';
  }

  #made(operation: LoadOperation): LoadRequest | undefined {
    const userId = this.user();
    switch (operation) {
      case 'search': {
        const body = { query: this.#random.pick(this.#questions), limit: 10, threshold: 0 };
        return { operation, userId, method: 'POST', path: `${ENTRIES}/search`, body };
      }
      case 'add':
        return this.#add();
      case 'list':
        return { operation, userId, method: 'GET', path: `${ENTRIES}?layer=user&limit=20` };
      case 'get': {
        const memory = this.#random.pick(this.memories);
        return { operation, userId: memory.userId, method: 'GET', path: `${ENTRIES}/${memory.id}` };
      }
      case 'update':
      case 'delete':
        return this.#change(operation);
      case 'working: set':
      case 'working: get':
        return this.#working(operation, userId);
      case 'facts: add': {
        const subject = `subject ${this.#random.between(0, SUBJECTS)}`;
        const body = { fact_type: 'sighting', subject, predicate: 'is seen at', object: this.sentence().slice(0, 40) };
        return { operation, userId, method: 'POST', path: '/v1/memory/facts', body };
      }
      case 'facts: list':
        return { operation, userId, method: 'GET', path: '/v1/memory/facts?limit=20' };
    }
  }

  #add(): LoadRequest {
    const body = { content: this.sentence(), layer: 'user' };
    return { operation: 'add', userId: this.user(), method: 'POST', path: ENTRIES, body };
  }

  #change(operation: 'update' | 'delete'): LoadRequest | undefined {
    const place = this.#random.between(0, this.memories.length);
    const [memory] = this.memories.splice(place, 1);
    if (memory === undefined) return undefined;
    const about = { operation, userId: memory.userId, path: `${ENTRIES}/${memory.id}`, memory };
    if (operation === 'delete') return { ...about, method: 'DELETE' };
    return { ...about, method: 'PATCH', body: { content: this.sentence() } };
  }

  #working(operation: 'working: set' | 'working: get', userId: string): LoadRequest {
    const path = `/v1/memory/working/plan-${userId}/key-${this.#random.between(0, WORKING_KEYS)}`;
    if (operation === 'working: get') return { operation, userId, method: 'GET', path };
    return { operation, userId, method: 'PUT', path, body: { value: { step: this.sentence() } } };
  }
}
