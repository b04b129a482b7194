/** LaminaStore does what LangGraph's own store in memory does: one list of scenarios over both, and random operations. */

import {
  InvalidNamespaceError,
  type BaseStore,
  type Item,
  type Operation,
  type SearchItem,
} from '@langchain/langgraph-checkpoint';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaStore } from '../src/langgraph/index.ts';
import { openStores, STORES, type Stores } from './langgraph-stores.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const keysOf = (items: readonly Item[]): string[] => items.map(({ key }) => key).toSorted();

/** Under its namespace and key, in an order that no store has a say in. */
function known(items: readonly (Item | null)[]): unknown[] {
  const plain = items.map((item) => (item ? [item.namespace, item.key, item.value] : null));
  return plain.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function fill(store: BaseStore, count: number): Promise<void> {
  const puts = Array.from({ length: count }, (_, index) => ({
    namespace: ['many'],
    key: `k${index}`,
    value: { index, isEven: index % 2 === 0 },
  }));
  await store.batch(puts);
}

describe.each(Object.keys(STORES))('%s', (name) => {
  const open = (fields?: string[]): BaseStore => {
    const make = STORES[name];
    if (!make) throw new Error(`There is no store ${name}.`);
    return make(stores, fields);
  };

  it('gives back what was put, replaces it as a whole, and deletes it', async () => {
    const store = open();
    const before = Date.now();
    await store.put(['users', 'ada'], 'prefs', { theme: 'dark', size: 12, nested: { a: [1, null, 'x'] } });
    const first = await store.get(['users', 'ada'], 'prefs');
    expect(first).toMatchObject({ namespace: ['users', 'ada'], key: 'prefs' });
    expect(first?.value).toEqual({ theme: 'dark', size: 12, nested: { a: [1, null, 'x'] } });
    expect(first?.createdAt).toBeInstanceOf(Date);
    expect(first?.createdAt.getTime()).toBeGreaterThanOrEqual(before);
    const { createdAt } = first as Item;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store.put(['users', 'ada'], 'prefs', { theme: 'light' });
    const second = await store.get(['users', 'ada'], 'prefs');
    expect(second?.value).toEqual({ theme: 'light' });
    expect(second?.createdAt).toEqual(createdAt);
    expect(second?.updatedAt.getTime()).toBeGreaterThan(createdAt.getTime());
    await store.delete(['users', 'ada'], 'prefs');
    await store.delete(['users', 'ada'], 'never there');
    expect(await store.get(['users', 'ada'], 'prefs')).toBeNull();
    expect(await store.search(['users'])).toEqual([]);
  });

  it('keeps keys and namespaces apart, and any text is a key', async () => {
    const store = open();
    const keys = ['', ' ', 'a', 'A', 'a/b', 'ä', 'a\u0308', '😀', 'x'.repeat(500), '__proto__', "'; DROP TABLE--"];
    for (const key of keys) await store.put(['n'], key, { key });
    for (const key of keys) expect((await store.get(['n'], key))?.value).toEqual({ key });
    expect(await store.get(['m'], 'a')).toBeNull();
    expect(await store.get(['n', 'a'], 'a')).toBeNull();
    expect(await store.get([], 'a')).toBeNull();
    expect(await store.search(['n'], { limit: 100 })).toHaveLength(keys.length);
  });

  it('keeps an item whose text shows nothing', async () => {
    const store = open();
    await store.put(['blank'], 'joiner', { text: '\u200b' }, ['text']);
    expect((await store.get(['blank'], 'joiner'))?.value).toEqual({ text: '\u200b' });
  });

  it('searches under a prefix, with every filter that there is', async () => {
    const store = open();
    const items = {
      a: { color: 'red', price: 1, note: null },
      b: { color: 'red', price: 2 },
      c: { color: 'blue', price: '3' },
      d: { price: 10, tags: ['x'] },
    };
    for (const [key, value] of Object.entries(items)) await store.put(['shop', key], key, value);
    const found = async (filter: Record<string, unknown>): Promise<string> =>
      keysOf(await store.search(['shop'], { filter })).join('');
    expect(await found({})).toBe('abcd');
    expect(await found({ color: 'red' })).toBe('ab');
    expect(await found({ color: { $eq: 'red' } })).toBe('ab');
    expect(await found({ color: { $ne: 'red' } })).toBe('cd');
    expect(await found({ price: { $gt: 2 } })).toBe('cd');
    expect(await found({ price: { $gte: 2, $lt: 10 } })).toBe('bc');
    expect(await found({ price: { $lte: 2 }, color: 'red' })).toBe('ab');
    expect(await found({ price: 3 })).toBe('');
    expect(await found({ color: { $gt: 1 } })).toBe('');
    expect(await found({ color: { $in: ['blue', 'green'] } })).toBe('c');
    expect(await found({ color: { $nin: ['blue', 'green'] } })).toBe('abd');
    expect(await found({ note: null })).toBe('a');
    expect(await found({ color: undefined })).toBe('d');
    expect(await found({ color: {} })).toBe('abcd');
    expect(keysOf(await store.search(['shop', 'a']))).toEqual(['a']);
    expect(await store.search(['sho'], { filter: { color: 'green' } })).toEqual([]);
  });

  it('gives ten, or as many as are asked for, and goes on after an offset', async () => {
    const store = open();
    await fill(store, 25);
    expect(await store.search(['many'])).toHaveLength(10);
    expect(await store.search([], { limit: 3, offset: 24 })).toHaveLength(1);
    expect(await store.search(['many'], { limit: 0 })).toEqual([]);
    expect(await store.search(['many'], { offset: 25 })).toEqual([]);
    for (const options of [{}, { filter: { isEven: true } }]) {
      const pages: Item[] = [];
      for (let offset = 0; offset < 25; offset += 4) {
        pages.push(...(await store.search(['many'], { ...options, limit: 4, offset })));
      }
      expect(pages).toHaveLength('filter' in options ? 13 : 25);
      expect(known(pages)).toEqual(known(await store.search(['many'], { ...options, limit: 100 })));
    }
  });

  it('ranks by a query: the best first, with a score, and what is not indexed last, without one', async () => {
    const store = open(['text']);
    await store.put(['notes'], 'tea', { text: 'Ada drinks green tea every morning' });
    await store.put(['notes'], 'car', { text: 'The blue car needs new tyres' });
    await store.put(['notes'], 'hidden', { text: 'green tea' }, false);
    await store.put(['notes'], 'other', { text: 'nothing', deep: { title: 'Green tea is grown in Uji' } }, [
      'deep.title',
    ]);
    await store.put(['elsewhere'], 'tea', { text: 'green tea' });
    const found = await store.search(['notes'], { query: 'green tea' });
    expect(found.map(({ key }) => key)).toEqual([...found.map(({ key }) => key).slice(0, 3), 'hidden']);
    expect(
      found
        .slice(0, 2)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['other', 'tea']);
    const scores = found.map(({ score }) => score);
    expect(scores[3]).toBeUndefined();
    expect(scores.slice(0, 3)).toEqual(scores.slice(0, 3).toSorted((a, b) => Number(b) - Number(a)));
    expect(Number(scores[1])).toBeGreaterThan(Number(scores[2]));
    const [best] = await store.search(['notes'], { query: 'new tyres for the blue car', limit: 1 });
    expect(best).toMatchObject({ key: 'car', value: { text: 'The blue car needs new tyres' } });
    expect(keysOf(await store.search(['notes'], { query: 'green tea', filter: { deep: undefined } }))).toEqual([
      'car',
      'hidden',
      'tea',
    ]);
  });

  it('indexes what stands at paths', async () => {
    const store = open();
    const value = {
      title: 'zebra',
      authors: [{ name: 'yak' }, { name: 'xerus' }],
      chapters: [{ content: 'walrus' }, { content: 'vole', deep: ['urial'] }],
      count: 4711,
    };
    const paths = {
      zebra: 'title',
      yak: 'authors[0].name',
      xerus: 'authors[-1].name',
      vole: 'chapters[*].content',
      walrus: '{title,chapters}',
      urial: 'chapters[1].deep[*]',
      4711: 'count',
    };
    for (const [word, path] of Object.entries(paths)) await store.put(['books', word], word, value, [path]);
    await store.put(['books', 'none'], 'none', value, [
      'nowhere',
      'title.deeper',
      'authors[9].name',
      'chapters.content',
    ]);
    for (const word of Object.keys(paths)) {
      const [best] = await store.search(['books', word], { query: word });
      expect([best?.key, Number(best?.score) > 0], word).toEqual([word, true]);
    }
    expect((await store.search(['books', 'none'], { query: 'zebra' })).map(({ score }) => score)).toEqual([undefined]);
  });

  it('lists namespaces by prefix, suffix, wildcard and depth, in order', async () => {
    const store = open();
    const namespaces = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'x', 'c'], ['b', 'c'], ['b', 'b', 'b', 'b']];
    for (const namespace of namespaces.toReversed()) await store.put(namespace, 'k', { v: 1 });
    const list = async (options?: Parameters<BaseStore['listNamespaces']>[0]): Promise<string> =>
      (await store.listNamespaces(options)).map((each) => each.join('')).join(' ');
    expect(await list()).toBe('a ab abc axc bbbb bc');
    expect(await list({ prefix: ['a'] })).toBe('a ab abc axc');
    expect(await list({ prefix: ['a', '*', 'c'] })).toBe('abc axc');
    expect(await list({ prefix: ['*', 'b'] })).toBe('ab abc bbbb');
    expect(await list({ suffix: ['c'] })).toBe('abc axc bc');
    expect(await list({ suffix: ['b', '*'] })).toBe('abc bbbb bc');
    expect(await list({ prefix: ['a'], suffix: ['c'] })).toBe('abc axc');
    expect(await list({ maxDepth: 1 })).toBe('a b');
    expect(await list({ prefix: ['a'], maxDepth: 2 })).toBe('a ab ax');
    expect(await list({ limit: 2, offset: 1 })).toBe('ab abc');
    expect(await list({ prefix: ['z'] })).toBe('');
    expect(await list({ prefix: ['a', 'b', 'c', 'd'] })).toBe('');
  });

  it('reads a batch before it writes it, and the last put to a key counts', async () => {
    const store = open();
    await store.put(['n'], 'old', { v: 0 });
    const operations: Operation[] = [
      { namespace: ['n'], key: 'old', value: { v: 1 } },
      { namespace: ['n'], key: 'new' },
      { namespace: ['n'], key: 'new', value: { v: 1 } },
      { namespace: ['n'], key: 'new', value: { v: 2 } },
      { namespacePrefix: ['n'] },
      { namespace: ['gone'], key: 'gone', value: { v: 1 } },
      { namespace: ['gone'], key: 'gone', value: null },
      { namespace: ['n'], key: 'new' },
      { matchConditions: [{ matchType: 'prefix', path: ['n'] }], limit: 10, offset: 0 },
    ];
    const results: unknown[] = await store.batch(operations);
    expect(results).toHaveLength(operations.length);
    expect(results[1]).toBeNull();
    expect(known(results[4] as SearchItem[])).toEqual([[['n'], 'old', { v: 0 }]]);
    expect([results[7], results[8]]).toEqual([null, [['n']]]);
    expect((await store.get(['n'], 'old'))?.value).toEqual({ v: 1 });
    expect((await store.get(['n'], 'new'))?.value).toEqual({ v: 2 });
    expect(await store.get(['gone'], 'gone')).toBeNull();
  });

  it('refuses namespaces that cannot be', async () => {
    const store = open();
    for (const namespace of [[], [''], ['a', ''], ['a.b'], ['langgraph', 'x'], [1 as unknown as string]]) {
      await expect(store.put(namespace, 'k', { v: 1 })).rejects.toThrow(InvalidNamespaceError);
    }
    expect(await store.search([])).toEqual([]);
  });
});

