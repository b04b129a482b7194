/** Working memory of plans: values that everyone of the tenant who can name the plan reads and changes. */

import { afterwards, type Awaitable } from '../../domain/awaitable.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Mutation, StateItem } from '../../domain/state.ts';
import type {
  AppendWorkingInput,
  DeleteWorkingInput,
  IncrementWorkingInput,
  ListWorkingInput,
  ListWorkingOutput,
  MergeWorkingInput,
  SetWorkingInput,
  WorkingItem,
  WorkingKeyInput,
} from '../../domain/working.ts';
import type { StateWrite } from '../../ports/state-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { workingNamespace } from '../../domain/namespace.ts';

export interface Working {
  /** Replaces the value and its time to live. Throws `VERSION_CONFLICT`, `LIMIT_EXCEEDED`. */
  set(principal: Principal, input: SetWorkingInput): Promise<WorkingItem>;
  get(principal: Principal, input: WorkingKeyInput): Awaitable<WorkingItem | null>;
  /** False when it was not there. Throws `VERSION_CONFLICT`. */
  delete(principal: Principal, input: DeleteWorkingInput): Promise<boolean>;
  list(principal: Principal, input: ListWorkingInput): Promise<ListWorkingOutput>;
  /** How many values were removed. */
  clear(principal: Principal, planId: string): Promise<number>;
  /** This one and the next two keep the time to live. They throw `VALIDATION_FAILED`, `LIMIT_EXCEEDED`. */
  increment(principal: Principal, input: IncrementWorkingInput): Promise<WorkingItem>;
  append(principal: Principal, input: AppendWorkingInput): Promise<WorkingItem>;
  merge(principal: Principal, input: MergeWorkingInput): Promise<WorkingItem>;
}

type Needs = Pick<Dependencies, 'hot' | 'clock' | 'limits'>;

/** The same text for the same plan in a row: a store that looks it up has its hash already, which takes longer than looking. */
function latestNamespace(): (planId: string) => string {
  let latest = { planId: '', namespace: workingNamespace('') };
  return (planId) => {
    if (planId !== latest.planId) latest = { planId, namespace: workingNamespace(planId) };
    return latest.namespace;
  };
}

export function createWorking({ hot: state, clock, limits }: Needs): Working {
  const namespaceOf = latestNamespace();
  const write = async (
    principal: Principal,
    { planId, key }: WorkingKeyInput,
    change: Omit<StateWrite, 'maxBytes'>,
  ): Promise<WorkingItem> => {
    const item = await state.write(principal, namespaceOf(planId), key, {
      ...change,
      maxBytes: limits.valueBytes,
    });
    return workingItem(planId, item);
  };
  const change = (principal: Principal, input: WorkingKeyInput, mutation: Mutation): Promise<WorkingItem> =>
    write(principal, input, { mutation });
  return {
    set: (principal, input) =>
      write(principal, input, {
        mutation: { type: 'set', value: input.value },
        ifVersion: input.ifVersion,
        expiresAt: input.ttlSeconds === undefined ? null : clock.now() + input.ttlSeconds * 1000,
      }),
    get: (principal, { planId, key }) =>
      afterwards(state.get(principal, namespaceOf(planId), key), (item) => item && workingItem(planId, item)),
    delete: (principal, { planId, key, ifVersion }) =>
      state.remove(principal, workingNamespace(planId), key, ifVersion),
    list: (principal, input) => list(state, principal, input),
    clear: (principal, planId) => state.clear(principal, workingNamespace(planId)),
    increment: (principal, input) => change(principal, input, { type: 'increment', by: input.by ?? 1 }),
    append: (principal, input) => change(principal, input, { type: 'append', items: input.items }),
    merge: (principal, input) => change(principal, input, { type: 'merge', fields: input.fields }),
  };
}

/** Nobody counts who reads working memory. */
function shown({ accessCount: _count, lastAccessedAt: _last, ...item }: StateItem): Omit<WorkingItem, 'planId'> {
  return item;
}

/** Field by field, because copying all but some takes longer than the rest of reading one. */
function workingItem(planId: string, { key, value, version, createdAt, updatedAt, expiresAt }: StateItem): WorkingItem {
  const item = { planId, key, value, version, createdAt, updatedAt };
  return expiresAt === undefined ? item : { ...item, expiresAt };
}

/** In the order of the keys. */
async function list(
  state: Needs['hot'],
  principal: Principal,
  { planId, cursor, limit }: ListWorkingInput,
): Promise<ListWorkingOutput> {
  const namespace = workingNamespace(planId);
  const { items, nextCursor } = await pageOf<StateItem>({
    list: { namespace },
    cursor,
    limit,
    // Keys have no time; each is there once.
    placeOf: ({ key }) => ({ at: 0, id: key }),
    read: (count, after) => state.list(principal, namespace, count, after?.id),
  });
  return { planId, items: items.map(shown), count: items.length, nextCursor };
}
