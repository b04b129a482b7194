/** The entries that stand for the items of a store: read, searched and written, in one place of a memory. */

import type { Item, PutOperation, SearchItem } from '@langchain/langgraph-checkpoint';
import { MAX_PAGE_SIZE } from '../domain/browse.ts';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import { queryText } from '../domain/query-text.ts';
import type { Identifiers, Layer } from '../domain/scope.ts';
import type { EntryMemory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { isUnder, itemOf, writingOf } from './item-entry.ts';
import { aboutItem } from './item-error.ts';
import { assertIndexing, type Indexing } from './item-text.ts';
import { nameOf, tagsUnder } from './item-writing.ts';

/** What a store needs of a `Memory`, embedded or remote. */
export type StoreMemory = Pick<EntryMemory, 'addMany' | 'forget' | 'list' | 'search'>;

export interface StorePlace {
  readonly layer: Layer;
  readonly identifiers?: Identifiers;
}

/** A put as it will be written; without a writing it is a deletion. */
export interface PreparedPut {
  readonly name: string;
  readonly put: PutOperation;
  readonly writing?: Omit<OperationInput<'add'>, 'layer'>;
}

/** Throws for what cannot be stored, before anything is. */
export function prepared(put: PutOperation, defaultIndex: Indexing): PreparedPut {
  const name = nameOf(put.namespace, put.key);
  if (put.value === null) return { name, put };
  const index = put.index ?? defaultIndex;
  assertIndexing(index);
  return { name, put, writing: writingOf(put, index) };
}

/** The most that one search gives, and so what is ranked at all. */
const MAX_RANKED = 100;

/**
 * Every page of a filtered list goes over the whole layer once, to count. To read more than so many items it takes less
 * time to page through the layer without a filter: with 20,000 items 1.1 s where it took 11 s.
 */
const MANY = 500;

/** In a layer of a group a name may be taken twice, by the group and by the principal alone: both fit on a page. */
const NAMES_AT_ONCE = MAX_PAGE_SIZE / 2;

type ListPage = OperationOutput<'list'>;

export class ItemEntries {
  readonly #memory: StoreMemory;
  readonly #place: StorePlace;

  constructor(memory: StoreMemory, place: StorePlace) {
    this.#memory = memory;
    this.#place = place;
  }

  /** The items that there are, by their names. */
  async find(names: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    const entries = await this.#named(names, 'active');
    return new Map(entries.flatMap((entry) => pairOf(entry)));
  }

  /** What lies in or under a namespace, newest first. Reads on as far as somebody takes. */
  async *newest(prefix: readonly string[]): AsyncGenerator<Item, void> {
    const filter = { tags: [...tagsUnder(prefix).all] };
    const first = await this.#page({ filter });
    yield* itemsUnder(prefix, first.memories);
    const seen = new Set(first.memories.map(({ id }) => id));
    const isFew = first.totalCount <= MANY;
    let cursor = isFew ? first.nextCursor : undefined;
    while (cursor !== null) {
      const page: ListPage = await this.#page({ ...(isFew && { filter }), ...(cursor && { cursor }) });
      const others = page.memories.filter(({ id }) => !seen.has(id));
      yield* itemsUnder(prefix, others);
      cursor = page.nextCursor;
    }
  }

  /**
   * The same, best first: those that the search ranks (as many as are wanted, and at most a hundred) with their scores,
   * then all others without one, newest first.
   */
  async *best(prefix: readonly string[], query: string, wanted = MAX_RANKED): AsyncGenerator<SearchItem, void> {
    const { results } = await this.#ranked(prefix, query, wanted);
    const ranked = new Set<string>();
    for (const { memory, score } of results) {
      const item = itemOf(memory);
      if (!item || !isUnder(prefix, item.namespace)) continue;
      ranked.add(nameOf(item.namespace, item.key));
      yield { ...item, score };
    }
    for await (const item of this.newest(prefix)) {
      if (!ranked.has(nameOf(item.namespace, item.key))) yield item;
    }
  }

  /** Of several puts to one item the last counts. */
  async write(puts: readonly PreparedPut[]): Promise<void> {
    const last = [...new Map(puts.map((put) => [put.name, put])).values()];
    const writings = largestFirst(last.filter(({ writing }) => writing !== undefined));
    for (const part of inParts(writings, DEFAULT_LIMITS.batchSize)) await this.#add(part);
    const deletions = last.filter(({ writing }) => writing === undefined);
    const doomed = await this.#named(
      deletions.map(({ name }) => name),
      'all',
    );
    const ids = doomed.filter((entry) => itemOf(entry) !== undefined).map(({ id }) => id);
    for (const part of inParts(ids, DEFAULT_LIMITS.batchSize)) await this.#memory.forget({ ids: [...part] });
  }

  async #add(puts: readonly PreparedPut[]): Promise<void> {
    try {
      await this.#memory.addMany(puts.flatMap(({ writing }) => (writing ? [{ ...writing, ...this.#place }] : [])));
    } catch (error) {
      throw aboutItem(
        error,
        puts.map(({ put }) => put),
      );
    }
  }

  /** The query may be of any length: it is cut to what is searched with here, and then to what the memory takes. */
  async #ranked(
    prefix: readonly string[],
    query: string,
    wanted: number,
    maxLength = DEFAULT_LIMITS.queryLength,
  ): Promise<OperationOutput<'search'>> {
    try {
      return await this.#memory.search({
        layers: [this.#place.layer],
        ...(this.#place.identifiers && { identifiers: this.#place.identifiers }),
        kinds: ['semantic'],
        query: queryText(query, maxLength),
        limit: Math.min(Math.max(wanted, 1), MAX_RANKED),
        threshold: 0,
        rank: 'relevance',
        filter: { tags: [tagsUnder(prefix).text] },
      });
    } catch (error) {
      const limit = error instanceof LaminaError && error.code === 'QUERY_TOO_LONG' && error.details?.['limit'];
      if (typeof limit === 'number' && limit < maxLength) return this.#ranked(prefix, query, wanted, limit);
      throw error;
    }
  }

  #page(input: Pick<OperationInput<'list'>, 'filter' | 'cursor'>): Promise<ListPage> {
    return this.#memory.list({ ...this.#place, kinds: ['semantic'], limit: MAX_PAGE_SIZE, ...input });
  }

  async #named(names: readonly string[], status: 'active' | 'all'): Promise<Entry[]> {
    const found: Entry[] = [];
    for (const externalIds of inParts([...new Set(names)], NAMES_AT_ONCE)) {
      const page = { kinds: ['semantic' as const], status, limit: MAX_PAGE_SIZE };
      const { memories } = await this.#memory.list({ ...this.#place, ...page, externalIds });
      found.push(...memories);
    }
    return found;
  }
}

function* itemsUnder(prefix: readonly string[], entries: readonly Entry[]): Generator<Item, void> {
  for (const entry of entries) {
    const item = itemOf(entry);
    if (item && isUnder(prefix, item.namespace)) yield item;
  }
}

function pairOf(entry: Entry): [string, Item][] {
  const item = itemOf(entry);
  return item ? [[nameOf(item.namespace, item.key), item]] : [];
}

/**
 * Where there are too many for one transaction: how large a value may be is the memory's own setting, and if one is refused,
 * then one of the first part, before anything is stored.
 */
function largestFirst(puts: readonly PreparedPut[]): readonly PreparedPut[] {
  if (puts.length <= DEFAULT_LIMITS.batchSize) return puts;
  const sized = puts.map((put) => ({ put, bytes: Buffer.byteLength(JSON.stringify(put.writing?.metadata)) }));
  return sized.toSorted((a, b) => b.bytes - a.bytes).map(({ put }) => put);
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size));
}
