/** Who adds what is new, time after time, is not looked after before each write; what is there after all is found all the same. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** More in a row than it takes. */
const MANY = 40;

let folder: string;
let embedder: HashEmbedder;
let lamina: Lamina;
let memory: Memory;

beforeEach(async () => {
  folder = await makeFolder();
  embedder = new HashEmbedder();
  lamina = await Lamina.open({ folder, embedder });
  memory = lamina.as({ userId: 'alice' });
});

afterEach(async () => {
  await lamina.close();
  await removeFolder(folder);
});

const add = (content: string): ReturnType<Memory['add']> => memory.add({ content, layer: 'user' });

async function addNew(count: number, word: string): Promise<void> {
  for (let index = 0; index < count; index += 1) expect((await add(`${word} ${index}`)).status).toBe('created');
}

/** What was embedded for it meanwhile is remembered, and would hide whether it is looked for. */
async function startAnew(): Promise<void> {
  await lamina.close();
  embedder = new HashEmbedder();
  lamina = await Lamina.open({ folder, embedder });
  memory = lamina.as({ userId: 'alice' });
}

it('what is there is found, embedded in vain at most once in a while, and changes nothing', async () => {
  const first = await add('first');
  const second = await add('second');
  await startAnew();
  await addNew(MANY, 'new');
  const asked = embedder.texts;
  const again = await add('first');
  expect(again).toMatchObject({ status: 'unchanged', memory: { id: first.memory.id, version: 1 } });
  expect(embedder.texts - asked).toBeLessThanOrEqual(1);
  const askedSince = embedder.texts;
  expect(await add('second')).toMatchObject({ status: 'unchanged', memory: { id: second.memory.id } });
  expect(embedder.texts).toBe(askedSince);
  expect((await memory.list({ layer: 'user' })).totalCount).toBe(MANY + 2);
});

it('what comes twice at once is one', async () => {
  await addNew(MANY, 'new');
  const both = await Promise.all([add('twice'), add('twice')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['created', 'unchanged']);
  expect(new Set(both.map(({ memory: { id } }) => id)).size).toBe(1);
});

const batch = (from: number, count: number): Parameters<Memory['addMany']>[0] =>
  Array.from({ length: count }, (_, index) => ({ content: `memory ${from + index}`, layer: 'user' }));

it('a large batch that is there already is not embedded again', async () => {
  const first = await memory.addMany(batch(0, 100));
  await startAnew();
  const again = await memory.addMany(batch(0, 100));
  expect(embedder.texts).toBe(0);
  expect(again.map(({ status }) => status)).toEqual(first.map(() => 'unchanged'));
  expect(again.map(({ memory: { id } }) => id)).toEqual(first.map(({ memory: { id } }) => id));
});

it('of a large batch that is mostly new what is there is found, whether or not it was looked for first', async () => {
  const known = await memory.addMany(batch(0, 100));
  for (const missed of [0, 1, 37, 99]) {
    await startAnew();
    const others = batch(1000 * (missed + 1), 100);
    const mixed = others.map((input, at) => (at === missed ? { ...input, content: `memory ${missed}` } : input));
    const outputs = await memory.addMany(mixed);
    expect(outputs.flatMap(({ status }, at) => (status === 'created' ? [] : [at]))).toEqual([missed]);
    expect(outputs[missed]).toMatchObject({
      status: 'unchanged',
      memory: { id: known[missed]?.memory.id, version: 1 },
    });
    // At most the one that was missed in vain.
    expect(embedder.texts).toBeLessThanOrEqual(100);
  }
  expect((await memory.list({ layer: 'user' })).totalCount).toBe(100 + 4 * 99);
});

it('what a batch answers shares nothing: who changes one memory changes no other', async () => {
  const outputs = await memory.addMany(batch(0, 3).map((input) => ({ ...input, tags: ['a'], metadata: { a: 1 } })));
  const [first, ...others] = outputs.map((output) => output.memory);
  const before = structuredClone(others);
  Object.assign(first?.identifiers ?? {}, { userId: 'mallory' });
  Object.assign(first?.metadata ?? {}, { a: 2 });
  first?.tags.push('b');
  expect(others).toEqual(before);
  const stored = await memory.list({ layer: 'user' });
  expect(stored.memories.map(({ identifiers }) => identifiers)).toEqual(
    others.concat(others[0] ?? []).map(() => ({ userId: 'alice' })),
  );
});
