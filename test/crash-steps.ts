/** The mixed load of the crash tests: what one worker may do next, to things that only it writes. */

import type { Memory } from '../src/operations/memory.ts';
import type { Change } from './crash-ledger.ts';
import type { Worker } from './crash-worker.ts';

export const AGENT = 'crash-agent';

/** How a thing is named in the ledger, and how it is found again. */
export const cellOf = {
  entry: (id: string): string => `entry ${id}`,
  working: (planId: string, key: string): string => `working ${planId} ${key}`,
  pool: (poolId: string, key: string): string => `pool ${poolId} ${key}`,
  plan: (planId: string): string => `plan ${planId}`,
  fact: (factId: string): string => `fact ${factId}`,
};

export interface Step {
  readonly changes: readonly Change[];
  /** The versions that came to be, in the order of the changes. */
  run(memory: Memory): Promise<number[]>;
}

/** After so many items a list begins anew. */
const MAX_LIST = 20;

/** Undefined where there is nothing to do it to. */
type Maker = (worker: Worker) => Step | undefined;

const text = ({ random }: Worker): string => random.words(4);

const newEntry = (worker: Worker): { id: string; content: string; layer: 'user' } => ({
  id: worker.made('entry'),
  content: text(worker),
  layer: 'user',
});

const entryChange = ({ id, content }: { id: string; content: string }): Change => ({
  cell: cellOf.entry(id),
  value: content,
});

const addOne: Maker = (worker) => {
  if (worker.hasTooMany('entry')) return undefined;
  const entry = newEntry(worker);
  return { changes: [entryChange(entry)], run: async (memory) => [(await memory.add(entry)).memory.version] };
};

const addThree: Maker = (worker) => {
  if (worker.hasTooMany('entry')) return undefined;
  const entries = [newEntry(worker), newEntry(worker), newEntry(worker)];
  return {
    changes: entries.map(entryChange),
    run: async (memory) => (await memory.addMany(entries)).map((added) => added.memory.version),
  };
};

const update: Maker = (worker) => {
  const id = worker.any('entry');
  if (id === undefined) return undefined;
  const content = text(worker);
  const expectedVersion = worker.version(cellOf.entry(id));
  const input = {
    id,
    content,
    ...(worker.random.below(2) === 0 && expectedVersion !== undefined && { expectedVersion }),
  };
  return {
    changes: [entryChange({ id, content })],
    run: async (memory) => [(await memory.update(input)).memory.version],
  };
};

const upsert: Maker = (worker) => {
  const externalId = `${worker.planId}-${worker.key('name')}`;
  const entry = { id: worker.named(externalId), externalId, content: text(worker), layer: 'user' } as const;
  return { changes: [entryChange(entry)], run: async (memory) => [(await memory.add(entry)).memory.version] };
};

const log: Maker = (worker) => {
  if (worker.hasTooMany('entry')) return undefined;
  const { id, content } = newEntry(worker);
  const episode = { id, content, agentId: AGENT, role: 'user' } as const;
  return {
    changes: [entryChange(episode)],
    run: async (memory) => [(await memory.episodic.log(episode)).version],
  };
};

const deleteEntry: Maker = (worker) => {
  const id = worker.any('entry');
  if (id === undefined) return undefined;
  return {
    changes: [{ cell: cellOf.entry(id), value: null }],
    run: async (memory) => found(await memory.delete({ id })),
  };
};

const setWorking: Maker = (worker) => {
  const place = { planId: worker.planId, key: worker.key('set') };
  const value = { said: text(worker) };
  return {
    changes: [{ cell: cellOf.working(place.planId, place.key), value }],
    run: async ({ working }) => [(await working.set({ ...place, value })).version],
  };
};

const mergeWorking: Maker = (worker) => {
  const place = { planId: worker.planId, key: worker.key('fields') };
  const cell = cellOf.working(place.planId, place.key);
  const fields = { [`f${worker.random.below(5)}`]: text(worker) };
  return {
    changes: [{ cell, value: { ...worker.value<object>(cell), ...fields } }],
    run: async ({ working }) => [(await working.merge({ ...place, fields })).version],
  };
};

const incrementWorking: Maker = (worker) => {
  const place = { planId: worker.planId, key: worker.key('count') };
  const cell = cellOf.working(place.planId, place.key);
  return {
    changes: [{ cell, value: (worker.value<number>(cell) ?? 0) + 1 }],
    run: async ({ working }) => [(await working.increment(place)).version],
  };
};

