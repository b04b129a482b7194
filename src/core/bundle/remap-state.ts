/** State under other names: in its namespace, and in what Lamina itself keeps there. */

import type { BundleItems } from '../../domain/bundle-item.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { namespaceParts, type NamespaceParts } from '../../domain/namespace.ts';
import type { Remapping } from './remapping.ts';

type State = BundleItems['state'];

const PERSONAL_KINDS = new Set(['agent', 'persisted', 'inbox', 'session']);

export function remapState(item: State, by: Remapping): State {
  const parts = namespaceParts(item.namespace);
  if (parts === undefined || !PERSONAL_KINDS.has(parts[0])) return item;
  const named = { ...item, namespace: JSON.stringify(partsBy(parts, by)) };
  if (parts[0] === 'inbox') return sharedBy(named, by);
  return parts.includes('receipts', 4) ? receiptBy(named, by) : named;
}

/** The user, the agent (empty for none), and of short-term memory the session. */
function partsBy([kind, ...rest]: NamespaceParts, by: Remapping): NamespaceParts {
  const renamed = rest.map((part, index) => {
    if (typeof part !== 'string' || part === '') return part;
    if (index === 0) return by.user(part);
    if (index === 1) return by.identifier('agentId', part);
    return index === 2 && kind === 'session' ? by.identifier('sessionId', part) : part;
  });
  return [kind, ...renamed];
}

/** What was shared lies under who shared it, and tells through whose hands it came. */
function sharedBy(item: State, by: Remapping): State {
  const party = (value: Json): Json => {
    const [userId, agentId, ...rest] = Array.isArray(value) ? (value as readonly Json[]) : [];
    if (typeof userId !== 'string' || typeof agentId !== 'string') return value;
    return [by.user(userId), by.identifier('agentId', agentId), ...rest];
  };
  const { value } = item;
  const chain = isObject(value) ? value['chain'] : undefined;
  return {
    ...item,
    key: keyBy(item.key, party),
    ...(isObject(value) && Array.isArray(chain) && { value: { ...value, chain: chain.map(party) } }),
  };
}

/** A list, first who and then what; of a note of the store's own something else. */
function keyBy(key: string, party: (value: Json) => Json): string {
  if (!key.startsWith('[')) return key;
  try {
    return JSON.stringify(party(JSON.parse(key) as Json));
  } catch {
    return key;
  }
}

/** What a recorded search asked for. */
function receiptBy(item: State, by: Remapping): State {
  const { value } = item;
  const asked = isObject(value) ? value['asked'] : undefined;
  if (!isObject(value) || !isObject(asked) || !isObject(asked['identifiers'])) return item;
  const identifiers = by.identifiers(asked['identifiers']) as JsonObject;
  return { ...item, value: { ...value, asked: { ...asked, identifiers } } };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
