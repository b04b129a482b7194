/** The one table of operations. Handlers stand beside it in `handlers.ts`, so that a browser can load this. */

import type { z } from 'zod';
import type { StreamPage } from '../domain/stream.ts';
import { adminOperations } from './admin-operations.ts';
import { bundleOperations } from './bundle-operations.ts';
import { contextEntryOperations } from './context-entry-operations.ts';
import { contextOperations } from './context-operations.ts';
import { contextSnapshotOperations } from './context-snapshot-operations.ts';
import { agentMemoryOperations } from './agent-memory-operations.ts';
import { entryOperations } from './entry-operations.ts';
import { episodicOperations } from './episodic-operations.ts';
import { eventOperations } from './event-operations.ts';
import { extractionOperations } from './extraction-operations.ts';
import { factOperations } from './fact-operations.ts';
import { inspectionOperations } from './inspection-operations.ts';
import { itemOperations } from './item-operations.ts';
import { knowledgeOperations } from './knowledge-operations.ts';
import { maintenanceOperations } from './maintenance-operations.ts';
import { openspecOperations } from './openspec-operations.ts';
import type { OutputOf, Stream } from './operation.ts';
import { planOperations } from './plan-operations.ts';
import { poolOperations } from './pool-operations.ts';
import { poolValueOperations } from './pool-value-operations.ts';
import { principalOperations } from './principal-operations.ts';
import { proceduralOperations } from './procedural-operations.ts';
import { quarantineOperations } from './quarantine-operations.ts';
import { receiptOperations } from './receipt-operations.ts';
import { routerOperations } from './router-operations.ts';
import { semanticOperations } from './semantic-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { shortTermOperations } from './short-term-operations.ts';
import { taskOperations } from './task-operations.ts';
import { turnOperations } from './turn-operations.ts';
import { workflowOperations } from './workflow-operations.ts';
import { workingOperations } from './working-operations.ts';

export const OPERATIONS = {
  ...entryOperations,
  ...inspectionOperations,
  ...quarantineOperations,
  ...receiptOperations,
  ...turnOperations,
  ...semanticOperations,
  ...episodicOperations,
  ...extractionOperations,
  ...proceduralOperations,
  ...workingOperations,
  ...itemOperations,
  ...agentMemoryOperations,
  ...shortTermOperations,
  ...routerOperations,
  ...taskOperations,
  ...planOperations,
  ...sessionOperations,
  ...poolOperations,
  ...poolValueOperations,
  ...workflowOperations,
  ...factOperations,
  ...eventOperations,
  ...principalOperations,
  ...adminOperations,
  ...bundleOperations,
  ...contextOperations,
  ...contextEntryOperations,
  ...contextSnapshotOperations,
  ...maintenanceOperations,
  ...knowledgeOperations,
  ...openspecOperations,
} as const;

export type OperationName = keyof typeof OPERATIONS;
/** Those that are followed, and those that are called. */
export type StreamName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends Stream ? Name : never;
}[OperationName];
export type CallName = Exclude<OperationName, StreamName>;
export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;
export type OperationOutput<Name extends OperationName> = OutputOf<(typeof OPERATIONS)[Name]>;

/** Calls an operation by name: embedded, remote, or anything else that can answer. */
export type Invoke = <Name extends CallName>(name: Name, input: OperationInput<Name>) => Promise<OperationOutput<Name>>;

/** Follows an operation by name, likewise: page by page, until the signal aborts. */
export type Follow = <Name extends StreamName>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
) => AsyncIterable<StreamPage<OperationOutput<Name>>>;
