/** An embedder of somebody's own that never answers, with the times that a turn really has. */

import { expect, it } from 'vitest';
import { remembering, WilfulEmbedder } from './wilful-embedder.ts';

it('an embedder that never answers leaves words to search by before a turn gives up', async () => {
  const embedder = new WilfulEmbedder();
  const { memory } = await remembering(embedder);
  // The message itself is among what is found, so that a turn would look further.
  await memory.add({ content: 'WHEN is it that the harbour freezes?', layer: 'user' });
  embedder.instead = () => new Promise(() => {});
  const began = performance.now();
  const asked = { message: 'When is it that the harbour freezes?', threshold: 0, limit: 1, procedures: true };
  const turn = await memory.turnContext(asked);
  expect(turn.warnings).toEqual(['The query could not be embedded; only words were searched.']);
  expect(turn.degraded).toBe(true);
  expect(performance.now() - began).toBeLessThan(8000);
  const whole = await memory.turnContext({ ...asked, message: 'When does the harbour freeze, I ask?', limit: 5 });
  expect(whole.context).toContain('The harbour freezes in January');
}, 30_000);
