/** What must hold for every answer, whatever was asked. */

import { ERROR_TABLE, isErrorCode } from '../../src/domain/error.ts';
import type { ApiDescription, ApiOperation } from './api-operations.ts';
import type { FuzzAnswer } from './exchange.ts';

const ERROR_FIELDS = ['code', 'message', 'operation', 'request_id', 'retryable'];
/** Stacks, paths, SQL and what databases say. */
const INSIDES =
  /node_modules|\.ts:\d|\bat \w+ \(|SQLITE_|ECONNREFUSED|syntax error at|lamina\.entries|fts5:|\/work\/|\/tmp\//;

/** What is wrong with it, or undefined. */
export function problemOf(api: ApiDescription, operation: ApiOperation, answer: FuzzAnswer): string | undefined {
  const { status, text } = answer;
  if (status >= 400) return errorProblem(answer);
  if (status < 200 || status >= 300) return `a status of ${status}`;
  if (operation.isStream) return undefined;
  const body = text === '' ? undefined : parsed(text);
  return body instanceof Error ? body.message : api.misfit(operation, status, body);
}

/** Every failure has the one shape, is the caller's fault, and gives nothing away. */
export function errorProblem({ status, headers, text }: FuzzAnswer): string | undefined {
  const body = parsed(text);
  if (body instanceof Error || typeof body !== 'object' || body === null) return 'an error that is no JSON object';
  const { code, request_id: requestId, details: _, ...rest } = body as Record<string, unknown>;
  const fields = ['code', 'request_id', ...Object.keys(rest)].toSorted();
  if (fields.join() !== ERROR_FIELDS.join()) return `an error with the fields ${fields.join()}`;
  if (!isErrorCode(code) || ERROR_TABLE[code].status !== status) return `${String(code)} with ${status}`;
  if (status >= 500 && code !== 'UNAVAILABLE') return 'a failure of the service';
  if (headers['x-request-id'] !== requestId) return 'another request id in the header';
  if (headers['x-content-type-options'] !== 'nosniff' || headers['cache-control'] !== 'no-store')
    return 'headers are missing';
  const [leak] = INSIDES.exec(text) ?? [];
  return leak === undefined ? undefined : `an error that tells of insides: ${leak}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Error(`no JSON: ${text.slice(0, 100)}`);
  }
}
