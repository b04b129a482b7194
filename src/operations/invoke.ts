/** Calls operations on a core in this process: validate, handle, tell telemetry. */

import type { Core } from '../core/core.ts';
import { asLaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { HANDLERS } from './handlers.ts';
import { OPERATIONS, type Invoke, type OperationName, type OperationOutput } from './table.ts';
import { validate } from './validate.ts';

export function invokeOn(core: Core, principal: Principal, telemetry: Telemetry): Invoke {
  return async (name, input) => {
    const started = performance.now();
    try {
      const output = await handle(core, principal, name, input);
      const results = name === 'search' ? (output as OperationOutput<'search'>).results.length : undefined;
      const durationMs = performance.now() - started;
      telemetry.operationEnded({ operation: name, durationMs, ...(results !== undefined && { results }) });
      return output as never;
    } catch (thrown) {
      const error = asLaminaError(thrown, name);
      telemetry.operationEnded({ operation: name, durationMs: performance.now() - started, error: error.code });
      throw error;
    }
  };
}

/** The table and the handlers have the same keys and types; TypeScript cannot follow that through an index. */
function handle(core: Core, principal: Principal, name: OperationName, input: unknown): Promise<object | null> {
  const handler = HANDLERS[name] as (core: Core, principal: Principal, input: unknown) => Promise<object | null>;
  return handler(core, principal, validate(OPERATIONS[name].input, input));
}