const deleteWorking: Maker = (worker) => {
  const place = { planId: worker.planId, key: worker.key('set') };
  const cell = cellOf.working(place.planId, place.key);
  if (worker.value(cell) === undefined) return undefined;
  return { changes: [{ cell, value: null }], run: async ({ working }) => found(await working.delete(place)) };
};

const writePool: Maker = (worker) => {
  const place = { poolId: worker.poolId, key: worker.key('written') };
  const value = text(worker);
  return {
    changes: [{ cell: cellOf.pool(place.poolId, place.key), value }],
    run: async ({ pools }) => [(await pools.write({ ...place, value })).version],
  };
};

const appendPool: Maker = (worker) => {
  const place = { poolId: worker.poolId, key: worker.key('list') };
  const cell = cellOf.pool(place.poolId, place.key);
  const before = worker.value<string[]>(cell) ?? [];
  const item = text(worker);
  if (before.length >= MAX_LIST) {
    return { changes: [{ cell, value: null }], run: async ({ pools }) => found(await pools.remove(place)) };
  }
  return {
    changes: [{ cell, value: [...before, item] }],
    run: async ({ pools }) => [(await pools.append({ ...place, items: [item] })).version],
  };
};

const makePlan: Maker = (worker) => {
  if (worker.hasTooMany('plan')) return undefined;
  const planId = worker.made('plan');
  const state = { step: text(worker) };
  return {
    changes: [{ cell: cellOf.plan(planId), value: state }],
    run: async ({ plans }) => [(await plans.create({ planId, goalEvent: 'crash.survived', state })).version],
  };
};

const movePlan: Maker = (worker) => {
  const planId = worker.any('plan');
  const ifVersion = planId && worker.version(cellOf.plan(planId));
  if (planId === undefined || typeof ifVersion !== 'number') return undefined;
  const state = { step: text(worker) };
  return {
    changes: [{ cell: cellOf.plan(planId), value: state }],
    run: async ({ plans }) => [(await plans.update({ planId, state, ifVersion })).version],
  };
};

const deletePlan: Maker = (worker) => {
  const planId = worker.hasTooMany('plan') ? worker.any('plan') : undefined;
  if (planId === undefined) return undefined;
  return {
    changes: [{ cell: cellOf.plan(planId), value: null }],
    run: async ({ plans }) => found(await plans.delete({ planId })),
  };
};

const addFact: Maker = (worker) => {
  if (worker.hasTooMany('fact')) return undefined;
  const object = text(worker);
  const fact = { factId: worker.made('fact'), factType: 'crash', subject: worker.planId, predicate: 'said', object };
  return {
    changes: [{ cell: cellOf.fact(fact.factId), value: { object, metadata: {} } }],
    run: async ({ facts }) => [(await facts.add(fact)).fact.version],
  };
};

const updateFact: Maker = (worker) => {
  const factId = worker.any('fact');
  const before = factId && worker.value<{ object: string }>(cellOf.fact(factId));
  if (factId === undefined || typeof before !== 'object') return undefined;
  const metadata = { said: text(worker) };
  return {
    changes: [{ cell: cellOf.fact(factId), value: { ...before, metadata } }],
    run: async ({ facts }) => [(await facts.update({ factId, metadata })).version],
  };
};

const deleteFact: Maker = (worker) => {
  const factId = worker.hasTooMany('fact') ? worker.any('fact') : undefined;
  if (factId === undefined) return undefined;
  return {
    changes: [{ cell: cellOf.fact(factId), value: null }],
    run: async ({ facts }) => found(await facts.delete({ factId })),
  };
};

/** What is known to be there must be found. */
function found({ success }: { readonly success: boolean }): number[] {
  if (!success) throw new Error('What was to be deleted was not there.');
  return [];
}

const ENTRIES: readonly Maker[] = [
  addOne,
  addOne,
  addThree,
  update,
  update,
  upsert,
  upsert,
  log,
  deleteEntry,
  deleteEntry,
];
const STATE: readonly Maker[] = [setWorking, mergeWorking, incrementWorking, deleteWorking, writePool, appendPool];
const RECORDS: readonly Maker[] = [makePlan, movePlan, deletePlan, addFact, updateFact, deleteFact];

/** Each is as likely as it stands here often. */
export const MAKERS: readonly Maker[] = [...ENTRIES, ...STATE, ...RECORDS];
