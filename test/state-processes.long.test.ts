/** Working memory across processes: every update counts, and nobody reads what another has already replaced. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const SCRIPT = fileURLToPath(new URL('state-counter.ts', import.meta.url));
const PLACE = { planId: 'shared', key: 'value' };

interface Counter {
  /** What the process answers to a command. */
  tell(command: string): Promise<unknown>;
  end(): Promise<number | null>;
}

async function startCounter(folder: string): Promise<Counter> {
  const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    tell: async (command) => {
      child.stdin.write(`${command}\n`);
      return JSON.parse(String((await lines.next()).value));
    },
    end: async () => {
      child.stdin.end();
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}

it('counts the increments of several processes exactly', async () => {
  const { folder, lamina } = untilTestEnds(await openLamina());
  const { working } = lamina.as({ userId: 'parent' });
  const counters = await Promise.all([startCounter(folder), startCounter(folder)]);
  const own = async (): Promise<void> => {
    for (let n = 0; n < 100; n += 1) await working.increment(PLACE);
  };
  await Promise.all([...counters.map((counter) => counter.tell('add 300')), own()]);
  expect((await working.get(PLACE))?.value).toBe(700);
  for (const counter of counters) {
    expect(await counter.tell('get')).toBe(700);
    expect(await counter.end()).toBe(0);
  }
}, 60_000);

it('never reads what another process has replaced', async () => {
  const { folder, lamina } = untilTestEnds(await openLamina());
  const { working } = lamina.as({ userId: 'parent' });
  const counter = await startCounter(folder);
  for (let round = 0; round < 150; round += 1) {
    await working.set({ ...PLACE, value: `mine ${round}` });
    expect(await counter.tell('get')).toBe(`mine ${round}`);
    // Held in memory here, and asked for again and again up to the moment at which the other answers.
    const answered = counter.tell(`set theirs-${round}`);
    const turn = (): Promise<string> => new Promise((resolve) => setImmediate(() => resolve('not yet')));
    do await working.get(PLACE);
    while ((await Promise.race([answered, turn()])) === 'not yet');
    expect((await working.get(PLACE))?.value).toBe(`theirs-${round}`);
  }
  expect(await counter.end()).toBe(0);
}, 60_000);

it('reads what a program that it ran has written', async () => {
  const { folder, lamina } = untilTestEnds(await openLamina());
  const { working } = lamina.as({ userId: 'parent' });
  for (const value of ['one', 'two', 'three']) {
    await working.set({ ...PLACE, value: 'before' });
    // Several reads, so that the last one trusts the one before; then the turn goes on for as long as the program runs.
    for (let n = 0; n < 5; n += 1) expect((await working.get(PLACE))?.value).toBe('before');
    execFileSync(process.execPath, [SCRIPT, folder, 'set', value]);
    expect((await working.get(PLACE))?.value).toBe(value);
  }
}, 60_000);
