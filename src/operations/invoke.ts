/** Calls and follows operations on a core in this process: validate, handle, report to telemetry, trace. */

import type { Core } from '../core/core.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import { isAdmin, type Principal } from '../domain/principal.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { Telemetry, Tracing } from '../ports/telemetry.ts';
import type { CallHandler, StreamHandler } from './handler.ts';
import { HANDLERS } from './handlers.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS, type CallName, type Follow, type Invoke, type OperationName, type StreamName } from './table.ts';
import { validate } from './validate.ts';

/** Operations whose number of results is reported. */
const SEARCHES: ReadonlySet<OperationName> = new Set<OperationName>(
  (Object.keys(OPERATIONS) as OperationName[]).filter((name) => /(^|\.)(search|query)$/.test(name)),
);

/** Groups of operations that require an administrator. */
const ADMINISTRATIVE: ReadonlySet<string> = new Set(
  (['keys.create', 'maintenance.run'] as const).map((name) => OPERATIONS[name].group),
);

export function invokeOn(core: Core, principal: Principal, telemetry: Telemetry, tracing?: Tracing): Invoke {
  const call: Invoke = async (name, input) => {
    const start = performance.now();
    try {
      const answer = handle(core, principal, name, input);
      const output = answer instanceof Promise ? await answer : answer;
      ended(name, start, telemetry, SEARCHES.has(name) ? (output as Found).results?.length : undefined);
      return output as never;
    } catch (thrown) {
      const error = failed(thrown, name, start, telemetry);
      if (isRefusal(error, principal, name)) await noteRefusal(core, principal, name);
      throw error;
    }
  };
  if (tracing === undefined) return call;
  return (name, input) => (tracing.isOn ? tracing.span(name, () => call(name, input)) : call(name, input));
}

/** An attempt by somebody without the required role. */
function isRefusal(error: Error, principal: Principal, name: CallName): boolean {
  const isForbidden = error instanceof LaminaError && error.code === 'FORBIDDEN';
  return isForbidden && !isAdmin(principal) && ADMINISTRATIVE.has(OPERATIONS[name].group);
}

/** It is refused whether or not it can be logged. */
async function noteRefusal(core: Core, principal: Principal, name: CallName): Promise<void> {
  await core.admin.noteRefusal(principal, name).catch(() => {});
}

type Page = IteratorResult<StreamPage<object>>;
type Pages = AsyncIterator<StreamPage<object>>;

interface Found {
  readonly results?: readonly unknown[];
}

/**
 * For telemetry a stream ends once it is open: nobody waits for more than that. So does its span: what is read later,
 * perhaps for days, belongs to no trace.
 */
export function followOn(core: Core, principal: Principal, telemetry: Telemetry, tracing?: Tracing): Follow {
  const follow = async function* (
    name: StreamName,
    input: unknown,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<StreamPage<object>, void> {
    const start = performance.now();
    const handler = HANDLERS[name] as StreamHandler<Operation>;
    let pages: Pages | undefined;
    const open = async (): Promise<Page> => {
      pages = handler(core, principal, validate(OPERATIONS[name].input, input), signal)[Symbol.asyncIterator]();
      return pages.next();
    };
    const next = (): Promise<Page> => pages?.next() ?? Promise.resolve({ done: true, value: undefined });
    let isOpen = false;
    try {
      let page = await (tracing?.isOn ? tracing.span(name, open) : open());
      ended(name, start, telemetry);
      isOpen = true;
      telemetry.streamOpened?.(name);
      while (page.done !== true) {
        yield page.value;
        page = await (tracing?.isOn ? tracing.outside(next) : next());
      }
    } catch (thrown) {
      throw isOpen ? asLaminaError(thrown, name) : failed(thrown, name, start, telemetry);
    } finally {
      if (isOpen) telemetry.streamClosed?.(name);
      await pages?.return?.();
    }
  };
  return follow as Follow;
}

/** The table and the handlers have the same keys and types; TypeScript cannot follow that through an index. */
function handle(core: Core, principal: Principal, name: CallName, input: unknown): Awaitable<object | null> {
  const handler = HANDLERS[name] as CallHandler<Operation>;
  return handler(core, principal, validate(OPERATIONS[name].input, input));
}

/** The failure as an error of this operation, reported to telemetry. */
function failed(thrown: unknown, operation: OperationName, start: number, telemetry: Telemetry): Error {
  const error = asLaminaError(thrown, operation);
  telemetry.operationEnded({ operation, durationMs: performance.now() - start, error: error.code });
  return error;
}

function ended(operation: OperationName, start: number, telemetry: Telemetry, results?: number): void {
  const durationMs = performance.now() - start;
  telemetry.operationEnded(results === undefined ? { operation, durationMs } : { operation, durationMs, results });
}
