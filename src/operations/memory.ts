/** Memory as one principal sees it: the same interface embedded and remote. */

import { OPERATIONS, type Invoke, type OperationInput, type OperationName, type OperationOutput } from './table.ts';

type AddInput = OperationInput<'add'>;
type AddOutput = OperationOutput<'add'>;

/** The operations of a group, by the second part of their names: `working.set` is `working` → `set`. */
export type Group<Name extends string> = {
  readonly [Full in OperationName as Full extends `${Name}.${infer Method}` ? Method : never]: (
    input: OperationInput<Full>,
  ) => Promise<OperationOutput<Full>>;
};

type GroupName = OperationName extends infer Name ? (Name extends `${infer First}.${string}` ? First : never) : never;

/** Every method fails with a `LaminaError` and then has changed nothing. */
export interface EntryMemory {
  /** Remembers a text. Durable once it resolves. */
  add(input: AddInput): Promise<AddOutput>;
  /** Remembers many texts, all or none; outputs in the order of the inputs. */
  addMany(inputs: readonly AddInput[]): Promise<AddOutput[]>;
  /** Finds memories by meaning and by words. */
  search(input: OperationInput<'search'>): Promise<OperationOutput<'search'>>;
  /** Reads one memory; null when it is not there or not yours to see. */
  get(input: OperationInput<'get'>): Promise<OperationOutput<'get'>>;
  /** Changes a memory and keeps the old version. */
  update(input: OperationInput<'update'>): Promise<OperationOutput<'update'>>;
  /** Deletes a memory and everything kept with it; `success` is false when it was not there. */
  delete(input: OperationInput<'delete'>): Promise<OperationOutput<'delete'>>;
  /** Pages through a layer, newest first. */
  list(input: OperationInput<'list'>): Promise<OperationOutput<'list'>>;
  /** Deletes all memories that meet every given condition. */
  forget(input: OperationInput<'forget'>): Promise<OperationOutput<'forget'>>;
  /** Reads the history of a memory, newest version first. */
  versions(input: OperationInput<'versions'>): Promise<OperationOutput<'versions'>>;
}

/** Entries, and every other group of the table: `memory.working.set(…)`, `memory.plans.create(…)` and so on. */
export type Memory = EntryMemory & { readonly [Name in GroupName]: Group<Name> };

export function memoryOver(invoke: Invoke): Memory {
  const entries: EntryMemory = {
    add: (input) => invoke('add', input),
    // Whatever was given is for validation to judge.
    addMany: async (inputs) => (await invoke('addMany', { memories: inputs as AddInput[] })).results,
    search: (input) => invoke('search', input),
    get: (input) => invoke('get', input),
    update: (input) => invoke('update', input),
    delete: (input) => invoke('delete', input),
    list: (input) => invoke('list', input),
    forget: (input) => invoke('forget', input),
    versions: (input) => invoke('versions', input),
  };
  return { ...entries, ...groupsOver(invoke) } as unknown as Memory;
}

type Call = (input?: object) => Promise<unknown>;

/** What needs no input can be called without one. */
function groupsOver(invoke: Invoke): Record<string, Record<string, Call>> {
  const groups: Record<string, Record<string, Call>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const [group, method] = name.split('.');
    if (group === undefined || method === undefined) continue;
    (groups[group] ??= {})[method] = (input = {}) => invoke(name, input as never);
  }
  return groups;
}
