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
