/**
 * An item of a LangGraph store as an entry. The text by which it is found is the content; namespace, key and value stand
 * whole in the metadata; the external id is made of namespace and key, so that the same text under two keys is two items.
 */

import { InvalidNamespaceError, type Item, type PutOperation } from '@langchain/langgraph-checkpoint';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { OperationInput } from '../operations/table.ts';
import { correctedValue } from './corrected-value.ts';
import type { Indexing } from './item-text.ts';
import { DEFAULT_INDEX, isObject, itemWriting, MARK, nameOf } from './item-writing.ts';

/** An entry has at most 100 tags, and an item needs one for each level and one for the whole. */
const MAX_DEPTH = 99;

/** What an entry says of itself before anybody looked whether it is so. */
interface Claim {
  readonly namespace?: unknown;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly index?: unknown;
}

/** Whether a namespace is this one or lies under it. */
export function isUnder(prefix: readonly string[], namespace: readonly string[]): boolean {
  return prefix.length <= namespace.length && prefix.every((label, depth) => label === namespace[depth]);
}

/** What is written for a put that is no deletion. Throws for what cannot be an item. */
export function writingOf(
  { namespace, key, value }: Pick<PutOperation, 'namespace' | 'key' | 'value'>,
  index: Indexing,
): Omit<OperationInput<'add'>, 'layer'> {
  assertNamespace(namespace);
  return itemWriting({ namespace, key, value }, index);
}

/** The item that an entry stands for; undefined for an entry that stands for none, whatever it says. */
export function itemOf({ metadata, externalId, content, createdAt, updatedAt }: Entry): Item | undefined {
  const { namespace, key, value: put, index } = (metadata[MARK] ?? {}) as Claim;
  if (!isNamespace(namespace) || typeof key !== 'string' || !isObject(put)) return undefined;
  if (externalId !== nameOf(namespace, key)) return undefined;
  const value = correctedValue(put, index === false || isNamespace(index) ? index : DEFAULT_INDEX, content);
  return { namespace, key, value, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/**
 * What LangGraph asks of namespaces, but for what only its own `put` refuses. Throws `InvalidNamespaceError`, and
 * `LIMIT_EXCEEDED` for one that is too deep.
 */
function assertNamespace(namespace: readonly string[]): void {
  if (namespace.length === 0) throw new InvalidNamespaceError('Namespace cannot be empty.');
  if (namespace.includes('')) throw new InvalidNamespaceError('Namespace labels cannot be empty strings.');
  if (namespace.length <= MAX_DEPTH) return;
  throw new LaminaError(
    'LIMIT_EXCEEDED',
    `The namespace has ${namespace.length} labels; the limit is ${MAX_DEPTH}. Put some of them into one.`,
    { details: { limit: MAX_DEPTH, actual: namespace.length } },
  );
}

export function isNamespace(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((label) => typeof label === 'string');
}
