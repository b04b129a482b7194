/** What the use cases need from outside. */

import type { Limits } from '../domain/limits.ts';
import type { Archive } from '../ports/archive.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Entries } from '../ports/entry-store.ts';
import type { Erasure } from '../ports/erasure.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { RecordStores } from '../ports/record-store.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { Upkeep } from '../ports/upkeep.ts';

export interface Dependencies {
  readonly entries: Entries;
  /** The durable one: of what is in pools, and of what was persisted. */
  readonly state: StateStore;
  /** The hot one, of working and short-term memory: the same, unless Redis is configured. */
  readonly hot: StateStore;
  readonly records: RecordStores;
  readonly audit: AuditLog;
  readonly erasure: Erasure;
  readonly events: EventLog;
  /** These two are for maintenance, which answers for all users of a tenant. */
  readonly archive: Archive;
  readonly upkeep: Upkeep;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Limits;
}
