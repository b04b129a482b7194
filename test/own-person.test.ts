/** In a person's own memory their name, "the user" and "I" are the same person. */

import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { askedByOneself, tellingsOf, toldByOneself } from '../src/core/text/own-person.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

describe('in the first person', () => {
  it.each([
    ['Ada lives in Oslo', 'ada', 'I lives in Oslo'],
    ["Ada's sister met Ada’s boss", 'Ada', 'my sister met my boss'],
    ['Ada Lovelace wrote to Ada', 'ada.lovelace@example.com', 'I wrote to I'],
    ['User likes tea. User never eats pork; user’s cat is old', 'u-1', 'I likes tea. I never eats pork; my cat is old'],
    ['Élise a dit: Élise’s chat', 'élise', 'I a dit: my chat'],
    ['Remember that the user moved to Lisbon', 'u-1', 'Remember that I moved to Lisbon'],
    ['The user’s name is Ada, and the user’s role is admin', 'u-1', 'my name is Ada, and my role is admin'],
    ['User needs insulin\n- User likes tea', 'u-1', 'I needs insulin\n- I likes tea'],
  ])('%s', (text, userId, told) => {
    expect(toldByOneself(text, userId)).toBe(told);
    expect(tellingsOf(text)).toContain(told);
  });

  it.each([
    ['Adair and Nevada are no Ada1', 'ada'],
    ['Ben lives in Oslo', 'ada'],
    ['the mark on the wall', 'mark'],
    ['User stories are short. User interface: dark. The user interface, the user stories', 'u-1'],
    ['The user-friendly app has a user name, and the user role admin', 'u-1'],
    ['User needs are many. User needs analysis comes first', 'u-1'],
    ['Anna-Maria met Eva-Anna', 'anna'],
    ['Local time is what counts', 'local'],
    ['Will it rain?', 'will'],
    ['Test before you merge', 'test-1'],
    [`Ada ${'and so on '.repeat(60)}`, 'ada'],
  ])('leaves alone: %s', (text, userId) => {
    expect(toldByOneself(text, userId)).toBe(text);
  });

  it('hears names in questions also where they are not capitalised', () => {
    expect(askedByOneself("what is ada's favourite tea, and what does the user hate?", 'ada')).toBe(
      'what is my favourite tea, and what does I hate?',
    );
  });
});

const FACTS = ['lives in Oslo', 'is married to Ben', 'drives a red Volvo', 'has two children', 'is afraid of heights'];

describe('under the local model', async () => {
  const folder = await makeFolder();
  const lamina = await Lamina.open({ folder });
  afterAll(async () => {
    await lamina.close();
    await removeFolder(folder);
  });

  it.each([
    ['Ada', 'Who is my husband?'],
    ['The user', 'Who is my husband?'],
    ['I', 'Who is Ada’s husband?'],
    ['User', 'who is ada’s husband?'],
    ['Ada', 'Who is the user’s husband?'],
  ])('a memory that says "%s …" is found by "%s", first and with little else', async (subject, query) => {
    const memory = lamina.as({ tenantId: randomUUID(), userId: 'ada' });
    await memory.addMany(FACTS.map((fact) => ({ content: `${subject} ${fact}`, layer: 'user' }) as const));
    const { results } = await memory.search({ query });
    expect(results[0]?.memory.content).toBe(`${subject} is married to Ben`);
    expect(results.length).toBeLessThan(3);
  });
});

class WatchedEmbedder extends HashEmbedder {
  readonly embedded: string[] = [];
  readonly forgotten: string[] = [];

  override embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.embedded.push(...texts);
    return super.embed(texts);
  }

  override forget(texts: readonly string[] = []): void {
    this.forgotten.push(...texts);
  }
}

it('is embedded as it stands where it is not one person’s: a group’s, what was said, and what applies when', async () => {
  const embedder = new WatchedEmbedder();
  const { lamina, close } = await openLamina({ embedder });
  untilTestEnds({ close });
  const memory = lamina.as({ userId: 'ada' });
  await memory.add({ content: 'The user logs in', layer: 'project', identifiers: { projectId: 'p' } });
  await memory.add({ content: 'The user is here', layer: 'user', kind: 'episodic' });
  await memory.add({ content: 'Be short', layer: 'user', kind: 'procedural', triggerCondition: 'Ada asks for help' });
  expect(embedder.embedded).toEqual(['The user logs in', 'The user is here', 'Ada asks for help']);
});

it('is forgotten as it was embedded', async () => {
  const embedder = new WatchedEmbedder();
  const { lamina, root, close } = await openLamina({ embedder });
  untilTestEnds({ close });
  const memory = lamina.as({ userId: 'ada' });
  const { memory: first } = await memory.add({ content: 'Ada’s PIN is 4711', layer: 'user' });
  await memory.add({ content: 'The user has a safe', layer: 'user' });
  await memory.delete({ id: first.id });
  await root.admin.eraseUser({ userId: 'ada' });
  expect(embedder.embedded).toEqual(['my PIN is 4711', 'I has a safe']);
  expect(embedder.forgotten).toEqual(expect.arrayContaining(embedder.embedded));
});
