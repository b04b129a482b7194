/** Working memory of an agent: values under keys, and what agents keep while they work on a task. */

import {
  DEFAULT_AGENT_TTL,
  type AgentItem,
  type AgentKeyInput,
  type AgentKeysInput,
  type AgentKeysOutput,
  type AgentTask,
  type ClearAgentOutput,
  type LoadAgentOutput,
  type PersistAgentInput,
  type PersistAgentOutput,
  type RemoveAgentInput,
  type RetrieveSharedInput,
  type SharedItem,
  type ShareInput,
  type ShareOutput,
  type StoreAgentInput,
  type WithdrawInput,
} from '../../domain/agent-memory.ts';
import type { Json } from '../../domain/json.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import { pageOf } from '../paging/page.ts';
import { lifeOf, namespaceOf, type Needs } from './agent-task.ts';
import { load, persist } from './persistence.ts';
import { retrieveShared, share, withdraw } from './sharing.ts';
import { inTermsOf, nameIn, SCRATCH_PAD, slotOf, type Slot } from './slot.ts';

/** The fields of a value besides the value itself. */
type Storing = Pick<StoreAgentInput, 'ttlSeconds' | 'ifVersion'>;

/** All methods throw `FORBIDDEN` if a calling agent names another one. */
export interface AgentMemory {
  /** Replaces the value and its time to live. Throws `VERSION_CONFLICT`, `LIMIT_EXCEEDED`. */
  store(principal: Principal, task: AgentTask, slot: Slot, value: Json, how: Storing): Promise<AgentItem>;
  retrieve(principal: Principal, task: AgentTask, slot: Slot): Promise<AgentItem | null>;
  /** Appends to a list, atomically; restarts its time to live. Throws `LIMIT_EXCEEDED`. */
  append(
    principal: Principal,
    task: AgentTask,
    slot: Slot,
    items: readonly Json[],
    ttlSeconds: number | undefined,
  ): Promise<AgentItem>;
  exists(principal: Principal, input: AgentKeyInput): Promise<boolean>;
  /** False if there was no value. Throws `VERSION_CONFLICT`. */
  remove(principal: Principal, input: RemoveAgentInput): Promise<boolean>;
  keys(principal: Principal, input: AgentKeysInput): Promise<AgentKeysOutput>;
  /** Everything of the task, in every section. */
  clear(principal: Principal, task: AgentTask): Promise<ClearAgentOutput>;
  persist(principal: Principal, input: PersistAgentInput): Promise<PersistAgentOutput>;
  load(principal: Principal, task: AgentTask): Promise<LoadAgentOutput>;
  share(principal: Principal, input: ShareInput): Promise<ShareOutput>;
  retrieveShared(principal: Principal, input: RetrieveSharedInput): Promise<SharedItem | null>;
  withdraw(principal: Principal, input: WithdrawInput): Promise<boolean>;
}

export function createAgentMemory(dependencies: Needs): AgentMemory {
  const { hot, clock, limits } = dependencies;
  const write: AgentMemory['store'] = async (principal, task, slot, value, { ttlSeconds, ifVersion }) => {
    const written = hot.write(principal, namespaceOf(principal, task), slot.stateKey, {
      mutation: { type: 'set', value },
      ifVersion,
      expiresAt: clock.now() + (ttlSeconds ?? DEFAULT_AGENT_TTL) * 1000,
      maxBytes: limits.valueBytes,
    });
    return shown(task, slot, await inTermsOf(slot, written));
  };
  return {
    store: write,
    retrieve: async (principal, task, slot) => {
      const item = await hot.get(principal, namespaceOf(principal, task), slot.stateKey);
      return item && shown(task, slot, item);
    },
    append: (principal, task, slot, items, ttlSeconds) =>
      append(dependencies, principal, task, slot, items, ttlSeconds),
    exists: async (principal, { key, ...task }) =>
      (await hot.get(principal, namespaceOf(principal, task), slotOf('values', key).stateKey)) !== null,
    remove: async (principal, { key, section = 'values', ifVersion, ...task }) => {
      const slot = slotOf(section, key);
      return inTermsOf(slot, hot.remove(principal, namespaceOf(principal, task), slot.stateKey, ifVersion));
    },
    keys: (principal, input) => keys(dependencies, principal, input),
    clear: async (principal, task) => ({
      ...task,
      deletedCount: await hot.clear(principal, namespaceOf(principal, task)),
    }),
    persist: (principal, input) => persist(dependencies, principal, input),
    load: (principal, task) => load(dependencies, principal, task),
    share: (principal, input) => share(dependencies, principal, input),
    retrieveShared: (principal, input) => retrieveShared(dependencies, principal, input),
    withdraw: (principal, input) => withdraw(dependencies, principal, input),
  };
}

async function append(
  { hot, clock, limits }: Needs,
  principal: Principal,
  task: AgentTask,
  slot: Slot,
  items: readonly Json[],
  ttlSeconds: number | undefined,
): Promise<AgentItem> {
  const namespace = namespaceOf(principal, task);
  const ttlMs =
    ttlSeconds === undefined ? lifeOf(await hot.get(principal, namespace, slot.stateKey)) : ttlSeconds * 1000;
  const written = hot.write(principal, namespace, slot.stateKey, {
    mutation: { type: 'append', items },
    expiresAt: clock.now() + ttlMs,
    maxBytes: limits.valueBytes,
  });
  return shown(task, slot, await inTermsOf(slot, written));
}

async function keys(
  { hot }: Needs,
  principal: Principal,
  { section = 'values', cursor, limit, ...task }: AgentKeysInput,
): Promise<AgentKeysOutput> {
  const namespace = namespaceOf(principal, task);
  const { items, nextCursor } = await pageOf<string>({
    list: { namespace, section },
    cursor,
    limit,
    placeOf: (name) => ({ at: 0, id: name }),
    read: async (count, after) => {
      const found = await hot.list(principal, namespace, count, slotOf(section, after?.id ?? '').stateKey);
      return found.flatMap(({ key }) => nameIn(section, key) ?? []);
    },
  });
  return { ...task, keys: items, count: items.length, nextCursor };
}

/** A scratch pad is stored as a list of notes, so that adding one is atomic, and shown as one text. */
function shown(task: AgentTask, slot: Slot, item: StateItem): AgentItem {
  const { value, version, createdAt, updatedAt, expiresAt = updatedAt } = item;
  const whole = slot === SCRATCH_PAD ? (value as readonly string[]).join('\n') : value;
  return { ...task, key: slot.key, value: whole, version, createdAt, updatedAt, expiresAt };
}
