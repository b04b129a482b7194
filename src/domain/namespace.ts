/**
 * The names of namespaces: texts that are equal only for equal namespaces, whatever the ids contain. The first part says
 * what it is and whose: databases that isolate users rely on it.
 */

/** Working memory of a plan or a workflow run: of everyone in the tenant who can name it. */
export function workingNamespace(planId: string): string {
  // The same as of the list, in half the time: it is made for every read.
  return `["working",${JSON.stringify(planId)}]`;
}

/** Working memory of a user's agent, in a task or (empty) in none: that user's. */
export function agentNamespace(userId: string, agentId: string, taskId: string): string {
  return JSON.stringify(['agent', userId, agentId, taskId]);
}

/** What an agent's working memory was when it was last persisted: that user's. */
export function persistedNamespace(userId: string, agentId: string, taskId: string): string {
  return JSON.stringify(['persisted', userId, agentId, taskId]);
}

/**
 * The answers to requests about an agent's items, so that they can be retried: that user's. It begins like persisted
 * memory, by which databases and erasure know whose it is, and is one part longer than any of those.
 */
export function requestsNamespace(userId: string, agentId: string): string {
  return JSON.stringify(['persisted', userId, agentId, '', 'requests']);
}

/** Receipts of recorded searches: that user's, with the same beginning. Unique, because every persisted agent has a name. */
export function receiptsNamespace(userId: string): string {
  return JSON.stringify(['persisted', userId, '', '', 'receipts']);
}

/** What other agents have shared with an agent (empty: with the user): that user may read it, the sharers may write it. */
export function inboxNamespace(userId: string, agentId: string): string {
  return JSON.stringify(['inbox', userId, agentId]);
}

/** The prefix of keys, in any inbox, of what this user has shared: a key is a list, first who, then what. */
export function sentPrefix(userId: string): string {
  return `[${JSON.stringify(userId)},`;
}

/** Short-term memory of a user's agent (empty: of none) in a session: that user's. */
export function sessionNamespace(userId: string, agentId: string, sessionId: string): string {
  return JSON.stringify(['session', userId, agentId, sessionId]);
}

/** What every namespace of short-term memory begins with. */
export const SESSION_PREFIX = '["session",';

/** The session that {@link sessionNamespace} gave this text for; undefined for any other. */
export function sessionOfNamespace(
  namespace: string,
): { readonly userId: string; readonly agentId: string; readonly sessionId: string } | undefined {
  const [kind, userId, agentId, sessionId] = JSON.parse(namespace) as string[];
  if (kind !== 'session' || userId === undefined || agentId === undefined || sessionId === undefined) return undefined;
  return { userId, agentId, sessionId };
}

/** The values of a pool: for everyone who may see the pool. */
export function poolNamespace(poolId: string): string {
  return JSON.stringify(['pool', poolId]);
}

/** Whether {@link poolNamespace} made it. */
export function isPoolNamespace(namespace: string): boolean {
  return namespace.startsWith('["pool",');
}

/** The prefixes of the user's own namespaces, of every kind: for erasing the user. */
export function personalPrefixes(userId: string): string[] {
  const user = JSON.stringify(userId);
  return ['agent', 'persisted', 'inbox', 'session'].map((kind) => `["${kind}",${user},`);
}

/** What every inbox begins with. */
export const INBOX_PREFIX = '["inbox",';

/** The prefixes of everything in the hot store, if there is a separate one. */
export const HOT_PREFIXES: readonly string[] = ['["working",', '["agent",', INBOX_PREFIX, SESSION_PREFIX];

export function isHotNamespace(namespace: string): boolean {
  return HOT_PREFIXES.some((prefix) => namespace.startsWith(prefix));
}

/** The owner; empty if it belongs to everyone in the tenant. */
export function ownerOfNamespace(namespace: string): string {
  const [kind, id] = JSON.parse(namespace) as string[];
  return kind === 'working' ? '' : (id ?? '');
}

/** How many parts a namespace of each kind has, the kind itself included. */
const PART_COUNTS: Readonly<Record<string, readonly number[]>> = {
  working: [2],
  pool: [2],
  agent: [4],
  persisted: [4, 5],
  inbox: [3],
  session: [4],
};

/** The parts of a namespace: texts, and perhaps a number at the end, which stores use for notes of their own. */
export type NamespaceParts = readonly [kind: string, ...rest: (string | number)[]];

/** Undefined for a text that no function here makes. */
export function namespaceParts(namespace: string): NamespaceParts | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(namespace);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || JSON.stringify(parts) !== namespace) return undefined;
  const texts: unknown[] = typeof parts.at(-1) === 'number' ? parts.slice(0, -1) : parts;
  const [kind] = texts;
  const isKnown = typeof kind === 'string' && Object.hasOwn(PART_COUNTS, kind);
  if (!isKnown || !PART_COUNTS[kind]?.includes(texts.length)) return undefined;
  return texts.every((part) => typeof part === 'string') ? (parts as [string, ...(string | number)[]]) : undefined;
}

/** Whether it holds internal notes of a store rather than values. */
export function isNoteNamespace(namespace: string): boolean {
  return typeof namespaceParts(namespace)?.at(-1) === 'number';
}

export function isNamespace(text: string): boolean {
  return namespaceParts(text) !== undefined;
}
