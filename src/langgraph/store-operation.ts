/** What an operation of a batch is: LangGraph tells them apart by the fields that they have. */

import type {
  GetOperation,
  ListNamespacesOperation,
  Operation,
  PutOperation,
  SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { InvalidNamespaceError } from '@langchain/langgraph-checkpoint';
import { invalidField } from '../domain/error.ts';
import { isNamespace } from './item-entry.ts';

export type StoreOperation =
  | { readonly kind: 'get'; readonly get: GetOperation }
  | { readonly kind: 'put'; readonly put: PutOperation }
  | { readonly kind: 'search'; readonly search: SearchOperation; readonly page: StorePage }
  | { readonly kind: 'list'; readonly list: ListNamespacesOperation; readonly page: StorePage };

export interface StorePage {
  readonly offset: number;
  readonly limit: number;
}

const DEFAULT_SEARCH_LIMIT = 10;

/** Throws `VALIDATION_FAILED` for what is none, and `InvalidNamespaceError` for a namespace that cannot be one. */
export function storeOperation(operation: Operation): StoreOperation {
  assertObject('operation', operation);
  if ('namespacePrefix' in operation) {
    assertLabels(operation.namespacePrefix);
    return { kind: 'search', search: asked(operation), page: pageOf(operation, DEFAULT_SEARCH_LIMIT) };
  }
  if ('key' in operation) {
    assertLabels(operation.namespace);
    if (typeof operation.key !== 'string') throw invalidField('key', 'must be a text');
    return 'value' in operation ? { kind: 'put', put: operation } : { kind: 'get', get: operation };
  }
  if ('matchConditions' in operation || ('limit' in operation && 'offset' in operation)) {
    assertConditions(operation.matchConditions);
    return { kind: 'list', list: operation, page: pageOf(operation, Number.POSITIVE_INFINITY) };
  }
  throw invalidField('operation', 'is none of get, put, search and listNamespaces');
}

function assertLabels(labels: unknown): void {
  if (!isNamespace(labels)) throw new InvalidNamespaceError('Namespace labels must be strings, in a list.');
}

/** The search without what cannot be searched for: a query of a person or a model may hold anything. */
function asked({ query, filter, ...search }: SearchOperation): SearchOperation {
  // Untyped callers write null for none.
  const wanted: unknown = query ?? '';
  if (typeof wanted !== 'string') throw invalidField('query', 'must be a text');
  if (filter) assertObject('filter', filter);
  return {
    ...search,
    query: wanted.replaceAll('\0', ' ').toWellFormed().trim(),
    ...(filter && { filter }),
  };
}

function assertConditions(conditions: unknown): void {
  if (conditions === undefined) return;
  const isCondition = (each: unknown): boolean => isObject(each) && isNamespace(each['path']);
  if (Array.isArray(conditions) && conditions.every(isCondition)) return;
  throw invalidField('matchConditions', 'must be a list of { matchType, path }');
}

function assertObject(name: string, value: unknown): void {
  if (!isObject(value)) throw invalidField(name, 'must be an object');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function pageOf({ offset = 0, limit }: { offset?: number; limit?: number }, defaultLimit: number): StorePage {
  const page = { offset, limit: limit ?? defaultLimit };
  for (const [name, number] of Object.entries(page)) {
    if (typeof number !== 'number' || !(number >= 0)) throw invalidField(name, 'must be 0 or more');
  }
  return page;
}
