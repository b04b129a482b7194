/** Long texts among short ones are found by their words: by one that nothing else has, wherever it stands. */

import { expect, it } from 'vitest';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const NOTES = ['Has a dog called Bruno', 'Speaks German and English', 'Works from home on Fridays', 'Prefers tea'];
const PARAGRAPH = 'The kitchen team went through all orders of the week and planned what has to be delivered to whom. ';

it.each([
  ['hybrid', 5],
  ['keyword', 5],
  ['hybrid', 60],
  ['keyword', 60],
] as const)('by %s search in a text of %i paragraphs', async (mode, paragraphs) => {
  const { lamina, close } = await openLamina();
  untilTestEnds({ close });
  const memory = lamina.as({ userId: 'u' });
  const content = `${PARAGRAPH.repeat(paragraphs)}Who has the key is Priscilla Vandermeer.`;
  const notes = Array.from({ length: 40 }, (_, index) => `${NOTES[index % NOTES.length]}, number ${index}`);
  await memory.addMany([...notes, content].map((text) => ({ layer: 'user', content: text }) as const));
  const { results } = await memory.search({ query: 'Vandermeer', mode });
  expect(results.map(({ memory: found }) => found.content)).toEqual([content]);
});
