/**
 * Persisting an agent's working memory in the database, and loading it again. The persisted copy is one value, so that it
 * is replaced atomically.
 */

import type { AgentTask, LoadAgentOutput, PersistAgentInput, PersistAgentOutput } from '../../domain/agent-memory.ts';
import { asLaminaError, LaminaError } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import { persistedNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import { lifeOf, namespaceOf, type Needs } from './agent-task.ts';

const KEY = 'working';
const PAGE = 100;

/** How many values of the maximum size it may hold. */
const MAX_VALUES = 16;

/** A value as it was persisted. Times are milliseconds. */
interface Persisted {
  readonly key: string;
  readonly value: Json;
  /** Until when it can be loaded. */
  readonly until: number;
  /** How long it stays once it is loaded; absent: until then. */
  readonly ttlMs?: number;
}

/** Not a snapshot: others may write while it is read value by value. Throws `LIMIT_EXCEEDED`. */
export async function persist(
  { hot, state, clock, limits }: Needs,
  principal: Principal,
  { ttlSeconds, ...task }: PersistAgentInput,
): Promise<PersistAgentOutput> {
  const namespace = namespaceOf(principal, task);
  const place = persistedNamespace(principal.userId, task.agentId, task.taskId ?? '');
  const until = ttlSeconds === undefined ? undefined : clock.now() + ttlSeconds * 1000;
  const persisted: Persisted[] = [];
  let after: string | undefined;
  do {
    const page = await hot.list(principal, namespace, PAGE, after);
    persisted.push(...page.map((item) => persistedOf(item, until)));
    after = page.length < PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  if (persisted.length === 0) await state.remove(principal, place, KEY);
  else {
    await state.write(principal, place, KEY, {
      mutation: { type: 'set', value: persisted.map((each) => ({ ...each })) },
      expiresAt: Math.max(...persisted.map((each) => each.until)),
      maxBytes: limits.valueBytes * MAX_VALUES,
    });
  }
  return { ...task, persistedCount: persisted.length };
}

function persistedOf(item: StateItem, until: number | undefined): Persisted {
  const { key, value, updatedAt, expiresAt = updatedAt } = item;
  if (until === undefined) return { key, value, until: Date.parse(expiresAt) };
  return { key, value, until, ttlMs: lifeOf(item) };
}

/** Overwrites values under the same keys; other keys stay. Can be repeated. */
export async function load(
  { hot, state, clock, limits }: Needs,
  principal: Principal,
  task: AgentTask,
): Promise<LoadAgentOutput> {
  const namespace = namespaceOf(principal, task);
  const item = await state.get(principal, persistedNamespace(principal.userId, task.agentId, task.taskId ?? ''), KEY);
  const all = (item?.value ?? []) as unknown as readonly Persisted[];
  const now = clock.now();
  const living = all.filter(({ until }) => until > now);
  for (const [loadedCount, { key, value, until, ttlMs }] of living.entries()) {
    const expiresAt = ttlMs === undefined ? until : now + ttlMs;
    const mutation = { type: 'set', value } as const;
    await hot
      .write(principal, namespace, key, { mutation, expiresAt, maxBytes: limits.valueBytes })
      .catch((error: unknown) => {
        throw halfway(error, loadedCount, living.length);
      });
  }
  return { ...task, loadedCount: living.length, expiredCount: all.length - living.length };
}

/** Reports how far it got: some values are as persisted, others as they were before. */
function halfway(cause: unknown, loadedCount: number, totalCount: number): LaminaError {
  const { code, message, details } = asLaminaError(cause);
  return new LaminaError(code, `${message} ${loadedCount} of ${totalCount} values had been loaded: load again.`, {
    details: { ...details, loadedCount, totalCount },
    cause,
  });
}
