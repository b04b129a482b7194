/**
 * A process that works on one value of a data folder. Started by state-processes.long.test.ts, which tells it what to do
 * line by line: `add N` increments N times, eight at once; `set TEXT`, `get`; each is answered with one line.
 */

import { createInterface } from 'node:readline';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

const AT_ONCE = 8;

const [folder = '', ...once] = process.argv.slice(2);
const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
const { working } = lamina.as({ userId: 'counter' });
const place = { planId: 'shared', key: 'value' };

async function add(count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await working.increment(place);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function answer(line: string): Promise<string> {
  const [command, argument = ''] = line.split(' ');
  if (command === 'add') await add(Number(argument));
  if (command === 'set') await working.set({ ...place, value: argument });
  return JSON.stringify((await working.get(place))?.value ?? null);
}

if (once.length > 0) {
  process.stdout.write(`${await answer(once.join(' '))}\n`);
} else {
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`);
}
await lamina.close();
