/** What is told about the work as it is done; whoever composes it decides who listens. */

import type { ErrorCode } from '../domain/error.ts';
import type { MaintenanceJob, MaintenanceRun } from '../domain/maintenance.ts';
import type { MeasuredVitals } from '../domain/vitals.ts';

export interface OperationRecord {
  readonly operation: string;
  readonly durationMs: number;
  /** Absent on success. */
  readonly error?: ErrorCode;
  /** For searches: how many results were given. */
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
  /** Whether some of memory could not be asked. */
  readonly isDegraded: boolean;
  /** How many memories were left out because they are too sensitive. */
  readonly withheld: number;
}

/** done: the reranker was heard. late, failed: it was asked in vain. skipped: it was left alone. */
export type RerankOutcome = 'done' | 'late' | 'failed' | 'skipped';

/** A search that a reranker was to take part in. */
export interface RerankRecord {
  readonly texts: number;
  readonly durationMs: number;
  readonly outcome: RerankOutcome;
}

/** None of it may throw, and none of it is told of anybody's ids, keys or words. */
export interface Telemetry {
  /** Called once per operation, when it has ended; of a stream when it has been opened. */
  operationEnded(record: OperationRecord): void;
  /** Somebody follows a stream, from now until it is closed. */
  streamOpened?(operation: string): void;
  streamClosed?(operation: string): void;
  embeddingEnded?(record: EmbeddingRecord): void;
  /** Texts that the model was not asked for, because their vectors were known. */
  embeddingsCached?(texts: number): void;
  rerankEnded?(record: RerankRecord): void;
  commitEnded?(record: CommitRecord): void;
  maintenanceEnded?(record: MaintenanceRecord): void;
  /** So many memories were not promoted, because they are confidential or restricted. */
  promotionsBlocked?(count: number): void;
  /** What memory brought along for a turn. */
  turnBuilt?(record: TurnRecord): void;
  /** A call that the hot store should have answered was answered by the database. */
  hotStoreReplaced?(): void;
  /** What it makes of all that, for people; absent where nothing is counted here. */
  vitals?(): Promise<MeasuredVitals>;
}

/** What an engine has to do at this moment. Read from memory: asking costs nothing. */
export interface EngineLoad {
  /** Writes that wait for a commit, or are in one. */
  readonly pendingWrites?: number;
  /** Entries and values whose accesses are counted but not written down yet. */
  readonly pendingTouches?: number;
  readonly connections?: { readonly used: number; readonly idle: number; readonly waiting: number };
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Traces: which work is a part of which, in this process and beyond it. */
export interface Tracing {
  /** Whether anybody listens. Where nobody does nothing else of it has to be called. */
  readonly isOn: boolean;
  /** Runs work as a part of what is under way, or as a beginning. Should it fail, the span says with which code. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The same for what is asked of somebody else, a database or a model, but only where something is under way. */
  call<T>(name: string, attributes: SpanAttributes, work: () => T): T;
  /** Runs work as a part of nothing. */
  outside<T>(work: () => T): T;
  /** The headers by which another service continues the trace (W3C Trace Context); empty where nothing is recorded. */
  headers(): Readonly<Record<string, string>>;
}
