/** Memory as one principal sees it: the same interface embedded and remote. */

import { LaminaError } from '../domain/error.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { Operation } from './operation.ts';
import { turnContextOver } from './turn-context-over.ts';
import {
  OPERATIONS,
  type CallName,
  type Follow,
  type Invoke,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type StreamName,
} from './table.ts';

type AddInput = OperationInput<'add'>;
type AddOutput = OperationOutput<'add'>;

/** A followed stream ends when the signal aborts or the iteration is left. */
interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Operations without required input can be called without one. */
type Method<Full extends OperationName> = Full extends StreamName
  ? (input?: OperationInput<Full> & FollowOptions) => AsyncIterable<OperationOutput<Full>>
  : {} extends OperationInput<Full>
    ? (input?: OperationInput<Full>) => Promise<OperationOutput<Full>>
    : (input: OperationInput<Full>) => Promise<OperationOutput<Full>>;

/** The operations of a group, by the second part of their names: `working.set` is `working` → `set`. */
export type Group<Name extends string> = {
  readonly [Full in OperationName as Full extends `${Name}.${infer Last}` ? Last : never]: Method<Full>;
};

type GroupName = OperationName extends infer Name ? (Name extends `${infer First}.${string}` ? First : never) : never;

/**
 * A failed call throws a `LaminaError` and has changed nothing, except what docs/concurrency.md lists as done in parts;
 * over HTTP a lost answer is `UNAVAILABLE`, and then the change may have been made.
 */
export interface EntryMemory {
  /** Remembers a text. Durable once it resolves. */
  add(input: AddInput): Promise<AddOutput>;
  /** Remembers many texts, all or none; outputs in the order of the inputs. */
  addMany(inputs: readonly AddInput[]): Promise<AddOutput[]>;
  /** Finds memories by meaning and by words. */
  search(input: OperationInput<'search'>): Promise<OperationOutput<'search'>>;
  /** Reads one memory; null if it does not exist or is not visible to you. */
  get(input: OperationInput<'get'>): Promise<OperationOutput<'get'>>;
  /**
   * Builds the prompt of a turn from memory. Never fails because memory is down: then it returns the prompt without memory,
   * with `degraded` and a warning, after at most ten seconds.
   */
  turnContext(input: OperationInput<'turnContext'>): Promise<OperationOutput<'turnContext'>>;
  /** Changes a memory and keeps the old version. */
  update(input: OperationInput<'update'>): Promise<OperationOutput<'update'>>;
  /** Archives a memory: searches and lists leave it out unless they ask for it. */
  archive(input: OperationInput<'archive'>): Promise<OperationOutput<'archive'>>;
  /** Restores an archived memory. */
  restore(input: OperationInput<'restore'>): Promise<OperationOutput<'restore'>>;
  /** Stores a copy in a broader layer, without personal data and secrets if a group can see it. */
  promote(input: OperationInput<'promote'>): Promise<OperationOutput<'promote'>>;
  /** Deletes a memory and everything stored with it; `success` is false if it did not exist. */
  delete(input: OperationInput<'delete'>): Promise<OperationOutput<'delete'>>;
  /** Pages through a layer, newest first. */
  list(input: OperationInput<'list'>): Promise<OperationOutput<'list'>>;
  /** Deletes all memories that meet every given condition. */
  forget(input: OperationInput<'forget'>): Promise<OperationOutput<'forget'>>;
  /** Remembers a conversation: its turns verbatim, and what a language model extracts from them, if there is one. */
  remember(input: OperationInput<'remember'>): Promise<OperationOutput<'remember'>>;
  /** Reads the history of a memory, newest version first. */
  versions(input: OperationInput<'versions'>): Promise<OperationOutput<'versions'>>;
  /** Counts memories by layer, kind and status, with their growth. */
  stats(input?: OperationInput<'stats'>): Promise<OperationOutput<'stats'>>;
  /** Finds the memories nearest in meaning to a given one. */
  neighbours(input: OperationInput<'neighbours'>): Promise<OperationOutput<'neighbours'>>;
  /** Shows what a memory was made from, and what was made from it. */
  lineage(input: OperationInput<'lineage'>): Promise<OperationOutput<'lineage'>>;
  /** Shows how a memory decays. */
  decay(input: OperationInput<'decay'>): Promise<OperationOutput<'decay'>>;
  /** Maps memories onto a plane by meaning; ask again while it is computing. */
  map(input?: OperationInput<'map'>): Promise<OperationOutput<'map'>>;
}

