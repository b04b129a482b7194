/** The principal and conversation of a model call. */

import { z } from 'zod';
import { identifier, identifiersSchema } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Identifiers } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { validate } from '../operations/validate.ts';

/** The source of memories for a principal: a `Lamina` or a `LaminaClient`. */
export interface MemoryHost {
  as(principal: PrincipalInput): Memory;
}

const turnRequestSchema = z.strictObject({
  userId: identifier.optional(),
  tenantId: z.string().optional(),
  agentId: identifier.optional(),
  sessionId: identifier.optional(),
  turnId: z.string().min(1).max(1000).optional(),
  identifiers: identifiersSchema.optional(),
});

/** What one call says about itself, in `providerOptions.lamina` or by the `request` option. */
export interface TurnRequest {
  /** Whose memory, if the middleware was given a `Lamina` or a `LaminaClient`. */
  readonly userId?: string | undefined;
  /** The user's tenant, likewise. Default the nil tenant. */
  readonly tenantId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Your own id of the user's message: a repeated call is recognised by it, and logged once. */
  readonly turnId?: string | undefined;
  /** Further layers to recall from, such as `{ projectId }`. */
  readonly identifiers?: Identifiers | undefined;
}

/** A request with the memory that it is about. */
export interface ResolvedRequest extends TurnRequest {
  readonly memory: Memory;
}

/** Throws `VALIDATION_FAILED` for an invalid request, and `CONFIGURATION_ERROR` if it cannot say whose memory it is. */
export function resolveRequest(
  memory: Memory | MemoryHost,
  parts: readonly (TurnRequest | undefined)[],
): ResolvedRequest {
  const request = Object.fromEntries(parts.flatMap(saidIn)) as TurnRequest;
  const { userId, tenantId, agentId } = request;
  if (!isHost(memory)) {
    if (userId === undefined && tenantId === undefined) return { ...request, memory };
    // Continuing would mix the memories of two users.
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'This middleware was given the memory of one user, and a call names its own userId or tenantId. Give ' +
        'memoryMiddleware the Lamina or LaminaClient itself, or do not name a user.',
    );
  }
  if (userId === undefined) {
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'Whose memory? Give each call providerOptions: { lamina: { userId } }, or the middleware a request option.',
    );
  }
  const principal = { userId, ...(tenantId !== undefined && { tenantId }), ...(agentId !== undefined && { agentId }) };
  return { ...request, memory: memory.as(principal) };
}

/** Undefined fields do not override given ones. */
function saidIn(part: TurnRequest | undefined): [string, unknown][] {
  return Object.entries(validate(turnRequestSchema, part ?? {})).filter(([, value]) => value !== undefined);
}

function isHost(memory: Memory | MemoryHost): memory is MemoryHost {
  return 'as' in memory && typeof memory.as === 'function';
}
