/** Where LaminaStore is not like LangGraph's store in memory: as docs/langgraph.md lists it, each with what the other does. */

import type { BaseStore, Item } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { LaminaStore } from '../src/langgraph/index.ts';
import { openStores, type Stores } from './langgraph-stores.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

interface Both {
  readonly theirs: BaseStore;
  readonly ours: LaminaStore;
}

const both = (): Both => ({ theirs: stores.inMemory(), ours: new LaminaStore(stores.memory()) });
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const keysOf = (items: readonly Item[]): string[] => items.map(({ key }) => key);

async function failure(code: string, call: Promise<unknown>): Promise<LaminaError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LaminaError);
  expect((error as LaminaError).code).toBe(code);
  return error as LaminaError;
}

describe('unlike the store in memory', () => {
  it('a prefix ends where a label ends, and a colon is a letter', async () => {
    const { theirs, ours } = both();
    for (const store of [theirs, ours]) {
      await store.put(['tenant', 'acme'], 'k', { v: 1 });
      await store.put(['tenant', 'acme-corp'], 'k', { v: 2 });
      await store.put(['tenant:acme'], 'k', { v: 3 });
    }
    expect(await theirs.search(['tenant', 'acme'])).toHaveLength(2);
    expect((await ours.search(['tenant', 'acme'])).map(({ value }) => value)).toEqual([{ v: 1 }]);
    expect((await theirs.get(['tenant', 'acme'], 'k'))?.value).toEqual({ v: 3 });
    expect((await ours.get(['tenant', 'acme'], 'k'))?.value).toEqual({ v: 1 });
  });

  it('an empty namespace is none', async () => {
    const { theirs, ours } = both();
    for (const store of [theirs, ours]) {
      await store.put(['a'], 'k', { v: 1 });
      await store.delete(['a'], 'k');
      await store.delete(['never'], 'k');
    }
    expect(await theirs.listNamespaces()).toEqual([['a'], ['never']]);
    expect(await ours.listNamespaces()).toEqual([]);
  });

  it('the newest comes first', async () => {
    const { theirs, ours } = both();
    for (const store of [theirs, ours]) {
      for (const key of ['1', '2', '3']) {
        await store.put(['a'], key, { key });
        await pause();
      }
      await store.put(['a'], '2', { key: 'changed' });
    }
    expect(keysOf(await theirs.search(['a']))).toEqual(['1', '2', '3']);
    expect(keysOf(await ours.search(['a']))).toEqual(['3', '2', '1']);
  });

  it('a value is a copy, in JSON', async () => {
    const { theirs, ours } = both();
    const date = new Date('2026-01-02T03:04:05.678Z');
    for (const store of [theirs, ours]) {
      const value = { list: [1], date, nothing: undefined };
      await store.put(['a'], 'k', value);
      value.list.push(2);
      const read = await store.get(['a'], 'k');
      if (read) read.value['spoilt'] = true;
    }
    expect((await theirs.get(['a'], 'k'))?.value).toMatchObject({ list: [1, 2], date, spoilt: true });
    expect((await ours.get(['a'], 'k'))?.value).toEqual({ list: [1], date: date.toISOString() });
    for (const [store, seen] of [
      [theirs, { changed: true }],
      [ours, { list: [1], date: date.toISOString() }],
    ] as const) {
      const [, read] = await store.batch([
        { namespace: ['a'], key: 'k', value: { changed: true } },
        { namespace: ['a'], key: 'k' },
      ]);
      expect(read?.value).toEqual(seen);
    }
  });

  it('what is no JSON is refused', async () => {
    const { ours } = both();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const value of [circle, { n: Number.NaN }, { n: 1n }, { n: Number.POSITIVE_INFINITY }, { text: '\0' }]) {
      await failure('VALIDATION_FAILED', ours.put(['a'], 'k', value));
    }
    for (const value of ['text', 1, true, [1], undefined]) {
      await failure('VALIDATION_FAILED', ours.put(['a'], 'k', value as never));
    }
    await failure('VALIDATION_FAILED', ours.put(['a'], 'lone \uD800', { v: 1 }));
    await failure('VALIDATION_FAILED', ours.put(['a'], 7 as never, { v: 1 }));
    expect(await ours.search([])).toEqual([]);
  });

  it('the same value again changes nothing', async () => {
    const { theirs, ours } = both();
    const times: boolean[] = [];
    for (const store of [theirs, ours]) {
      await store.put(['a'], 'k', { v: 1 });
      const before = (await store.get(['a'], 'k'))?.updatedAt;
      await pause();
      await store.put(['a'], 'k', { v: 1 });
      times.push((await store.get(['a'], 'k'))?.updatedAt.getTime() === before?.getTime());
    }
    expect(times).toEqual([false, true]);
  });

  it('a filter compares what objects and lists hold, and refuses what it does not know', async () => {
    const { theirs, ours } = both();
    for (const store of [theirs, ours]) await store.put(['a'], 'k', { tags: ['x', { y: 1, z: 2 }] });
    const filter = { tags: ['x', { z: 2, y: 1 }] };
    expect(await theirs.search(['a'], { filter })).toEqual([]);
    expect(keysOf(await ours.search(['a'], { filter }))).toEqual(['k']);
    expect(await ours.search(['a'], { filter: { toString: { $ne: undefined } } })).toEqual([]);
    expect(await theirs.search(['a'], { filter: { v: { $regex: 'x' } } })).toEqual([]);
    const { message } = await failure('VALIDATION_FAILED', ours.search(['a'], { filter: { v: { $regex: 'x' } } }));
    expect(message).toContain('there is $eq, $ne');
  });

  it('bad pages, operations and conditions are refused', async () => {
    const { ours } = both();
    await failure('VALIDATION_FAILED', ours.search(['a'], { limit: -1 }));
    await failure('VALIDATION_FAILED', ours.search(['a'], { offset: Number.NaN }));
    await failure('VALIDATION_FAILED', ours.listNamespaces({ limit: -1 }));
    await failure('VALIDATION_FAILED', ours.batch([{} as never]));
    await ours.put(['a'], 'k', { v: 1 });
    const unknown = { matchConditions: [{ matchType: 'infix' as never, path: ['a'] }], limit: 1, offset: 0 };
    await failure('VALIDATION_FAILED', ours.batch([unknown]));
    await expect(ours.batch([{ namespace: 'a' as never, key: 'k' }])).rejects.toThrow('Namespace labels');
    await expect(ours.batch([{ namespacePrefix: [1 as never] }])).rejects.toThrow('Namespace labels');
    await expect(ours.batch([{ namespace: [], key: 'k', value: { v: 1 } }])).rejects.toThrow('cannot be empty');
    await failure('VALIDATION_FAILED', ours.batch([null as never]));
    await failure('VALIDATION_FAILED', ours.search(['a'], { query: 7 as never }));
    await failure('VALIDATION_FAILED', ours.search(['a'], { filter: 'x' as never }));
    await failure('VALIDATION_FAILED', ours.put(['a'], 'k', { v: 1 }, 'v' as never));
    await failure('VALIDATION_FAILED', ours.batch([{ matchConditions: ['a'] as never, limit: 1, offset: 0 }]));
    expect(keysOf(await ours.search(['a'], { query: null, filter: null } as never))).toEqual(['k']);
  });

  it('errors speak of namespaces, keys and values, and of nothing that their reader does not know', async () => {
    const { ours } = both();
    let deep: object = {};
    for (let depth = 0; depth < 27; depth += 1) deep = { deep };
    const puts: [string, string[], string, object][] = [
      ['value.t.0', ['a'], 'k', { t: ['\0'] }],
      ['value', ['a'], 'k', { '\uD800': 1 }],
      ['value', ['a'], 'k', deep],
      ['key', ['a'], '\uD800', { v: 1 }],
      ['namespace.1', ['a', '\0'], 'k', { v: 1 }],
    ];
    for (const [where, namespace, key, value] of puts) {
      const { message } = await failure('VALIDATION_FAILED', ours.put(namespace, key, value));
      expect(message).toContain(where);
      expect(message).not.toMatch(/memories|content|metadata/);
    }
    expect(() => new LaminaStore(stores.memory(), { layer: 'bogus' as never })).toThrow('Unknown layer at "layer"');
    expect(() => new LaminaStore(stores.memory(), { identifiers: { userId: 7 as never } })).toThrow('userId: expected');
    expect(() => new LaminaStore(stores.memory(), { index: { dims: 3 } as never })).toThrow('list of paths');
    for (const memory of [stores.opened.lamina, undefined, {}]) {
      expect(() => new LaminaStore(memory as never)).toThrow(LaminaError);
      expect(() => new LaminaStore(memory as never)).toThrow('lamina.as({ userId })');
    }
  });

  it('a query of any length and any letters finds what it speaks of', async () => {
    const { ours } = both();
    await ours.put(['a'], 'tea', { text: 'Ada only drinks green tea' });
    const pasted = 'lorem ipsum dolor sit amet '.repeat(2_000);
    for (const query of [
      `${pasted} green tea?`,
      `green tea? ${pasted}`,
      'green\0tea',
      'green tea \uD800',
      '😀 tea'.repeat(9_000),
    ]) {
      expect((await ours.search(['a'], { query }))[0]?.score).toBeGreaterThan(0);
    }
    expect(keysOf(await ours.search(['a'], { query: '\0' }))).toEqual(['tea']);
  });

  it('a batch takes labels with periods, as within a graph, where put does not', async () => {
    const { ours } = both();
    const namespace = ['ada@example.com', 'a.b'];
    await ours.batch([{ namespace, key: 'k', value: { v: 1 } }]);
    expect(keysOf(await ours.search(['ada@example.com']))).toEqual(['k']);
    expect(await ours.search(['ada@example'])).toEqual([]);
    await ours.delete(namespace, 'k');
    expect(await ours.get(namespace, 'k')).toBeNull();
  });

  it('an offset goes on past what a query ranks', async () => {
    const { theirs, ours } = both();
    const pages: string[][] = [];
    for (const store of [theirs, ours]) {
      for (const key of ['1', '2', '3', '4'])
        await store.put(['a'], key, { text: `tea ${key}` }, key < '3' ? ['text'] : false);
      const found = [];
      for (const offset of [0, 3]) found.push(...(await store.search(['a'], { query: 'tea', limit: 3, offset })));
      pages.push(keysOf(found).toSorted());
    }
    expect(pages).toEqual([
      ['1', '2', '3', '3', '4'],
      ['1', '2', '3', '4'],
    ]);
  });

  it('with a query, of the same text one item is ranked, and the other comes with the rest', async () => {
    const { ours } = both();
    await ours.put(['a'], '1', { text: 'green tea' });
    await ours.put(['b'], '2', { text: 'green tea' });
    await ours.put(['b'], '3', { text: 'a blue car' });
    const found = await ours.search([], { query: 'green tea' });
    expect(found.map(({ score }) => score !== undefined)).toEqual([true, true, false]);
    expect(keysOf(found).toSorted()).toEqual(['1', '2', '3']);
    expect(keysOf(await ours.search(['b'], { query: 'green tea' }))).toEqual(['2', '3']);
  });
});
