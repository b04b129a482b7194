/**
 * An item of a LangGraph store as an entry. The text by which it is found is the content; namespace, key and value stand
 * whole in the metadata; the external id is made of namespace and key, so that the same text under two keys is two items.
 */

import { createHash } from 'node:crypto';
import { InvalidNamespaceError, type Item, type PutOperation } from '@langchain/langgraph-checkpoint';
import type { Entry } from '../domain/entry.ts';
import { invalidField, LaminaError } from '../domain/error.ts';
import { assertJson, MAX_JSON_DEPTH, type JsonObject } from '../domain/json.ts';
import type { OperationInput } from '../operations/table.ts';
import { correctedValue } from './corrected-value.ts';
import { cut, textOf, type Indexing } from './item-text.ts';

/** Under which namespace, key and value stand in the metadata, and with which every name and tag begins. */
const MARK = 'langgraph';

/** The paths by which an item is found where none are written down with it. */
const DEFAULT_INDEX: Indexing = ['$'];

/** What is written stands five levels deep in the input: memories, which one, metadata, the mark, value. */
const MAX_VALUE_DEPTH = MAX_JSON_DEPTH - 5;

/** An entry has at most 100 tags, and an item needs one for each level and one for the whole. */
const MAX_DEPTH = 99;
const MAX_REFERENCE = 1024;
const MAX_NAME = 1024;

/** What an entry says of itself before anybody looked whether it is so. */
interface Claim {
  readonly namespace?: unknown;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly index?: unknown;
}

/** The external id of an item. Hashed, because a namespace and a key may be longer than an external id. */
export function nameOf(namespace: readonly string[], key: string): string {
  return `${MARK}:${digest([namespace, key])}`;
}

/** The tags of what lies in or under a namespace: of items with a text, and of all. */
export function tagsUnder(prefix: readonly string[]): { readonly text: string; readonly all: readonly string[] } {
  const [text, plain] = [tagOf('text', prefix), tagOf('plain', prefix)];
  return { text, all: [text, plain] };
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
  assertJson(namespace, ['namespace']);
  assertJson(key, ['key']);
  const own = asJson(value);
  const text = textOf(own, index);
  const kind = text === undefined ? 'plain' : 'text';
  const levels = Array.from({ length: namespace.length + 1 }, (_, depth) => namespace.slice(0, depth));
  return {
    kind: 'semantic',
    content: text ?? cut(`LangGraph item ${key} in ${namespace.join(' / ')}`, MAX_NAME),
    externalId: nameOf(namespace, key),
    metadata: { [MARK]: { namespace, key, value: own, ...(!isDefault(index) && { index }) } },
    tags: levels.map((level) => tagOf(kind, level)),
    source: { type: 'agent', reference: cut(`${MARK}:${JSON.stringify([...namespace, key])}`, MAX_REFERENCE) },
  };
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

/** The value as JSON has it: dates become texts, as in other stores. What JSON would lose without a word is refused. */
function asJson(value: unknown): JsonObject {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'number' || Number.isFinite(inner)) return inner;
      throw new TypeError(`${inner} is not a number of JSON`);
    });
  } catch (error) {
    throw invalidField('value', `cannot be stored as JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(parsed)) throw invalidField('value', 'must be an object, or null to delete the item');
  if (depthOf(parsed) > MAX_VALUE_DEPTH) {
    throw invalidField('value', `is nested more than ${MAX_VALUE_DEPTH} levels deep`);
  }
  assertJson(parsed, ['value']);
  return parsed;
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0);
}

function isDefault(index: Indexing): boolean {
  return JSON.stringify(index) === JSON.stringify(DEFAULT_INDEX);
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function tagOf(kind: 'text' | 'plain', namespace: readonly string[]): string {
  return `${MARK}:${kind}:${digest(namespace)}`;
}

/** Equal for equal lists only: in JSON no label can look like the border between two. */
function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
