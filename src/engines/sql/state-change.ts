/** A change of one value: decided inside the transaction, on what is stored there then. */

import { LaminaError } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import { assertStateVersion, mutated, serialised, type Mutation } from '../../domain/state.ts';
import type { StateWrite } from '../../ports/state-store.ts';
import type { StateRow } from './state-row.ts';

/** What is to stand there. */
export interface NextState {
  readonly json: string;
  readonly expiresAt: number | null;
}

/**
 * Given what stands there, what is to stand there: null for nothing any more, undefined to leave it. Throws what the
 * caller is told.
 */
export type Decide = (current: StateRow | undefined) => NextState | null | undefined;

/** Takes the value as it is now: the caller may change it before the transaction comes. Throws `LIMIT_EXCEEDED`. */
export function writing(key: string, { mutation, ifVersion, expiresAt, maxBytes }: StateWrite): Decide {
  const jsonAfter = deferred(key, mutation, maxBytes);
  return (current) => {
    assertStateVersion(key, current?.version ?? 0, ifVersion);
    return { json: jsonAfter(current), expiresAt: expiresAt === undefined ? (current?.expires_at ?? null) : expiresAt };
  };
}

/** Whether what stands there decides nothing. */
export function isBlind(mutation: Mutation): mutation is Extract<Mutation, { readonly type: 'set' }> {
  return mutation.type === 'set' && (mutation.path ?? []).length === 0;
}

function deferred(key: string, mutation: Mutation, maxBytes: number): (current: StateRow | undefined) => string {
  if (isBlind(mutation)) {
    const json = serialised(mutation.value, maxBytes);
    return () => json;
  }
  const own = JSON.parse(JSON.stringify(mutation)) as Mutation;
  return (current) => serialised(mutated(key, current && (JSON.parse(current.value) as Json), own), maxBytes);
}

export function removing(key: string, ifVersion: number | undefined): Decide {
  return (current) => {
    if (current === undefined) return undefined;
    assertStateVersion(key, current.version, ifVersion);
    return null;
  };
}

/** Whether the error is the answer to a change, and not a failure of the database. */
export function isRefusal(error: unknown): error is LaminaError {
  return error instanceof LaminaError;
}
