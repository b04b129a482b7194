/** State as a plain map, to hold a real store against: the same calls must give the same answers. */

import assert from 'node:assert/strict';
import { LaminaError, type ErrorCode } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Mutation, StateItem } from '../domain/state.ts';
import { assertStateVersion, mutated, serialised } from '../domain/state.ts';
import type { StateStore, StateWrite } from '../ports/state-store.ts';
import { TENANT } from './engine-subject.ts';
import type { SeededRandom } from './seeded-random.ts';

const NAMESPACES = ['one', 'two'];
const KEYS = ['a', 'b', 'ü', '/'];
const MAX_BYTES = 60;

interface Kept {
  readonly value: Json;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | null;
}

export class StateModel {
  readonly #kept = new Map<string, Map<string, Kept>>();
  /** The highest version that was given so far, to any key. The store chooses them; they need not be without gaps. */
  #version = 0;
  /** What came of the calls so far: an error's code, or `done`. */
  readonly outcomes = new Set<ErrorCode | 'done'>();

  /** Makes one random call to both and compares. */
  async step(state: StateStore, random: SeededRandom, now: number): Promise<void> {
    const [namespace, key] = [random.pick(NAMESPACES), random.pick(KEYS)];
    const known = this.#find(namespace, key, now);
    const ifVersion = random.below(4) === 0 ? random.pick([0, known?.version ?? 7, this.#version + 1]) : undefined;
    switch (random.below(10)) {
      case 0:
        assert.equal(
          await this.#outcome(state.remove(TENANT, namespace, key, ifVersion)),
          this.#remove(namespace, key, now, ifVersion),
        );
        break;
      case 1: {
        const expected = this.#items(namespace, now).length;
        this.#kept.delete(namespace);
        assert.equal(await state.clear(TENANT, namespace), expected);
        break;
      }
      case 2: {
        const after = random.pick(KEYS);
        const expected = this.#items(namespace, now).filter((item) => compare(item.key, after) > 0);
        assert.deepEqual(await state.list(TENANT, namespace, 2, after), expected.slice(0, 2));
        break;
      }
      case 3: {
        const values = this.#items(namespace, now).map(({ value }) => Buffer.byteLength(JSON.stringify(value)));
        const bytes = values.reduce((sum, length) => sum + length, 0);
        const size = { count: values.length, bytes, accesses: 0 };
        assert.deepEqual(await state.measure(TENANT, namespace), size);
        break;
      }
      default: {
        const write = randomWrite(random, now, ifVersion);
        const outcome = await this.#outcome(state.write(TENANT, namespace, key, write));
        const version = typeof outcome === 'object' ? outcome.version : 0;
        assert.deepEqual(outcome, this.#write(namespace, key, now, write, version));
        if (version !== 0) this.#assertNew(version);
      }
    }
    assert.deepEqual(await state.get(TENANT, namespace, key), this.#item(namespace, key, now));
  }

  async #outcome<T>(call: Promise<T>): Promise<T | ErrorCode> {
    try {
      const value = await call;
      this.outcomes.add('done');
      return value;
    } catch (error) {
      if (!(error instanceof LaminaError)) throw error;
      this.outcomes.add(error.code);
      return error.code;
    }
  }

  #find(namespace: string, key: string, now: number): Kept | undefined {
    const kept = this.#kept.get(namespace)?.get(key);
    return kept && (kept.expiresAt === null || kept.expiresAt > now) ? kept : undefined;
  }

  #item(namespace: string, key: string, now: number): StateItem | null {
    const kept = this.#find(namespace, key, now);
    if (!kept) return null;
    const { value, version, createdAt, updatedAt, expiresAt } = kept;
    const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
    return {
      key,
      value,
      version,
      ...times,
      ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
      accessCount: 0,
    };
  }

  #items(namespace: string, now: number): StateItem[] {
    const keys = [...(this.#kept.get(namespace)?.keys() ?? [])].toSorted(compare);
    return keys.flatMap((key) => this.#item(namespace, key, now) ?? []);
  }

  #remove(namespace: string, key: string, now: number, ifVersion: number | undefined): boolean | ErrorCode {
    const kept = this.#find(namespace, key, now);
    if (!kept) return false;
    if (ifVersion !== undefined && ifVersion !== kept.version) return 'VERSION_CONFLICT';
    this.#kept.get(namespace)?.delete(key);
    return true;
  }

  #assertNew(version: number): void {
    assert.ok(version > this.#version, `version ${version} after ${this.#version}`);
    this.#version = version;
  }

  #write(
    namespace: string,
    key: string,
    now: number,
    write: StateWrite,
    version: number,
  ): StateItem | ErrorCode | null {
    const kept = this.#find(namespace, key, now);
    let value: Json;
    try {
      // What is given as it is can be too large whatever stands there.
      const { mutation } = write;
      if (mutation.type === 'set' && mutation.path === undefined) serialised(mutation.value, write.maxBytes);
      assertStateVersion(key, kept?.version ?? 0, write.ifVersion);
      value = mutated(key, kept?.value, write.mutation);
      serialised(value, write.maxBytes);
    } catch (error) {
      if (!(error instanceof LaminaError)) throw error;
      return error.code;
    }
    const expiresAt = write.expiresAt === undefined ? (kept?.expiresAt ?? null) : write.expiresAt;
    const createdAt = kept?.createdAt ?? now;
    const place = this.#kept.get(namespace) ?? new Map<string, Kept>();
    this.#kept.set(namespace, place.set(key, { value, version, createdAt, updatedAt: now, expiresAt }));
    return this.#item(namespace, key, now);
  }
}

/** By code point, which is the order of the bytes in UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function randomWrite(random: SeededRandom, now: number, ifVersion: number | undefined): StateWrite {
  const path = [random.pick(['a', 'b']), ...(random.below(3) === 0 ? ['c'] : [])] as [string, ...string[]];
  const mutations: readonly Mutation[] = [
    { type: 'set', value: random.pick([null, 'text', 5, ['x'], { a: null }, 'y'.repeat(random.below(80))]) },
    { type: 'set', value: random.pick<Json>([{ c: [] }, 'y'.repeat(random.below(80))]), path },
    { type: 'increment', by: 1, path },
    { type: 'append', items: [random.below(10)], path },
    { type: 'merge', fields: { c: random.below(10) }, path },
    { type: 'unset', path },
    { type: 'keep' },
    { type: 'increment', by: random.below(10) - 5 },
    { type: 'append', items: Array.from({ length: random.below(4) }, (_, index) => index) },
    { type: 'merge', fields: { [random.pick(['a', 'b'])]: random.below(10) } },
  ];
  const expiresAt = random.pick(['as it is', 'never', 'soon'] as const);
  return {
    mutation: random.pick(mutations),
    ifVersion,
    ...(expiresAt === 'never' && { expiresAt: null }),
    ...(expiresAt === 'soon' && { expiresAt: now + 1 + random.below(60_000) }),
    maxBytes: MAX_BYTES,
  };
}
