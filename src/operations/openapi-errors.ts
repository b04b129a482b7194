/** Which errors an operation can return, derived from the fields of its input. */

import { ERROR_TABLE, type ErrorCode } from '../domain/error.ts';
import type { Operation } from './operation.ts';

const ALWAYS: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'UNAVAILABLE',
];

const BY_FIELD: Readonly<Record<string, readonly ErrorCode[]>> = {
  layer: ['INVALID_LAYER', 'MISSING_IDENTIFIER'],
  layers: ['INVALID_LAYER', 'MISSING_IDENTIFIER'],
  id: ['MEMORY_NOT_FOUND'],
  content: ['CONTENT_TOO_LONG', 'EMBEDDING_FAILED'],
  query: ['QUERY_TOO_LONG', 'EMBEDDING_FAILED'],
  expectedVersion: ['VERSION_CONFLICT'],
  memories: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'CONTENT_TOO_LONG', 'EMBEDDING_FAILED'],
};

/** In the order of the table of errors. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { method, path } = operation.http;
  const codes = new Set([...ALWAYS, ...(operation.errors ?? []), ...(operation.absent ? [operation.absent.code] : [])]);
  if (operation.http.ifMatch !== undefined) codes.add('VERSION_CONFLICT');
  for (const field of Object.keys(operation.input.shape)) {
    // An id that the caller chooses for a new entry need not exist yet.
    if (field === 'id' && !path.includes('{id}')) continue;
    for (const code of BY_FIELD[field] ?? []) codes.add(code);
  }
  if (method !== 'GET' && method !== 'DELETE') codes.add('LIMIT_EXCEEDED');
  return (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => codes.has(code));
}
