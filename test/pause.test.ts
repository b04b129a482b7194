/** Waiting that can be cut short. */

import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { pause } from '../src/domain/pause.ts';

const listening = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

it('a pause leaves nothing behind on a signal that lives for years', async () => {
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round += 1) await pause(1, signal);
  expect(listening(signal)).toBe(0);
});

it('a pause ends with its signal, and does not begin after it', async () => {
  const controller = new AbortController();
  const pausing = pause(2 ** 31 - 1, controller.signal);
  expect(listening(controller.signal)).toBe(1);
  controller.abort();
  await pausing;
  await pause(2 ** 31 - 1, controller.signal);
  expect(listening(controller.signal)).toBe(0);
});
