/** Items of a LaminaStore as memories: whose they are, what ordinary searches see, what is too much, who is first. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { LaminaError } from '../src/domain/error.ts';
import { LaminaStore } from '../src/langgraph/index.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openStores, type Stores } from './langgraph-stores.ts';
import { openLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

async function refusal(call: Promise<unknown>): Promise<LaminaError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LaminaError);
  return error as LaminaError;
}

describe('items', () => {
  it('are memories: found by ordinary searches, and saying where they come from', async () => {
    const memory = stores.memory();
    const store = new LaminaStore(memory);
    await store.put(['users', 'ada', 'likes'], 'drink', { food: { drink: 'green tea' }, since: 2019, never: null });
    const { results } = await memory.search({ query: 'green tea', threshold: 0.1 });
    expect(results).toHaveLength(1);
    expect(results[0]?.memory).toMatchObject({
      content: 'food.drink: green tea\nsince: 2019',
      kind: 'semantic',
      layer: 'user',
      visibility: 'private',
      source: { type: 'agent', reference: 'langgraph:["users","ada","likes","drink"]' },
      metadata: {
        langgraph: {
          namespace: ['users', 'ada', 'likes'],
          key: 'drink',
          value: { food: { drink: 'green tea' }, since: 2019, never: null },
        },
      },
    });
    await store.delete(['users', 'ada', 'likes'], 'drink');
    expect((await memory.search({ query: 'green tea', threshold: 0 })).results).toEqual([]);
  });

  it('keep their versions, and come back when they are put again after they were archived', async () => {
    const memory = stores.memory();
    const store = new LaminaStore(memory);
    await store.put(['a'], 'k', { text: 'one' });
    await store.put(['a'], 'k', { text: 'two' });
    const [entry] = (await memory.list({ layer: 'user' })).memories;
    const id = entry?.id ?? '';
    expect((await memory.versions({ id })).versions.map((version) => version.memory.content)).toEqual([
      'text: two',
      'text: one',
    ]);
    await memory.archive({ id });
    expect(await store.get(['a'], 'k')).toBeNull();
    expect(await store.search(['a'], { query: 'two' })).toEqual([]);
    await store.put(['a'], 'k', { text: 'two' });
    expect((await store.get(['a'], 'k'))?.value).toEqual({ text: 'two' });
    await memory.archive({ id });
    await store.delete(['a'], 'k');
    expect(await memory.get({ id })).toEqual({ memory: null });
  });

  it('are two under two keys, whatever they say, and one with a nameless memory that says the same', async () => {
    const memory = stores.memory();
    const store = new LaminaStore(memory, { index: ['text'] });
    await store.put(['a'], '1', { text: 'Ada likes tea' });
    await store.put(['a'], '2', { text: 'Ada likes tea' });
    await store.put(['a', 'b'], '1', { text: 'Ada likes tea', more: true });
    expect(await store.search([])).toHaveLength(3);
    expect((await memory.add({ content: 'Ada likes tea', layer: 'user' })).status).toBe('unchanged');
    await store.delete(['a'], '1');
    expect(await store.search([])).toHaveLength(2);
    await memory.add({ content: 'Bob likes coffee', layer: 'user', metadata: { mine: true } });
    await store.put(['a'], '3', { text: 'Bob likes coffee' });
    const { memories } = await memory.list({ layer: 'user' });
    const adopted = memories.filter(({ content }) => content === 'Bob likes coffee');
    expect(adopted.map(({ metadata }) => metadata)).toMatchObject([{ mine: true, langgraph: { key: '3' } }]);
  });

  it('are not made by memories that merely say so', async () => {
    const memory = stores.memory();
    const store = new LaminaStore(memory);
    await store.put(['a'], 'k', { text: 'true' });
    const [real] = (await memory.list({ layer: 'user' })).memories;
    const { tags = [], metadata = {}, externalId = '' } = real ?? {};
    const claims = [
      { content: 'copied', tags, metadata },
      { content: 'moved', tags, metadata, externalId: 'other' },
      { content: 'broken', tags, metadata: { langgraph: 'x' }, externalId: `${externalId}x` },
      { content: 'listless', tags, metadata: { langgraph: { namespace: 'a', key: 1, value: [] } } },
    ];
    await memory.addMany(claims.map((claim) => ({ ...claim, layer: 'user' as const })));
    for (const options of [{}, { query: 'copied moved broken' }]) {
      expect((await store.search([], options)).map(({ value }) => value)).toEqual([{ text: 'true' }]);
    }
    await store.delete(['a'], 'k');
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(claims.length);
  });

  it('belong to their user and tenant, unless their layer is shared', async () => {
    const { lamina } = stores.opened;
    const principals = [{ userId: 'ada' }, { userId: 'bob' }, { userId: 'ada', tenantId: crypto.randomUUID() }];
    const own = principals.map((principal) => new LaminaStore(lamina.as(principal)));
    await Promise.all(own.map((store, index) => store.put(['prefs'], 'k', { index })));
    for (const [index, store] of own.entries()) {
      expect((await store.get(['prefs'], 'k'))?.value).toEqual({ index });
      expect(await store.search([], { query: 'index' })).toHaveLength(1);
      expect(await store.listNamespaces()).toEqual([['prefs']]);
    }
    const [ada, bob, elsewhere] = principals.map(
      (principal) => new LaminaStore(lamina.as(principal), { layer: 'project', identifiers: { projectId: 'apollo' } }),
    );
    await ada?.put(['prefs'], 'k', { by: 'ada' });
    await bob?.put(['prefs'], 'k', { by: 'bob' });
    expect((await ada?.get(['prefs'], 'k'))?.value).toEqual({ by: 'bob' });
    expect(await ada?.search([])).toHaveLength(1);
    expect(await elsewhere?.search([])).toEqual([]);
    await own[0]?.delete(['prefs'], 'k');
    expect(await own[1]?.get(['prefs'], 'k')).not.toBeNull();
  });

  it('refuse to act where the principal may not', async () => {
    const memory = stores.opened.lamina.as({ userId: 'eve' });
    const theirs = new LaminaStore(memory, { identifiers: { userId: 'ada' } });
    expect((await refusal(theirs.put(['a'], 'k', { v: 1 }))).code).toBe('FORBIDDEN');
    expect(await theirs.search([])).toEqual([]);
    const nowhere = new LaminaStore(memory, { layer: 'project' });
    expect((await refusal(nowhere.get(['a'], 'k'))).code).toBe('MISSING_IDENTIFIER');
  });
});

describe('limits', () => {
  it('a value that is too large is refused by its name, and nothing of its batch is stored', async () => {
    for (const memory of [stores.memory(), stores.remoteMemory()]) {
      const store = new LaminaStore(memory);
      const error = await refusal(
        store.batch([
          { namespace: ['a'], key: 'small', value: { v: 1 } },
          { namespace: ['a'], key: 'large', value: { text: 'x'.repeat(70_000) } },
        ]),
      );
      expect(error.code).toBe('LIMIT_EXCEEDED');
      expect(error.message).toContain('The value under "large" in ["a"] is too large');
      expect(error.details).toMatchObject({ limit: 65_536, key: 'large' });
      expect(await store.search([])).toEqual([]);
      const alone = await refusal(store.put(['b'], 'large', { text: 'x'.repeat(70_000) }));
      expect(alone.message).toContain('"large" in ["b"]');
    }
  });

  it('one of many that is too large, or none at all, leaves nothing behind', async () => {
    const store = new LaminaStore(stores.memory());
    const many = Array.from({ length: 1_200 }, (_, index) => ({ namespace: ['a'], key: `${index}`, value: { index } }));
    const [large, bad] = ['x'.repeat(70_000), '\0'].map((text) => ({ namespace: ['a'], key: 'last', value: { text } }));
    for (const [last, code] of [
      [large, 'LIMIT_EXCEEDED'],
      [bad, 'VALIDATION_FAILED'],
    ] as const) {
      expect((await refusal(store.batch([...many, last ?? { namespacePrefix: [] }]))).code).toBe(code);
      expect(await store.search([], { limit: 1 })).toEqual([]);
    }
  });

  it('a name that is too large is not repeated at its whole length', async () => {
    const store = new LaminaStore(stores.memory());
    const error = await refusal(store.put(['n'.repeat(10_000), 'b'], 'k'.repeat(70_000), { v: 1 }));
    expect(error.code).toBe('LIMIT_EXCEEDED');
    expect(error.message).toMatch(/under "kkk.*…" in \["nnn.*… is too large.*\d+ bytes; the limit is 65536/);
    expect(JSON.stringify(error).length).toBeLessThan(1_500);
  });

  it('a query is cut to what the service takes', async () => {
    const opened = await openLamina({ limits: { queryLength: 100 } });
    try {
      const store = new LaminaStore(opened.lamina.as({ userId: 'ada' }));
      await store.put(['a'], 'k', { text: 'green tea' });
      expect((await store.search([], { query: `green tea ${'x '.repeat(9_000)}` }))[0]?.score).toBeGreaterThan(0);
    } finally {
      await opened.close();
    }
  });

  it('a long text is stored whole, and found by how it begins', async () => {
    const store = new LaminaStore(stores.memory());
    const value = { text: `${'😀 zebra '.repeat(3_500)}yak` };
    await store.put(['a'], 'k', value);
    expect((await store.get(['a'], 'k'))?.value).toEqual(value);
    expect((await store.search([], { query: 'zebra' }))[0]?.score).toBeGreaterThan(0);
  });

  it('a namespace has at most 99 labels, of any length', async () => {
    const store = new LaminaStore(stores.memory());
    const deep = Array.from({ length: 99 }, (_, depth) => `${depth}`.padEnd(200, 'x'));
    await store.put(deep, 'k', { v: 1 });
    expect(await store.search(deep.slice(0, 98))).toHaveLength(1);
    expect(await store.search([...deep, 'more'])).toEqual([]);
    const error = await refusal(store.put([...deep, 'more'], 'k', { v: 1 }));
    expect(error.code).toBe('LIMIT_EXCEEDED');
    expect(error.details).toEqual({ limit: 99, actual: 100 });
  });

  it('more than a search ranks and a page holds is still gone through, each item once', async () => {
    const store = new LaminaStore(stores.memory());
    const puts = Array.from({ length: 1_234 }, (_, index) => ({
      namespace: ['many', `${index % 7}`],
      key: `k${index}`,
      value: { text: `note ${index}`, index },
    }));
    await store.batch(puts);
    expect(await store.search(['many'], { limit: 2_000 })).toHaveLength(1_234);
    const pages = await Promise.all(
      [0, 90, 180].map((offset) => store.search(['many', '3'], { query: 'note', limit: 90, offset })),
    );
    const keys = pages.flat().map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([176, 176]);
    const gets = await store.batch(puts.map(({ namespace, key }) => ({ namespace, key })));
    expect(gets.map((item) => item?.value['index'])).toEqual(puts.map(({ value }) => value.index));
    expect(await store.listNamespaces({ prefix: ['many'] })).toHaveLength(7);
    await store.batch(puts.map((put) => ({ ...put, value: null })));
    expect(await store.search([])).toEqual([]);
  }, 30_000);
});

describe('at the same time', () => {
  it('batches lose nothing, and of puts to one key one stands as a whole', async () => {
    const [here, there] = [new LaminaStore(stores.memory('crowd')), new LaminaStore(stores.remoteMemory('crowd'))];
    const storeFor = (index: number): LaminaStore => (index % 2 === 0 ? here : there);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        storeFor(index).batch([
          { namespace: ['own', `${index}`], key: 'k', value: { index } },
          { namespace: ['one'], key: 'k', value: { index, again: index } },
          { namespacePrefix: [] },
        ]),
      ),
    );
    expect(await here.search(['own'], { limit: 100 })).toHaveLength(40);
    const all = await there.search(['one']);
    expect(all).toHaveLength(1);
    expect(all[0]?.value['index']).toBe(all[0]?.value['again']);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await storeFor(index).put(['one'], 'k', { index });
        await storeFor(index + 1).delete(['one'], 'k');
      }),
    );
    expect(await here.search(['one'])).toEqual([]);
  });

  it('a failing embedder leaves nothing behind', async () => {
    const store = new LaminaStore(stores.memory());
    const { embedder } = stores.opened;
    await store.put(['a'], 'k', { text: 'before' });
    embedder.fail = true;
    try {
      const call = store.batch([
        { namespace: ['a'], key: 'k', value: { text: 'never embedded' } },
        { namespace: ['a'], key: 'old', value: null },
      ]);
      expect((await refusal(call)).code).toBe('EMBEDDING_FAILED');
    } finally {
      embedder.fail = false;
    }
    expect((await store.search([])).map(({ value }) => value)).toEqual([{ text: 'before' }]);
  });
});

describe('a folder', () => {
  it('still has everything when it is opened again', async () => {
    const folder = await makeFolder();
    try {
      for (const round of [0, 1, 2]) {
        const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
        const store = new LaminaStore(lamina.as({ userId: 'ada' }));
        expect(await store.search(['rounds'], { query: 'round' })).toHaveLength(round);
        await store.put(['rounds', `${round}`], 'k', { text: `round ${round}` });
        expect(await store.listNamespaces()).toHaveLength(round + 1);
        await lamina.close();
      }
    } finally {
      await removeFolder(folder);
    }
  });
});
