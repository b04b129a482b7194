/** What is reported about the work as it is done; the composition decides who listens. */

import type { ErrorCode } from '../domain/error.ts';
import type { MaintenanceJob, MaintenanceRun } from '../domain/maintenance.ts';
import type { MeasuredVitals } from '../domain/vitals.ts';

export interface OperationRecord {
  readonly operation: string;
  readonly durationMs: number;
  /** Absent on success. */
  readonly error?: ErrorCode;
  /** For searches: how many results were returned. */
  readonly results?: number;
}

/** One call to the model. */
export interface EmbeddingRecord {
  readonly texts: number;
  readonly durationMs: number;
  readonly isFailed: boolean;
}

/** Writes that shared a transaction and one wait for the disk. */
export interface CommitRecord {
  readonly writes: number;
  readonly durationMs: number;
}

export interface MaintenanceRecord {
  readonly job: MaintenanceJob;
  readonly status: Exclude<MaintenanceRun['status'], 'running'>;
  readonly durationMs: number;
}

export interface TurnRecord {
  /** Whether a part of memory was unavailable. */
  readonly isDegraded: boolean;
  /** How many memories were left out because they are too sensitive. */
  readonly withheld: number;
}

/** done: the reranker's scores were used. late, failed: it was asked in vain. skipped: it was not asked. */
export type RerankOutcome = 'done' | 'late' | 'failed' | 'skipped';

/** A search that a reranker was to take part in. */
export interface RerankRecord {
  readonly texts: number;
  readonly durationMs: number;
  readonly outcome: RerankOutcome;
}

/** What upkeep does in the background, in the order of a round; `round` is all of it, `tenant` all that it does for one. */
export type UpkeepStep =
  | 'round'
  | 'state'
  | 'tenant'
  | 'expiry'
  | 'index'
  | 'events'
  | 'context_logs'
  | 'runs'
  | 'jobs';

/** What failed in one round, and how often. */
export interface UpkeepFailure {
  readonly step: UpkeepStep;
  readonly code: ErrorCode;
  readonly count: number;
}

/** None of it may throw, and none of it ever receives ids, keys or text of users. */
export interface Telemetry {
  /** Called once per operation, when it has ended; for a stream, when it has been opened. */
  operationEnded(record: OperationRecord): void;
  /** A stream is being followed, until it is closed. */
  streamOpened?(operation: string): void;
  streamClosed?(operation: string): void;
  embeddingEnded?(record: EmbeddingRecord): void;
  /** Texts whose vectors came from the cache. */
  embeddingsCached?(texts: number): void;
  rerankEnded?(record: RerankRecord): void;
  commitEnded?(record: CommitRecord): void;
  maintenanceEnded?(record: MaintenanceRecord): void;
  /** At the end of a round of upkeep, for each step and error code. */
  upkeepFailed?(failure: UpkeepFailure): void;
  /** This many memories were not promoted, because they are confidential or restricted. */
  promotionsBlocked?(count: number): void;
  /** What memory contributed to a turn. */
  turnBuilt?(record: TurnRecord): void;
  /** The database answered a call that was meant for the hot store. */
  hotStoreReplaced?(): void;
  /** A summary of all that, for people; absent if nothing is counted here. */
  vitals?(): Promise<MeasuredVitals>;
}

/** The current load of an engine. Read from memory: costs nothing. */
export interface EngineLoad {
  /** Writes that are waiting for a commit or in one. */
  readonly pendingWrites?: number;
  /** Entries and values with counted accesses that are not written yet. */
  readonly pendingTouches?: number;
  readonly connections?: { readonly used: number; readonly idle: number; readonly waiting: number };
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Traces: which work is part of which, in this process and beyond it. */
export interface Tracing {
  /** Whether anybody listens. If nobody does, nothing else needs to be called. */
  readonly isOn: boolean;
  /** Runs work as a child of the current span, or as a root. If it fails, the span records the code. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The same for a call to another system, a database or a model, but only if there is a current span. */
  call<T>(name: string, attributes: SpanAttributes, work: () => T): T;
  /** Runs work outside of any span. */
  outside<T>(work: () => T): T;
  /** The headers that let another service continue the trace (W3C Trace Context); empty if nothing is recorded. */
  headers(): Readonly<Record<string, string>>;
}
