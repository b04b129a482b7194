/** Everything stored, for copying to another database: complete, in pages, in engine-independent shapes. */

import type { Partition } from '../domain/access.ts';
import type { ApiKeyRecord } from '../domain/api-key.ts';
import type { Collection, Tallies } from '../domain/archive.ts';
import type { AuditEntry } from '../domain/audit.ts';
import type { ContextAccessRecord, ContextRecord, SnapshotRecord } from '../domain/context.ts';
import type { Entry } from '../domain/entry.ts';
import type { Fact } from '../domain/fact.ts';
import type { MaintenanceRunRecord } from '../domain/maintenance.ts';
import type { PlanContext } from '../domain/plan-context.ts';
import type { Plan } from '../domain/plan.ts';
import type { PoolRecord } from '../domain/pool.ts';
import type { Session } from '../domain/session.ts';
import type { StateItem } from '../domain/state.ts';
import type { TaskContextRecord } from '../domain/task-context.ts';
import type { Embedding } from './entry-store.ts';

export interface ArchivedUser {
  readonly id: string;
  readonly createdAt: string;
}

/** An entry with its accesses and vectors. */
export interface ArchivedEntry {
  readonly entry: Entry;
  readonly partition: Partition;
  readonly lexemes: readonly string[];
  /** Of every space. */
  readonly embeddings: readonly Embedding[];
  /** When it was read, the latest times, newest first; omitted if none are kept. */
  readonly accessTimes?: readonly string[] | undefined;
}

/** A superseded version of an entry. */
export interface ArchivedVersion {
  readonly entryId: string;
  readonly memory: Entry;
  readonly replacedAt: string;
}

export interface ArchivedState extends StateItem {
  readonly namespace: string;
  /** Until when it is kept, hidden, after its expiry; see the state store. */
  readonly keptUntil?: string;
}

/** What is kept of a tenant that was erased. It does not name the tenant. */
export interface ArchivedErasure {
  /** SHA-256 of the tenant's id. */
  readonly tenantHash: string;
  readonly entry: AuditEntry;
}

export interface Archived {
  readonly users: ArchivedUser;
  readonly entries: ArchivedEntry;
  readonly versions: ArchivedVersion;
  readonly state: ArchivedState;
  readonly plans: Plan;
  readonly planContexts: PlanContext;
  readonly sessions: Session;
  readonly taskContexts: TaskContextRecord;
  readonly apiKeys: ApiKeyRecord;
  readonly pools: PoolRecord;
  readonly contexts: ContextRecord;
  readonly contextSnapshots: SnapshotRecord;
  readonly contextAccesses: ContextAccessRecord;
  readonly maintenanceRuns: MaintenanceRunRecord;
  readonly facts: Fact;
  readonly auditEntries: AuditEntry;
}

/** Identifies an item within its collection, the same on every engine: its key, or its several parts. */
export type Place = readonly (string | number)[];

export interface ArchivePage<T> {
  readonly items: readonly T[];
  /** Of the last item, readable or not; undefined at the end. */
  readonly last: Place | undefined;
  /** Items in this page that are corrupt and cannot be read. */
  readonly unreadable?: readonly Place[];
}

/**
 * Spans all tenants and users: the holder is responsible for access control. Events are not part of it: they describe this
 * database, and a position in its log means nothing on another.
 */
export interface Archive {
  /** In the order of their ids, at most `limit`, after the one given. */
  tenants(limit: number, after?: string): Promise<string[]>;
  /** A snapshot of one moment. State that has expired at `at` (milliseconds) does not count. */
  tallies(tenantId: string, at: number): Promise<Tallies>;
  /**
   * The next items. Entries come in the order in which they were written, versions by entry and number; after an unknown
   * place they start again. Users come in any order; everything else by its key, by code point; expired state is left out.
   */
  read<C extends Collection>(
    tenantId: string,
    collection: C,
    limit: number,
    after?: Place,
  ): Promise<ArchivePage<Archived[C]>>;
  /** The place of the last item in that order; undefined if there is none or it is unknown. */
  end(tenantId: string, collection: Collection): Promise<Place | undefined>;
  /**
   * Exactly as they are: ids, versions, times, accesses. Items whose identity already exists are skipped, so that the same
   * page can be written twice. Atomic, and durable once it resolves.
   */
  write<C extends Collection>(tenantId: string, collection: C, items: readonly Archived[C][]): Promise<void>;
  /** The highest version ever given to state or a record of this tenant, or higher. */
  latestVersion(tenantId: string): Promise<number>;
  /** Makes all future versions higher than this one. */
  advanceVersions(tenantId: string, version: number): Promise<void>;
  /** Records that outlive erased tenants, by the id of the erasure. */
  readErasures(limit: number, after?: Place): Promise<ArchivePage<ArchivedErasure>>;
  /** As {@link write}. */
  writeErasures(items: readonly ArchivedErasure[]): Promise<void>;
}