const label = fc.constantFrom('a', 'b', 'c');
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom('k1', 'k2', 'k3');
const value = fc.record({ n: fc.integer({ min: 0, max: 3 }), s: fc.constantFrom('x', 'y') }, { requiredKeys: [] });
const filter = fc.constantFrom(undefined, { n: 1 }, { n: { $gte: 2 } }, { s: { $ne: 'x' } }, { s: 'y', n: { $lt: 3 } });
const query = fc.constantFrom(undefined, 'x', 'n 2');
const wild = fc.array(fc.oneof(label, fc.constant('*')), { minLength: 1, maxLength: 2 });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ namespace, key, value }) },
  { weight: 1, arbitrary: fc.record({ namespace, key, value: fc.constant(null) }) },
  { weight: 2, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      namespacePrefix: fc.array(label, { maxLength: 2 }),
      filter,
      query,
      limit: fc.constant(1000),
      offset: fc.constant(0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      matchConditions: fc.option(
        fc.array(fc.record({ matchType: fc.constantFrom('prefix', 'suffix'), path: wild }), { maxLength: 2 }),
        { nil: undefined },
      ),
      maxDepth: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      limit: fc.constant(100),
      offset: fc.constantFrom(0, 1),
    }) as fc.Arbitrary<Operation>,
  },
);

