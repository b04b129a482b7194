/** Records: what their users put into them is sealed; what they are found and managed by is not. */

import type { Collection } from '../domain/archive.ts';
import type { Principal } from '../domain/principal.ts';
import type { Draft, Recorded, RecordQuery, RecordStore, RecordStores, Where } from '../ports/record-store.ts';
import type { Keyring } from './keyring.ts';
import { openedOrNamed } from './sealed-text.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** Of one kind of record: its name, the field that is its key, and those that are sealed. */
export interface SealedTable {
  readonly name: Collection & keyof RecordStores;
  readonly key: string;
  readonly fields: readonly string[];
}

const table = (name: SealedTable['name'], key: string, ...fields: string[]): SealedTable => ({ name, key, fields });

/** API keys, runs of maintenance and the log of who came to a context hold nothing that anybody wants remembered. */
export const SEALED_RECORDS: Readonly<Partial<Record<SealedTable['name'], SealedTable>>> = {
  plans: table('plans', 'planId', 'goalData', 'state'),
  planContexts: table('planContexts', 'planId', 'goalData', 'state'),
  sessions: table('sessions', 'sessionId', 'name', 'metadata'),
  taskContexts: table('taskContexts', 'taskId', 'data', 'state'),
  pools: table('pools', 'poolId', 'name', 'metadata'),
  contexts: table('contexts', 'contextId', 'name', 'description', 'metadata'),
  contextSnapshots: table('contextSnapshots', 'snapshotId', 'name', 'reason', 'items'),
};

export function sealedRecord<R extends object>(keys: TenantKeys, { name, key, fields }: SealedTable, record: R): R {
  return mapped(record, fields, (value, field) => keys.seal(JSON.stringify(value), placeOf(name, record, key, field)));
}

export function openedRecord<R extends object>(keys: TenantKeys, { name, key, fields }: SealedTable, record: R): R {
  return mapped(record, fields, (value, field) => {
    const id = String((record as Readonly<Record<string, unknown>>)[key]);
    const open = (sealed: string): string | undefined =>
      openedOrNamed('record', id, () => keys.open(sealed, placeOf(name, record, key, field)));
    const text = typeof value === 'string' ? open(value) : undefined;
    return text === undefined ? value : (JSON.parse(text) as unknown);
  });
}

function mapped<R extends object>(
  record: R,
  fields: readonly string[],
  map: (value: unknown, field: string) => unknown,
): R {
  const values = record as Readonly<Record<string, unknown>>;
  const changed = fields.flatMap((field) => {
    const value = values[field];
    return value === undefined || value === null ? [] : [[field, map(value, field)]];
  });
  return { ...record, ...(Object.fromEntries(changed) as Partial<R>) };
}

function placeOf(name: string, record: object, key: string, field: string): string {
  return `record\n${name}\n${field}\n${String((record as Readonly<Record<string, unknown>>)[key])}`;
}

export function sealedRecordStores(stores: RecordStores, keyring: Keyring): RecordStores {
  const sealed = Object.entries(stores).map(([name, store]: [string, RecordStore<Recorded>]) => {
    const records = SEALED_RECORDS[name as SealedTable['name']];
    return [name, records ? new SealedRecordStore(store, records, keyring) : store];
  });
  return Object.fromEntries(sealed) as RecordStores;
}

class SealedRecordStore<R extends Recorded> implements RecordStore<R> {
  readonly #store: RecordStore<R>;
  readonly #table: SealedTable;
  readonly #keyring: Keyring;

  constructor(store: RecordStore<R>, records: SealedTable, keyring: Keyring) {
    this.#store = store;
    this.#table = records;
    this.#keyring = keyring;
  }

  create(principal: Principal, draft: Draft<R>): Promise<R | null> {
    return this.#keyring.writing(principal.tenantId, async (keys) =>
      this.#opened(keys, await this.#store.create(principal, this.#sealed(keys, draft))),
    );
  }

  get(principal: Principal, key: string): Promise<R | null> {
    return this.#reading(principal, () => this.#store.get(principal, key));
  }

  findByLink(principal: Principal, link: string): Promise<R | null> {
    return this.#reading(principal, () => this.#store.findByLink(principal, link));
  }

  change(principal: Principal, key: string, change: (current: R) => Draft<R>): Promise<R | null> {
    return this.#keyring.writing(principal.tenantId, async (keys) => {
      const changed = await this.#store.change(principal, key, (current) => {
        this.#keyring.assertRecent(keys);
        return this.#sealed(keys, change(openedRecord(keys, this.#table, current)));
      });
      return this.#opened(keys, changed);
    });
  }

  remove(principal: Principal, key: string, check?: (current: R) => void): Promise<R | null> {
    return this.#keyring.reading(principal.tenantId, async (keys) => {
      const opening = check && ((current: R): void => check(openedRecord(keys, this.#table, current)));
      // Opened before it is gone: with keys that are not known yet it must still be there to begin again.
      const removed = await this.#store.remove(
        principal,
        key,
        opening ?? ((current) => void this.#opened(keys, current)),
      );
      return this.#opened(keys, removed);
    });
  }

  removeAll(principal: Principal, where: Where<R>): Promise<number> {
    return this.#store.removeAll(principal, where);
  }

  list(principal: Principal, query: RecordQuery<R>): Promise<R[]> {
    return this.#keyring.reading(principal.tenantId, async (keys) =>
      (await this.#store.list(principal, query)).map((record) => openedRecord(keys, this.#table, record)),
    );
  }

  #reading({ tenantId }: Principal, read: () => Promise<R | null>): Promise<R | null> {
    return this.#keyring.reading(tenantId, async (keys) => this.#opened(keys, await read()));
  }

  #opened(keys: TenantKeys, record: R | null): R | null {
    return record && openedRecord(keys, this.#table, record);
  }

  #sealed(keys: TenantKeys, draft: Draft<R>): Draft<R> {
    return sealedRecord(keys, this.#table, draft);
  }
}
