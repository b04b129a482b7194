/** Items of a LaminaStore whose text was corrected by another door: the store says what memory says. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/domain/json.ts';
import { correctedValue } from '../src/langgraph/corrected-value.ts';
import { LaminaStore, type Indexing } from '../src/langgraph/index.ts';
import type { Memory } from '../src/operations/memory.ts';
import { openStores, type Stores } from './langgraph-stores.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

async function correct(memory: Memory, content: string): Promise<void> {
  const [entry] = (await memory.list({ layer: 'user' })).memories;
  await memory.update({ id: entry?.id ?? '', content });
}

describe('a text that was corrected elsewhere', () => {
  it('is what get and search give, and a put counts again', async () => {
    for (const memory of [stores.memory(), stores.remoteMemory()]) {
      const store = new LaminaStore(memory);
      await store.put(['mem'], 'tea', { text: 'Ada drinks green tea' });
      await correct(memory, 'Ada drinks coffee');
      expect((await store.get(['mem'], 'tea'))?.value).toEqual({ text: 'Ada drinks coffee' });
      const [found] = await store.search(['mem'], { query: 'coffee', filter: { text: 'Ada drinks coffee' } });
      expect(found?.value).toEqual({ text: 'Ada drinks coffee' });
      expect(found?.score).toBeGreaterThan(0);
      await store.put(['mem'], 'tea', { text: 'Ada drinks green tea' });
      expect((await store.get(['mem'], 'tea'))?.value).toEqual({ text: 'Ada drinks green tea' });
    }
  });

  it('is found with the paths of the put, which another store need not know', async () => {
    const memory = stores.memory();
    await new LaminaStore(memory).put(['mem'], 'tea', { text: 'green tea', mood: 'calm' }, ['text']);
    await correct(memory, 'coffee');
    expect((await new LaminaStore(memory).get(['mem'], 'tea'))?.value).toEqual({ text: 'coffee', mood: 'calm' });
  });

  it('leaves the value as it was put where it does not say which field it means', async () => {
    const memory = stores.memory();
    const store = new LaminaStore(memory);
    await store.put(['mem'], 'tea', { drink: 'green tea', since: 2019 });
    await correct(memory, 'She has given up tea');
    expect((await store.get(['mem'], 'tea'))?.value).toEqual({ drink: 'green tea', since: 2019 });
    await correct(memory, 'since: 2020\ndrink: green tea');
    expect((await store.get(['mem'], 'tea'))?.value).toEqual({ drink: 'green tea', since: 2020 });
  });
});

describe('the field that a correction means', () => {
  const WHOLE: Indexing = ['$'];
  const ROWS: [what: string, value: JsonObject, index: Indexing, content: string, corrected: JsonObject][] = [
    ['the text alone', { text: 'a' }, WHOLE, 'b', { text: 'b' }],
    ['the text with its name', { text: 'a' }, WHOLE, 'text: b', { text: 'b' }],
    ['several lines', { text: 'a\nb' }, WHOLE, 'text: a\nc: d', { text: 'a\nc: d' }],
    [
      'deep down',
      { a: { b: [{ c: 'x' }, { c: 'y' }] } },
      WHOLE,
      'a.b.c: x\na.b.c: z',
      { a: { b: [{ c: 'x' }, { c: 'z' }] } },
    ],
    ['one of many, in another order', { a: 'x', b: 'y', c: 1 }, WHOLE, 'c: 1\nb: z\na: x', { a: 'x', b: 'z', c: 1 }],
    ['a number', { n: 1, a: 'x' }, WHOLE, 'n: 2.5\na: x', { n: 2.5, a: 'x' }],
    ['no number', { n: 1, a: 'x' }, WHOLE, 'n: two\na: x', { n: 1, a: 'x' }],
    ['a truth', { is: true, a: 'x' }, WHOLE, 'is: false\na: x', { is: false, a: 'x' }],
    ['of a list', { tags: ['a', 'b'] }, WHOLE, 'tags: a, c', { tags: ['a', 'c'] }],
    ['two of a list', { tags: ['a', 'b'] }, WHOLE, 'tags: a, c, b', { tags: ['a', 'b'] }],
    ['only the order', { a: 'x', b: 'y' }, WHOLE, 'b: y\na: x', { a: 'x', b: 'y' }],
    ['two at once', { a: 'x', b: 'y' }, WHOLE, 'a: z\nb: z', { a: 'x', b: 'y' }],
    ['one that stands twice', { a: 'x' }, ['a', 'a'], 'y', { a: 'x' }],
    ['none that is searched', { a: 'x' }, false, 'y', { a: 'x' }],
    ['nothing left', { a: 'x', b: 'y' }, WHOLE, 'a: x\nb: ', { a: 'x', b: '' }],
  ];

  it.each(ROWS)('%s', (_what, value, index, content, corrected) => {
    expect(correctedValue(value, index, content)).toEqual(corrected);
  });
});