/** Entries, and every other group of the table: `memory.working.set(…)`, `memory.plans.create(…)` and so on. */
export type Memory = EntryMemory & { readonly [Name in GroupName]: Group<Name> };

export function memoryOver(invoke: Invoke, follow: Follow): Memory {
  const entries: EntryMemory = {
    add: (input) => invoke('add', input),
    // The items are checked by validation.
    addMany: async (inputs) => {
      if (!Array.isArray(inputs)) throw noList();
      return (await invoke('addMany', { memories: inputs as AddInput[] })).results;
    },
    search: (input) => invoke('search', input),
    get: (input) => invoke('get', input),
    turnContext: (input) => turnContextOver(invoke, input),
    update: (input) => invoke('update', input),
    archive: (input) => invoke('archive', input),
    restore: (input) => invoke('restore', input),
    promote: (input) => invoke('promote', input),
    delete: (input) => invoke('delete', input),
    list: (input) => invoke('list', input),
    forget: (input) => invoke('forget', input),
    remember: (input) => invoke('remember', input),
    versions: (input) => invoke('versions', input),
    stats: (input = {}) => invoke('stats', input),
    neighbours: (input) => invoke('neighbours', input),
    lineage: (input) => invoke('lineage', input),
    decay: (input) => invoke('decay', input),
    map: (input = {}) => invoke('map', input),
  };
  return { ...entries, ...groupsOver(invoke, follow) } as unknown as Memory;
}

/**
 * Refused here, where the list is the argument itself: the operation's error would name a field that the caller never
 * wrote.
 */
function noList(): LaminaError {
  const message = 'addMany takes a list of memories: addMany([{ content, layer }]).';
  return new LaminaError('VALIDATION_FAILED', message, { operation: 'addMany' });
}

type AnyMethod = (input?: FollowOptions) => Promise<unknown> | AsyncIterable<unknown>;

type AnyGroup = Record<string, AnyMethod>;

/** A method of a group, and its operation. */
interface Named {
  readonly method: string;
  readonly name: OperationName;
  readonly isStream: boolean;
}

let groupsByName: ReadonlyMap<string, readonly Named[]> | undefined;

/** Prepared once: a memory is created for every principal, and often for every call. */
function sortedOut(): ReadonlyMap<string, readonly Named[]> {
  const groups = new Map<string, Named[]>();
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const [group, method] = name.split('.');
    if (group === undefined || method === undefined) continue;
    const { isStream = false }: Operation = OPERATIONS[name];
    groups.set(group, [...(groups.get(group) ?? []), { method, name, isStream }]);
  }
  return groups;
}

function groupsOver(invoke: Invoke, follow: Follow): Record<string, AnyGroup> {
  const groups: Record<string, AnyGroup> = {};
  groupsByName ??= sortedOut();
  for (const [group, named] of groupsByName) {
    const methods: AnyGroup = (groups[group] = {});
    for (const { method, name, isStream } of named) {
      methods[method] = isStream
        ? ({ signal, ...input } = {}) => itemsOf(follow(name as StreamName, input, signal))
        : (input = {}) => invoke(name as CallName, input as never);
    }
  }
  return groups;
}

async function* itemsOf<Item>(pages: AsyncIterable<StreamPage<Item>>): AsyncGenerator<Item, void> {
  for await (const { items } of pages) yield* items;
}
