/** What the use cases need from outside. */

import type { LifecyclePolicy } from '../domain/lifecycle-policy.ts';
import type { Limits } from '../domain/limits.ts';
import type { Quarantine } from '../domain/quarantine.ts';
import type { Ranking } from '../domain/ranking.ts';
import type { TurnPolicy } from '../domain/turn.ts';
import type { VitalsOutput } from '../domain/vitals.ts';
import type { Archive } from '../ports/archive.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Entries } from '../ports/entry-store.ts';
import type { Erasure } from '../ports/erasure.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { FactStore } from '../ports/fact-store.ts';
import type { HotArchive } from '../ports/hot-store.ts';
import type { Inspector } from '../ports/inspector.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Layout } from '../ports/layout.ts';
import type { RecordStores } from '../ports/record-store.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Upkeep } from '../ports/upkeep.ts';
import type { Indexer } from './indexing/indexer.ts';
import type { GuardedReranker } from './recall/guarded-reranker.ts';

export interface Dependencies {
  readonly entries: Entries;
  /** The durable one: for pools and persisted memory. */
  readonly state: StateStore;
  /** The hot one, for working and short-term memory: the same, unless Redis is configured. */
  readonly hot: StateStore;
  /** Everything in the hot one, if it is separate. */
  readonly hotArchive?: HotArchive | undefined;
  readonly records: RecordStores;
  readonly facts: FactStore;
  readonly audit: AuditLog;
  readonly erasure: Erasure;
  readonly events: EventLog;
  /** These two are for maintenance, which spans all users of a tenant. */
  readonly archive: Archive;
  readonly upkeep: Upkeep;
  /** For inspection. */
  readonly inspector: Inspector;
  readonly layout: Layout;
  readonly vitals: () => Promise<VitalsOutput>;
  /** Set if vectors are searched in an index beside the store. */
  readonly indexer?: Indexer | undefined;
  readonly embedder: Embedder;
  /** Takes part in rankings, if configured. */
  readonly reranker?: GuardedReranker | undefined;
  /** Reports maintenance, blocked promotions, and turns. */
  readonly telemetry?:
    | Pick<Telemetry, 'maintenanceEnded' | 'upkeepFailed' | 'promotionsBlocked' | 'turnBuilt'>
    | undefined;
  /** Writes summaries, if configured. */
  readonly languageModel?: LanguageModel | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Limits;
  /** Of this software. */
  readonly version: () => Promise<string>;
  /** The lifecycle of memories. */
  readonly lifecycle: LifecyclePolicy;
  /** Which signals take part in rankings. Default: all. */
  readonly ranking?: Ranking | undefined;
  /** Which text of strangers waits for review. Default: what reads like instructions. */
  readonly quarantine?: Quarantine | undefined;
  /** What may go into a prompt. Default: nothing confidential or restricted. */
  readonly turn?: TurnPolicy | undefined;
}
