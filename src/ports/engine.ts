/** What Lamina runs on: every store, opened together over one database. */

import type { Layer } from '../domain/scope.ts';
import type { Archive } from './archive.ts';
import type { AuditLog } from './audit-log.ts';
import type { Entries } from './entry-store.ts';
import type { Erasure } from './erasure.ts';
import type { EventLog } from './event-log.ts';
import type { FactStore } from './fact-store.ts';
import type { Inspector } from './inspector.ts';
import type { KeyStore } from './key-store.ts';
import type { Leadership } from './leadership.ts';
import type { RecordStores } from './record-store.ts';
import type { Resealing } from './resealing.ts';
import type { SpaceStore } from './space-store.ts';
import type { StateStore } from './state-store.ts';
import type { EngineLoad } from './telemetry.ts';
import type { Upkeep } from './upkeep.ts';

export interface Engine {
  readonly name: string;
  readonly entries: Entries;
  readonly state: StateStore;
  readonly records: RecordStores;
  readonly facts: FactStore;
  readonly audit: AuditLog;
  readonly erasure: Erasure;
  readonly archive: Archive;
  readonly events: EventLog;
  readonly leadership: Leadership;
  readonly upkeep: Upkeep;
  readonly inspector: Inspector;
  readonly spaces: SpaceStore;
  /** For the sealing layer: the engine itself uses neither. */
  readonly keys: KeyStore;
  readonly resealing: Resealing;
  /** Number of entries by layer, over all tenants used since the start. */
  size(): Promise<Partial<Record<Layer, number>>>;
  /** Its current load, for monitoring. */
  load?(): EngineLoad;
  /** Throws `UNAVAILABLE` if it cannot serve. If it serves in a degraded way, says why. */
  check(): Promise<string | undefined>;
  /** Flushes pending writes and releases every resource. */
  close(): Promise<void>;
}
