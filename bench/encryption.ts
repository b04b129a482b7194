/**
 * `node bench/encryption.ts 2000`: what encryption costs on SQLite, with as many memories: adding, reading, searching and state
 * with and without a master key. Processor time for each call, so that a busy machine does not matter.
 */

import { join } from 'node:path';
import { Lamina } from '../src/compose/lamina.ts';
import { createKeyFile, fileMasterKey } from '../src/sealing/file-master-key.ts';
import { BenchEmbedder } from './bench-embedder.ts';
import { temporaryFolder } from './temporary-folder.ts';

const MEMORIES = Number(process.argv[2] ?? 1000);
const CALLS = 200;

const WORDS = 'harbour billing coffee black morning release invoice garden letter window market summer report'.split(
  ' ',
);

/** About 200 characters. */
function textOf(index: number): string {
  const words = Array.from({ length: 28 }, (_, place) => WORDS[(index * 7 + place * (index % 11)) % WORDS.length]);
  return `${words.join(' ')} ${index}`;
}

/** Milliseconds of the processor for each call. */
async function costOf(calls: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) await work(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

async function measure(isSealed: boolean): Promise<Record<string, number>> {
  const folder = temporaryFolder();
  const file = join(folder, 'master.key');
  createKeyFile(file);
  const masterKey = isSealed ? fileMasterKey(file) : undefined;
  const lamina = await Lamina.open({ folder: join(folder, 'data'), embedder: new BenchEmbedder(), masterKey });
  const memory = lamina.as({ userId: 'alice' });
  const ids: string[] = [];
  const costs: Record<string, number> = {};
  costs['add'] = await costOf(MEMORIES, async (index) => {
    const input = { content: textOf(index), metadata: { index }, tags: ['bench'] };
    ids.push((await memory.add({ layer: 'user', ...input })).memory.id);
  });
  costs['get'] = await costOf(CALLS, (index) => memory.get({ id: ids[(index * 13) % ids.length] ?? '' }));
  costs['search'] = await costOf(CALLS, (index) => memory.search({ query: textOf(index).slice(0, 40) }));
  costs['list of 50'] = await costOf(CALLS, () =>
    memory.list({ layer: 'user', limit: 50, filter: { tags: ['bench'] } }),
  );
  const place = { planId: 'p' };
  costs['working.set'] = await costOf(CALLS, (value) => memory.working.set({ ...place, key: `k${value}`, value }));
  costs['working.increment'] = await costOf(CALLS, () => memory.working.increment({ ...place, key: 'count', by: 1 }));
  costs['working.get'] = await costOf(CALLS, (index) => memory.working.get({ ...place, key: `k${index}` }));
  await lamina.close();
  return costs;
}

await measure(true);
const [plain, sealed] = [await measure(false), await measure(true)];
console.log('| call | without | with | times |');
console.log('| --- | --: | --: | --: |');
for (const [name, cost] of Object.entries(plain)) {
  const other = sealed[name] ?? 0;
  console.log(`| ${name} | ${cost.toFixed(2)} ms | ${other.toFixed(2)} ms | ${(other / cost).toFixed(1)} |`);
}
