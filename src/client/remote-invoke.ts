/** Calls operations on a Lamina service: encode, send, decode, retry where that can help. */

import { asLaminaError, LaminaError, type ErrorCode } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { DEFAULT_RETRY_POLICY, withRetries, type RetryPolicy } from '../domain/retry.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS, type Invoke, type OperationName } from '../operations/table.ts';
import { validate } from '../operations/validate.ts';
import { wireOf } from '../operations/wire.ts';
import { decodeError } from '../operations/wire-error.ts';
import { errorOf, foreignError } from './answer-error.ts';
import type { Answer, Exchange, Request } from './exchange.ts';
import { withIds } from './idempotent-input.ts';

/** A lost answer may have been a success; some operations must not happen twice. */
const ONCE: RetryPolicy = { ...DEFAULT_RETRY_POLICY, maxAttempts: 1 };

/** A connection that was closed while idle is worth one retry; a service that is down is not waited for. */
const URGENT_ATTEMPTS = 2;
const URGENT_DELAY_MS = 100;
const URGENT_TIMEOUT_MS = 10_000;

function policyFor({ isRepeatable = true, isUrgent = false }: Operation, retry: RetryPolicy): RetryPolicy {
  if (!isRepeatable) return ONCE;
  if (!isUrgent) return retry;
  const maxAttempts = Math.min(URGENT_ATTEMPTS, retry.maxAttempts);
  return { ...retry, maxAttempts, initialDelayMs: URGENT_DELAY_MS, maxDelayMs: URGENT_DELAY_MS };
}

export function invokeOver(exchange: Exchange, headers: Readonly<Record<string, string>>, retry: RetryPolicy): Invoke {
  const invoke = async (name: OperationName, input: unknown): Promise<unknown> => {
    try {
      const request = encode(name, input, headers);
      const attempt = (): Promise<unknown> => send(exchange, name, request);
      return await withRetries(policyFor(OPERATIONS[name], retry), sleep, attempt, Math.random);
    } catch (thrown) {
      throw asLaminaError(thrown, name);
    }
  };
  return invoke as Invoke;
}

/** Throws `VALIDATION_FAILED` for what cannot travel. */
export function encode(name: OperationName, input: unknown, headers: Request['headers']): Request {
  const wire = wireOf(name);
  assertJson(input);
  try {
    const { url, body, ifMatch } = wire.encodeRequest(withIds(name, input));
    const all = ifMatch === undefined ? headers : { ...headers, 'If-Match': ifMatch };
    const { http, isReading, isUrgent = false }: Operation = OPERATIONS[name];
    const request = { method: http.method, url, headers: all, body: JSON.stringify(body), isReading };
    return isUrgent ? { ...request, maxTimeoutMs: URGENT_TIMEOUT_MS } : request;
  } catch (thrown) {
    if (!(thrown instanceof LaminaError)) throw thrown;
    // What the library says of such an input, which is all that is wrong with it; the rest is of URLs only.
    validate(OPERATIONS[name].input, input);
    // The wire spells fields as the service does; this caller used the spelling of the library.
    const { code, message, details } = decodeError(thrown, (path) => wire.decodePath(path));
    throw new LaminaError(code, message, { ...(details && { details }) });
  }
}

async function send(exchange: Exchange, name: OperationName, request: Request): Promise<unknown> {
  const operation: Operation = OPERATIONS[name];
  const wire = wireOf(name);
  const answer = await exchange(request);
  if (answer.status < 200 || answer.status > 299) {
    if (operation.absent && saysAbsent(answer, name, operation.absent.code)) return operation.absent.output;
    throw errorOf(answer, name, (path) => wire.decodePath(path));
  }
  if (operation.empty) return operation.empty;
  if (typeof answer.json !== 'object' || answer.json === null) throw foreignError(answer, name);
  try {
    return wire.output.decode(answer.json);
  } catch {
    // A field in both spellings.
    throw foreignError(answer, name);
  }
}

/** Only the operation itself can say so: a wrong URL or an unknown path is also a 404, and must not look like absence. */
function saysAbsent({ json }: Answer, name: OperationName, absence: ErrorCode): boolean {
  const body = json as { readonly code?: unknown; readonly operation?: unknown } | null | undefined;
  return body?.code === absence && body.operation === name;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
