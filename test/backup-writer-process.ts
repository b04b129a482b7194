/** A process of its own that writes into a folder until it is killed, and says each write once it is acknowledged. */

import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

const [folder = '', ...tenants] = process.argv.slice(2);
const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });

async function write(tenantId: string): Promise<never> {
  const memory = lamina.as({ tenantId, userId: 'alice' });
  for (let count = 1; ; count += 1) {
    const { id } = (await memory.add({ content: `The note number ${count} of ${tenantId}`, layer: 'user' })).memory;
    if (count % 3 === 0) await memory.update({ id, content: `The note number ${count}, corrected` });
    process.stdout.write(`${tenantId} ${id}\n`);
  }
}

await Promise.all(tenants.map(write));
