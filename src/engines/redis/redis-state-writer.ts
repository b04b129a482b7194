/** Writes state in Redis: what can be told without looking in one step, everything else by compare-and-set. */

import { assertStateVersion, contended, serialised, type StateItem } from '../../domain/state.ts';
import type { StateWrite } from '../../ports/state-store.ts';
import { isBlind, writing, type Decide } from '../sql/state-change.ts';
import { heldOf, itemOf, type StateRow } from '../sql/state-row.ts';
import type { RedisConnection } from './redis-connection.ts';
import { FIELDS, rowOf } from './redis-value.ts';
import type { RedisScript } from './redis-script.ts';
import { RedisTurns } from './redis-turns.ts';
import { APPEND_VALUE, PUT_VALUE } from './redis-write-scripts.ts';

/** How often somebody may have been quicker. Of those who race for a value one always wins, so that this is not reached. */
const MAX_ATTEMPTS = 100;

export interface ValuePlace {
  readonly tenantId: string;
  readonly namespace: string;
  readonly key: string;
}

interface Stored {
  /** The version that must stand there; undefined for any. */
  readonly expected: number | undefined;
  /** As {@link StateWrite.expiresAt}. */
  readonly expiresAt: number | null | undefined;
  readonly now: number;
}

/** What stands there now, or the version that was in the way, or that the script could not do it. */
type Outcome = { readonly row: StateRow } | { readonly conflict: number } | 'other';

export class RedisStateWriter {
  readonly #connection: RedisConnection;
  readonly #now: () => number;
  /** What stands under a key; null for nothing. */
  readonly #turns = new RedisTurns<StateRow | null>();

  constructor(connection: RedisConnection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /** Takes the value as it is now: the caller may change it as soon as this has been called. */
  async write(place: ValuePlace, write: StateWrite): Promise<StateItem> {
    const { mutation, ifVersion: expected, expiresAt, maxBytes } = write;
    const stored = { expected, expiresAt, now: this.#now() };
    if (isBlind(mutation)) {
      const json = serialised(mutation.value, maxBytes);
      return told(place.key, expected, await this.#store(PUT_VALUE, place, stored, [json]));
    }
    const decide = writing(place.key, write);
    if (mutation.type === 'append' && (mutation.path ?? []).length === 0) {
      const items = JSON.stringify(mutation.items).slice(1, -1);
      const outcome = await this.#store(APPEND_VALUE, place, stored, [items, String(maxBytes)]);
      // Why not is told by whoever looks at what stands there.
      if (outcome !== 'other') return told(place.key, expected, outcome);
    }
    const name = this.#connection.keys.value(place.tenantId, place.namespace) + place.key;
    return this.#turns.take(name, (left) => this.#change(place, decide, left));
  }

  /** Reads, decides, and writes unless somebody else has written meanwhile; then it begins anew. */
  async #change(
    place: ValuePlace,
    decide: Decide,
    left: StateRow | null | undefined,
  ): Promise<{ result: StateItem; left: StateRow }> {
    let known = left;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const held = known === undefined ? await this.#read(place) : known;
      const now = this.#now();
      const current = held !== null && (held.expires_at === null || held.expires_at > now) ? held : undefined;
      const next = decided(decide, current, known === undefined);
      known = undefined;
      if (!next) continue;
      const stored = { expected: current?.version ?? 0, expiresAt: next.expiresAt, now };
      const outcome = await this.#store(PUT_VALUE, place, stored, [next.json]);
      if (typeof outcome === 'object' && 'row' in outcome) {
        return { result: itemOf(place.key, heldOf(outcome.row)), left: outcome.row };
      }
    }
    throw contended();
  }

  async #read({ tenantId, namespace, key }: ValuePlace): Promise<StateRow | null> {
    const fields = await this.#connection.send(
      ['HMGET', this.#connection.keys.value(tenantId, namespace) + key, ...FIELDS],
      'reads',
    );
    return rowOf(fields as string[]) ?? null;
  }

  async #store(script: RedisScript, place: ValuePlace, stored: Stored, values: readonly string[]): Promise<Outcome> {
    const { tenantId, namespace, key } = place;
    const { expected, expiresAt, now } = stored;
    const keys = [
      this.#connection.keys.value(tenantId, namespace) + key,
      this.#connection.keys.index(tenantId, namespace),
      this.#connection.keys.namespaces(tenantId),
      this.#connection.keys.version(tenantId),
    ];
    const expires = expiresAt === undefined ? 'same' : expiresAt === null ? '' : String(expiresAt);
    const head = [String(now), expected === undefined ? '' : String(expected), expires, key, namespace];
    const reply = (await this.#connection.run(script, keys, [...head, ...values], 'writes')) as string[];
    const [version = '', ...stamp] = reply;
    if (version === 'other') return 'other';
    if (version === 'conflict') return { conflict: Number(stamp[0]) };
    const [created, updated, expiry, accesses, accessed, isNew, json = values[0]] = stamp;
    if (Number(isNew) === 1) this.#enter(tenantId);
    const row = rowOf([json, version, created, updated, expiry, accesses, accessed].map((field) => field ?? null));
    if (row === undefined) throw new Error('A write of state left nothing behind.');
    return { row };
  }

  /** For whoever sweeps. A cluster has this elsewhere, so that it is no part of the script; it comes with each namespace. */
  #enter(tenantId: string): void {
    void this.#connection.send(['SADD', this.#connection.keys.tenants, tenantId], 'writes').catch(() => {});
  }
}

/** What is known from before may be outdated: only what was just read is a reason to refuse. */
function decided(decide: Decide, current: StateRow | undefined, isRead: boolean): ReturnType<Decide> {
  try {
    return decide(current);
  } catch (error) {
    if (isRead) throw error;
    return undefined;
  }
}

function told(key: string, expected: number | undefined, outcome: Outcome): StateItem {
  if (typeof outcome === 'object' && 'row' in outcome) return itemOf(key, heldOf(outcome.row));
  if (typeof outcome === 'object') assertStateVersion(key, outcome.conflict, expected);
  throw new Error('A write of state left nothing behind.');
}
