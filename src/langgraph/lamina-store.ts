/** A LangGraph store over memory: what a graph keeps across threads, found by meaning and by words, in any Lamina. */

import { BaseStore, type Item, type Operation, type OperationResults } from '@langchain/langgraph-checkpoint';
import type { ListNamespacesOperation, SearchItem, SearchOperation } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { identifiersSchema, layerSchema } from '../domain/entry.ts';
import { invalidField } from '../domain/error.ts';
import type { Identifiers, Layer } from '../domain/scope.ts';
import { validate } from '../operations/validate.ts';
import { ItemEntries, prepared, type StoreMemory } from './item-entries.ts';
import { nameOf } from './item-writing.ts';
import { filterOf } from './item-filter.ts';
import { assertIndexing, type Indexing } from './item-text.ts';
import { commonPrefix, matchNamespaces } from './namespace-match.ts';
import { storeOperation, type StoreOperation, type StorePage } from './store-operation.ts';

export interface LaminaStoreOptions {
  /** The layer of the items. Default `user`: that of the memory's principal. */
  readonly layer?: Layer;
  /** Those that the layer needs. Default: the principal's own. */
  readonly identifiers?: Identifiers;
  /** The paths whose text is indexed, if a put names none. Default `['$']`: the whole value. */
  readonly index?: Indexing;
}

const PLACE = z.strictObject({ layer: layerSchema.default('user'), identifiers: identifiersSchema.optional() });

/**
 * The items are entries: durable once a put resolves, as private as their layer, and found by every other search of that
 * memory too. Behaves as LangGraph's `InMemoryStore`; docs/langgraph.md says where it does not. Fails with a
 * `LaminaError`, or with LangGraph's `InvalidNamespaceError`, and then has changed nothing. There is nothing to start or
 * to stop: whoever opened the memory closes it.
 */
export class LaminaStore extends BaseStore {
  readonly #entries: ItemEntries;
  readonly #index: Indexing;

  /** Throws `VALIDATION_FAILED` or `INVALID_LAYER` for something that is not a memory, and for unknown options. */
  constructor(memory: StoreMemory, { index = ['$'], ...options }: LaminaStoreOptions = {}) {
    super();
    assertMemory(memory);
    assertIndexing(index);
    const { layer, identifiers } = validate(PLACE, options);
    this.#entries = new ItemEntries(memory, { layer, ...(identifiers && { identifiers }) });
    this.#index = index;
  }

  /**
   * Reads come first: none sees what its own batch writes. Of several puts to one key the last counts. Puts are stored all
   * or none (a thousand at a time, where there are more), then deletions are done.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const all = operations.map(storeOperation);
    const puts = all.flatMap((each) => (each.kind === 'put' ? [prepared(each.put, this.#index)] : []));
    const names = all.flatMap((each) => (each.kind === 'get' ? [nameOf(each.get.namespace, each.get.key)] : []));
    const found = await this.#entries.find(names);
    const results = await Promise.all(all.map((each) => this.#read(each, found)));
    await this.#entries.write(puts);
    return results as OperationResults<Op>;
  }

  async #read(operation: StoreOperation, found: ReadonlyMap<string, Item>): Promise<unknown> {
    switch (operation.kind) {
      case 'get':
        return found.get(nameOf(operation.get.namespace, operation.get.key)) ?? null;
      case 'search':
        return this.#search(operation.search, operation.page);
      case 'list':
        return this.#listNamespaces(operation.list, operation.page);
      case 'put':
        return null;
    }
  }

  async #search(search: SearchOperation, { offset, limit }: StorePage): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query } = search;
    const isWanted = filterOf(filter);
    const wanted: SearchItem[] = [];
    if (limit === 0) return wanted;
    // How many there are of those that pass a filter is not known beforehand.
    const ranked = filter === undefined ? offset + limit : undefined;
    const items = query ? this.#entries.best(namespacePrefix, query, ranked) : this.#entries.newest(namespacePrefix);
    let skipped = 0;
    for await (const item of items) {
      if (!isWanted(item.value)) continue;
      if (skipped < offset) skipped += 1;
      else if (wanted.push(item) >= limit) break;
    }
    return wanted;
  }

  /** Goes through all that lies under what the conditions have in common: namespaces are written nowhere else. */
  async #listNamespaces(list: ListNamespacesOperation, { offset, limit }: StorePage): Promise<string[][]> {
    const all = new Map<string, string[]>();
    for await (const { namespace } of this.#entries.newest(commonPrefix(list.matchConditions))) {
      all.set(JSON.stringify(namespace), namespace);
    }
    return matchNamespaces([...all.values()], list).slice(offset, offset + limit);
  }
}

function assertMemory(memory: unknown): void {
  if (typeof (memory as Partial<StoreMemory> | undefined)?.addMany === 'function') return;
  throw invalidField('memory', 'must be the memory of somebody, such as lamina.as({ userId })');
}
