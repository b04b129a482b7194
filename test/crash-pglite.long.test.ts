/** `kill -9` under load on PGlite, in a program that embeds Lamina. */

import { expect, it, onTestFinished } from 'vitest';
import { CRASH_TIMEOUT_MS, surviveCrashes } from './crash-rounds.ts';
import { startEmbedded } from './crash-subjects.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

it('a program that embeds Lamina loses nothing that it acknowledged', { timeout: CRASH_TIMEOUT_MS }, async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const start = (): ReturnType<typeof startEmbedded> => startEmbedded(`pglite:${folder}`);
  let running = await start();
  onTestFinished(() => running.kill());
  await surviveCrashes({
    name: 'embedded on PGlite',
    memory: () => running.memory,
    kill: () => running.kill(),
    restart: async () => void (running = await start()),
    inspect: async () => {},
  });
  expect(await running.end()).toBe(0);
});
