/** The one table of operations. Handlers stand beside it in `handlers.ts`, so that a browser can load this. */

import type { z } from 'zod';
import { adminOperations } from './admin-operations.ts';
import { entryOperations } from './entry-operations.ts';
import { episodicOperations } from './episodic-operations.ts';
import type { OutputOf } from './operation.ts';
import { planOperations } from './plan-operations.ts';
import { proceduralOperations } from './procedural-operations.ts';
import { semanticOperations } from './semantic-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { taskOperations } from './task-operations.ts';
import { workingOperations } from './working-operations.ts';

export const OPERATIONS = {
  ...entryOperations,
  ...semanticOperations,
  ...episodicOperations,
  ...proceduralOperations,
  ...workingOperations,
  ...taskOperations,
  ...planOperations,
  ...sessionOperations,
  ...adminOperations,
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;
export type OperationOutput<Name extends OperationName> = OutputOf<(typeof OPERATIONS)[Name]>;

/** Calls an operation by name: embedded, remote, or anything else that can answer. */
export type Invoke = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
) => Promise<OperationOutput<Name>>;
