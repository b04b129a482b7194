/** Calls and follows operations on a core in this process: validate, handle, tell telemetry. */

import type { Core } from '../core/core.ts';
import { asLaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CallHandler, StreamHandler } from './handler.ts';
import { HANDLERS } from './handlers.ts';
import type { Operation } from './operation.ts';
import {
  OPERATIONS,
  type CallName,
  type Follow,
  type Invoke,
  type OperationName,
  type OperationOutput,
  type StreamName,
} from './table.ts';
import { validate } from './validate.ts';

export function invokeOn(core: Core, principal: Principal, telemetry: Telemetry): Invoke {
  return async (name, input) => {
    const stopwatch = started(name, telemetry);
    try {
      const output = await handle(core, principal, name, input);
      stopwatch.ended(name === 'search' ? (output as OperationOutput<'search'>).results.length : undefined);
      return output as never;
    } catch (thrown) {
      throw stopwatch.failed(thrown);
    }
  };
}

/** To telemetry a stream is an operation that ends when it has been opened: nobody waits for more than that. */
export function followOn(core: Core, principal: Principal, telemetry: Telemetry): Follow {
  const follow = async function* (
    name: StreamName,
    input: unknown,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<StreamPage<object>, void> {
    const stopwatch = started(name, telemetry);
    let isOpen = false;
    try {
      const handler = HANDLERS[name] as StreamHandler<Operation>;
      for await (const page of handler(core, principal, validate(OPERATIONS[name].input, input), signal)) {
        if (!isOpen) stopwatch.ended();
        isOpen = true;
        yield page;
      }
    } catch (thrown) {
      throw isOpen ? asLaminaError(thrown, name) : stopwatch.failed(thrown);
    }
  };
  return follow as Follow;
}

/** The table and the handlers have the same keys and types; TypeScript cannot follow that through an index. */
function handle(core: Core, principal: Principal, name: CallName, input: unknown): Promise<object | null> {
  const handler = HANDLERS[name] as CallHandler<Operation>;
  return handler(core, principal, validate(OPERATIONS[name].input, input));
}

interface Stopwatch {
  ended(results?: number): void;
  /** The same as an error of this operation. */
  failed(thrown: unknown): Error;
}

function started(operation: OperationName, telemetry: Telemetry): Stopwatch {
  const start = performance.now();
  const record = (): { operation: OperationName; durationMs: number } => ({
    operation,
    durationMs: performance.now() - start,
  });
  return {
    ended: (results) => telemetry.operationEnded({ ...record(), ...(results !== undefined && { results }) }),
    failed: (thrown) => {
      const error = asLaminaError(thrown, operation);
      telemetry.operationEnded({ ...record(), error: error.code });
      return error;
    },
  };
}
