/** Makes writes safe to repeat: the same call sent twice must not be remembered twice. */

import { v7 as newId } from 'uuid';
import type { OperationName } from '../operations/table.ts';

interface Addable {
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly externalId?: unknown;
  readonly requestId?: unknown;
}

interface Addressed {
  readonly sessionId?: unknown;
}

/** They recognise a repeated request by its id. */
const REQUESTS: ReadonlySet<OperationName> = new Set(['items.store', 'items.forget']);

/**
 * Episodic entries are never merged by content, so each gets an id here, before the first attempt. Version 7, as the
 * service itself gives: entries of one batch list in the order in which they were given.
 */
export function withIds(name: OperationName, input: unknown): unknown {
  if (name === 'add') return withId(input);
  if (name === 'remember') return withMessageIds(input);
  if (name === 'episodic.log') return isObject(input) && input.id === undefined ? { ...input, id: newId() } : input;
  if (REQUESTS.has(name))
    return isObject(input) && input.requestId === undefined ? { ...input, requestId: newId() } : input;
  if (name !== 'addMany') return input;
  const memories = (input as { readonly memories?: unknown } | null | undefined)?.memories;
  return Array.isArray(memories) ? { ...(input as object), memories: memories.map(withId) } : input;
}

/** In a session, turns are recognised by their place; without one, only by an id. */
function withMessageIds(input: unknown): unknown {
  const { messages, sessionId, identifiers } = (input ?? {}) as Partial<Record<string, unknown>>;
  const isInSession = sessionId !== undefined || (identifiers as Addressed | undefined)?.sessionId !== undefined;
  if (!Array.isArray(messages) || isInSession) return input;
  const named = messages.map((message: unknown) =>
    isObject(message) && message.id === undefined ? { ...message, id: newId() } : message,
  );
  return { ...(input as object), messages: named };
}

function withId(input: unknown): unknown {
  if (!isObject(input)) return input;
  const { kind, id, externalId } = input;
  if (kind !== 'episodic' || id !== undefined || externalId !== undefined) return input;
  return { ...input, id: newId() };
}

function isObject(input: unknown): input is Addable {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
