/**
 * The database in the place of Redis. What a change would build on may lie in Redis alone: what can be added to it later
 * is kept as a part of it, what cannot is refused. Versions are shown as odd numbers.
 */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { assertStateVersion, contended, type StateItem } from '../../domain/state.ts';
import type { StateSize, StateStore, StateWrite } from '../../ports/state-store.ts';
import { isBlind } from '../sql/state-change.ts';
import { unreachable } from './redis-error.ts';
import { shownVersion } from './redis-mover.ts';
import { goesOn, isAdditive, partsNamespace } from './redis-parts.ts';
import { clearedNamespace, removedNamespace } from './redis-removals.ts';

/** How often somebody may have been quicker: of those who race one always wins. */
const MAX_ATTEMPTS = 100;

/** That something was removed; when is told by the value's own time. */
const NOTE: StateWrite = { mutation: { type: 'set', value: true }, expiresAt: null, maxBytes: 10 };

interface Held {
  /** Takes the place of whatever lies in Redis. */
  readonly whole: StateItem | null;
  /** Is added to what lies there; means nothing beside a whole one. */
  readonly part: StateItem | null;
}

export class RedisStandIn {
  readonly #database: StateStore;

  constructor(database: StateStore) {
    this.#database = database;
  }

  async get(principal: Principal, namespace: string, key: string): Promise<StateItem | null> {
    const { whole, part } = await this.#held(principal, namespace, key);
    const item = whole ?? part;
    return item && shown(item);
  }

  async list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]> {
    const [parts, wholes] = await Promise.all(
      [partsNamespace(namespace), namespace].map((place) => this.#database.list(principal, place, limit, afterKey)),
    );
    const items = new Map([...(parts ?? []), ...(wholes ?? [])].map((item) => [item.key, item]));
    return [...items.values()].toSorted(byKey).slice(0, limit).map(shown);
  }

  async write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const held = await this.#held(principal, namespace, key);
      assertStateVersion(key, versionOf(held.whole ?? held.part), write.ifVersion);
      const written = await unlessConflict(this.#written(principal, namespace, key, write, held));
      if (written !== undefined) return shown(written);
    }
    throw contended();
  }

  async remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    const database = this.#database;
    const { whole, part } = await this.#held(principal, namespace, key);
    if (ifVersion !== undefined) {
      const item = whole ?? part;
      if (item === null) return false;
      assertStateVersion(key, shownVersion(item.version), ifVersion);
      if (whole === null) throw unknown();
    }
    const version = ifVersion === undefined ? undefined : whole?.version;
    const removed = await unlessConflict(database.remove(principal, namespace, key, version));
    if (removed === undefined) return this.remove(principal, namespace, key, ifVersion);
    const removedPart = await database.remove(principal, partsNamespace(namespace), key);
    await database.write(principal, removedNamespace(namespace), key, NOTE);
    return removed || removedPart;
  }

  async clear(principal: Principal, namespace: string): Promise<number> {
    const count = await this.#database.clear(principal, namespace);
    const parts = await this.#database.clear(principal, partsNamespace(namespace));
    await this.#database.write(principal, clearedNamespace(namespace), '', NOTE);
    return count + parts;
  }

  async measure(principal: Principal, namespace: string): Promise<StateSize> {
    const [wholes, parts] = await Promise.all([
      this.#database.measure(principal, namespace),
      this.#database.measure(principal, partsNamespace(namespace)),
    ]);
    return {
      count: wholes.count + parts.count,
      bytes: wholes.bytes + parts.bytes,
      accesses: wholes.accesses + parts.accesses,
    };
  }

  async #held(principal: Principal, namespace: string, key: string): Promise<Held> {
    const [whole = null, part = null] = await Promise.all(
      [namespace, partsNamespace(namespace)].map(async (place) => this.#database.get(principal, place, key)),
    );
    return { whole, part };
  }

  /** Throws `VERSION_CONFLICT` where somebody has been quicker: then one has to look again. */
  async #written(
    principal: Principal,
    namespace: string,
    key: string,
    write: StateWrite,
    { whole, part }: Held,
  ): Promise<StateItem> {
    const { mutation, ifVersion } = write;
    const toWhole = (version: number | undefined): Promise<StateItem> =>
      this.#database.write(principal, namespace, key, { ...write, ifVersion: version });
    if (isBlind(mutation) && (whole !== null || ifVersion === undefined)) {
      const written = await toWhole(ifVersion === undefined ? undefined : whole?.version);
      // Only what was there before: what came after may have been written when this one was moved already.
      if (part !== null) {
        await unlessConflict(this.#database.remove(principal, partsNamespace(namespace), key, part.version));
      }
      return written;
    }
    // Nobody may have moved it meanwhile: the change would then begin anew, and without it.
    if (whole !== null) return toWhole(whole.version);
    if (ifVersion === undefined && isAdditive(mutation) && (part === null || goesOn(part.value, mutation))) {
      return this.#database.write(principal, partsNamespace(namespace), key, write);
    }
    if (part === null && (await this.#isGone(principal, namespace, key))) return toWhole(0);
    throw unknown();
  }

  /** Whether it was removed since Redis is out of reach. */
  async #isGone(principal: Principal, namespace: string, key: string): Promise<boolean> {
    const notes = await Promise.all([
      this.#database.get(principal, removedNamespace(namespace), key),
      this.#database.get(principal, clearedNamespace(namespace), ''),
    ]);
    return notes.some((note) => note !== null);
  }
}

function unknown(): LaminaError {
  return unreachable(
    'what stands there may be known to it alone, and this change would build on it. ' +
      'Set the whole value without naming a version, or try again later',
  );
}

export function shown<T extends StateItem>(item: T): T {
  return { ...item, version: shownVersion(item.version) };
}

function versionOf(item: StateItem | null): number {
  return item === null ? 0 : shownVersion(item.version);
}

/** By code point, as the stores have them. */
function byKey(a: StateItem, b: StateItem): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}

/** Undefined where somebody was quicker. */
async function unlessConflict<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof LaminaError && error.code === 'VERSION_CONFLICT') return undefined;
    throw error;
  }
}
