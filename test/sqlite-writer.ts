/**
 * A process that writes to a data folder and prints the id of each memory as soon as it is acknowledged.
 * Started by sqlite-processes.long.test.ts with the folder, a name and how many memories to add (0: until it is killed).
 */

import { once } from 'node:events';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

/** Calls under way at once, so that commits carry several writes. */
const AT_ONCE = 8;

const [folder = '', name = '', amount = '0'] = process.argv.slice(2);
const limit = Number(amount) || Number.POSITIVE_INFINITY;

const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
const memory = lamina.as({ userId: 'writer' });

// Ready: whoever started several of us lets us begin together.
process.stdout.write('ready\n');
await once(process.stdin, 'data');

let next = 0;
async function writeOn(): Promise<void> {
  while (next < limit) {
    next += 1;
    const added = await memory.add({ content: `memory ${next} of ${name}`, layer: 'user', metadata: { name } });
    process.stdout.write(`${added.memory.id}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
await lamina.close();
process.exit(0);