/** What an operation answered, without times, scores and the order in which a search answers. */
function comparable(result: unknown): unknown {
  if (result === null || result === undefined) return null;
  if (!Array.isArray(result)) return known([result as Item]);
  return result.every((each) => Array.isArray(each)) ? result : known(result as Item[]);
}

/**
 * What the store in memory does not do by design: list a namespace that was emptied (here those two levels deep never
 * are), and let a get see what its own batch puts (it gives the item itself out, and changes it afterwards).
 */
function isComparable(one: Operation, batch: readonly Operation[]): boolean {
  if (!('namespace' in one)) return true;
  const isSame = (other: Operation): boolean =>
    'value' in other && JSON.stringify([other.namespace, other.key]) === JSON.stringify([one.namespace, one.key]);
  return one.namespace.length < 3 && ('value' in one || !batch.some(isSame));
}

describe('random operations', () => {
  const all = ['a', 'b', 'c'].flatMap((one) => [[one], ...['a', 'b', 'c'].map((two) => [one, two])]);
  const anchors = all.map((each) => ({ namespace: each, key: 'anchor', value: { n: 0 } }));

  it('have the same effects and answers as in memory, however they are batched', async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(batches, async (run) => {
        const [theirs, ours] = [stores.inMemory(), new LaminaStore(stores.memory())];
        await Promise.all([theirs.batch(anchors), ours.batch(anchors)]);
        for (const batch of run) {
          const fitting = batch.filter((each) => isComparable(each, batch));
          const expected: unknown[] = await theirs.batch(fitting);
          const actual: unknown[] = await ours.batch(fitting);
          expect(actual.map(comparable)).toEqual(expected.map(comparable));
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('never mix what lies under other labels, whatever these are', async () => {
    const text = fc.oneof(fc.constantFrom('a', 'ab', 'a:b', 'a.b', 'a/b', '*', '["a"]', '%', '_', 'A'), fc.string());
    const path = fc.array(
      text.filter((each) => each !== '' && each.isWellFormed() && !each.includes('\0')),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 8, selector: (each) => JSON.stringify(each) }),
        async (paths) => {
          const store = new LaminaStore(stores.memory());
          await store.batch(paths.map((each) => ({ namespace: each, key: 'k', value: { path: each } })));
          for (const prefix of paths) {
            expect((await store.batch([{ namespace: prefix, key: 'k' }]))[0]?.value).toEqual({ path: prefix });
            const under = paths.filter((each) => prefix.every((part, depth) => part === each[depth]));
            for (const options of [{ limit: 100 }, { limit: 100, query: 'a' }]) {
              const found = await store.search(prefix, options);
              expect(known(found)).toEqual(known(under.map(itemAt)));
            }
          }
          expect((await store.listNamespaces()).map((each) => JSON.stringify(each)).toSorted()).toEqual(
            paths.map((each) => JSON.stringify(each)).toSorted(),
          );
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

function itemAt(path: string[]): Item {
  return { namespace: path, key: 'k', value: { path }, createdAt: new Date(), updatedAt: new Date() };
}
