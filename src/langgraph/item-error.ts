/** What cannot be stored, said in words of those who put it: they know of namespaces, keys and values only. */

import type { PutOperation } from '@langchain/langgraph-checkpoint';
import { LaminaError } from '../domain/error.ts';
import { cut } from './item-text.ts';

const SHOWN_CHARACTERS = 100;

/** An item that does not fit is told by its name; every other error is left as it is. */
export function aboutItem(error: unknown, puts: readonly PutOperation[]): unknown {
  if (!(error instanceof LaminaError) || error.code !== 'LIMIT_EXCEEDED') return error;
  const { index, limit, actual } = error.details ?? {};
  const put = typeof index === 'number' ? puts[index] : puts.length === 1 ? puts[0] : undefined;
  if (put === undefined) return error;
  const key = shown(put.key);
  return new LaminaError(
    error.code,
    `The value under ${JSON.stringify(key)} in ${shown(JSON.stringify(put.namespace))} is too large to store: ` +
      `with namespace and key it has ${String(actual)} bytes; the limit is ${String(limit)}.`,
    {
      details: { ...error.details, namespace: put.namespace.map(shown), key },
      cause: error,
      operation: error.operation,
    },
  );
}

/** A name may be as long as what is refused. */
function shown(text: string): string {
  const start = cut(text, SHOWN_CHARACTERS);
  return start === text ? text : `${start}…`;
}
