/** What is written for an item of a LangGraph store. Needs nothing of LangGraph, so that an import can write items too. */

import { createHash } from 'node:crypto';
import { invalidField } from '../domain/error.ts';
import { assertJson, MAX_JSON_DEPTH, type JsonObject } from '../domain/json.ts';
import type { OperationInput } from '../operations/table.ts';
import { cut, textOf, type Indexing } from './item-text.ts';

/** Under which namespace, key and value stand in the metadata, and with which every name and tag begins. */
export const MARK = 'langgraph';

/** The paths by which an item is found where none are written down with it. */
export const DEFAULT_INDEX: Indexing = ['$'];

/** What is written stands five levels deep in the input: memories, which one, metadata, the mark, value. */
const MAX_VALUE_DEPTH = MAX_JSON_DEPTH - 5;

const MAX_REFERENCE = 1024;
const MAX_NAME = 1024;

interface WrittenItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: unknown;
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

/** For a namespace that is known to be one. Throws `VALIDATION_FAILED` for a key or a value that cannot be stored. */
export function itemWriting(
  { namespace, key, value }: WrittenItem,
  index: Indexing = DEFAULT_INDEX,
): Omit<OperationInput<'add'>, 'layer'> {
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

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0);
}

function isDefault(index: Indexing): boolean {
  return JSON.stringify(index) === JSON.stringify(DEFAULT_INDEX);
}

function tagOf(kind: 'text' | 'plain', namespace: readonly string[]): string {
  return `${MARK}:${kind}:${digest(namespace)}`;
}

/** Equal for equal lists only: in JSON no label can look like the border between two. */
function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
