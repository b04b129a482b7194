/** What the core tells about its work; whoever composes it decides who listens. */

import type { ErrorCode } from '../domain/error.ts';

export interface OperationRecord {
  readonly operation: string;
  readonly durationMs: number;
  /** Absent on success. */
  readonly error?: ErrorCode;
  /** For searches: how many results were given. */
  readonly results?: number;
}

export interface Telemetry {
  /** Called once per operation, when it has ended. Must not throw. */
  operationEnded(record: OperationRecord): void;
}
