/** What was deleted does not stay readable in the log of writes: it is emptied soon after, while the file stays open. */

import { expect, it, vi } from 'vitest';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

const SECRETS = ['zorblaxquendril', 'mivvokantplinq', 'quibbenstarl', 'frondelwisk'];

it('deleted text is in no file a few seconds later', { timeout: 15_000 }, async () => {
  const folder = await makeFolder();
  untilTestEnds({ close: () => removeFolder(folder) });
  const { lamina, close } = await openLamina({ folder });
  untilTestEnds({ close });
  const alice = lamina.as({ userId: 'alice' });
  const [first = '', second = ''] = SECRETS;
  const { memory } = await alice.add({ layer: 'user', content: `The word is ${first}` });
  await alice.add({ layer: 'user', content: 'Something else' });
  await alice.working.set({ planId: 'p1', key: 'k', value: second });
  const found = async (): Promise<number> =>
    (
      await tracesIn(
        folder,
        SECRETS.map((secret) => Buffer.from(secret)),
      )
    ).length;
  expect(await found()).toBe(2);
  await alice.delete({ id: memory.id });
  await alice.working.delete({ planId: 'p1', key: 'k' });
  await vi.waitFor(async () => expect(await found()).toBe(0), { timeout: 10_000, interval: 250 });
  expect((await alice.list({ layer: 'user' })).totalCount).toBe(1);
});

it('and neither are records that were removed', { timeout: 15_000 }, async () => {
  const folder = await makeFolder();
  untilTestEnds({ close: () => removeFolder(folder) });
  const { lamina, close } = await openLamina({ folder });
  untilTestEnds({ close });
  const alice = lamina.as({ userId: 'alice' });
  const [, , plan = '', session = ''] = SECRETS;
  await alice.plans.create({ planId: 'p1', goalEvent: 'goal', goalData: { goal: plan } });
  const { sessionId } = await alice.sessions.create({ metadata: { note: session } });
  const found = async (): Promise<number> => (await tracesIn(folder, [Buffer.from(plan), Buffer.from(session)])).length;
  expect(await found()).toBe(2);
  await alice.plans.delete({ planId: 'p1' });
  await alice.sessions.delete({ sessionId });
  await vi.waitFor(async () => expect(await found()).toBe(0), { timeout: 10_000, interval: 250 });
});
