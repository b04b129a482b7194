/** Calls operations on a Lamina service: encode, send, decode, try again where that can help. */

import { asLaminaError, LaminaError } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { withRetries, type RetryPolicy } from '../domain/retry.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS, type Invoke, type OperationName } from '../operations/table.ts';
import { wireOf } from '../operations/wire.ts';
import { decodeError } from '../operations/wire-error.ts';
import { errorOf, foreignError } from './answer-error.ts';
import type { Exchange, Request } from './exchange.ts';
import { withIds } from './idempotent-input.ts';

export function invokeOver(exchange: Exchange, headers: Readonly<Record<string, string>>, retry: RetryPolicy): Invoke {
  const invoke = async (name: OperationName, input: unknown): Promise<unknown> => {
    try {
      const request = encode(name, input, headers);
      return await withRetries(retry, sleep, () => send(exchange, name, request));
    } catch (thrown) {
      throw asLaminaError(thrown, name);
    }
  };
  return invoke as Invoke;
}

function encode(name: OperationName, input: unknown, headers: Request['headers']): Request {
  const wire = wireOf(name);
  assertJson(input);
  try {
    const { url, body } = wire.encodeRequest(withIds(name, input));
    return { method: OPERATIONS[name].http.method, url, headers, body: JSON.stringify(body) };
  } catch (thrown) {
    if (!(thrown instanceof LaminaError)) throw thrown;
    // The wire names fields as the service does; this caller wrote them as the library does.
    const { code, message, details } = decodeError(thrown, (path) => wire.decodePath(path));
    throw new LaminaError(code, message, { ...(details && { details }) });
  }
}

async function send(exchange: Exchange, name: OperationName, request: Request): Promise<unknown> {
  const operation: Operation = OPERATIONS[name];
  const wire = wireOf(name);
  const answer = await exchange(request);
  if (answer.status < 200 || answer.status > 299) {
    const error = errorOf(answer, name, (path) => wire.decodePath(path));
    if (operation.absent && error.code === 'MEMORY_NOT_FOUND') return operation.absent;
    throw error;
  }
  if (typeof answer.json !== 'object' || answer.json === null) throw foreignError(answer, name);
  return wire.output.decode(answer.json);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
