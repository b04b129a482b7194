/** What is deleted cannot be read in the bytes of the files either, also after much moving about within them. */

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

const ROUNDS = 25;

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => removeFolder(folder));

/** A word that occurs nowhere else, not even by chance. */
function mark(number: number): string {
  return `mark${createHash('sha256').update(String(number)).digest('hex').slice(0, 24)}`;
}

describe.each([1, 2])('after rounds of adding, changing and deleting (seed %i)', (seed) => {
  it('no deleted content is left in the files', { timeout: 60_000 }, async () => {
    const random = new SeededRandom(seed);
    const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    const living: { id: string; marks: string[] }[] = [];
    const gone: string[] = [];
    let marks = 0;
    const text = (own: string): string =>
      `${own} ${Array.from({ length: random.below(200) }, () => random.word()).join(' ')}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const batch = Array.from({ length: 1 + random.below(40) }, () => mark((marks += 1)));
      const added = await memory.addMany(batch.map((own) => ({ content: text(own), layer: 'user' as const })));
      added.forEach(({ memory: { id } }, index) => living.push({ id, marks: [batch[index] ?? ''] }));
      for (let change = 0; change < 12; change += 1) {
        const [entry] = living.splice(random.below(living.length), 1);
        if (entry === undefined) continue;
        if (random.below(3) === 0) {
          const own = mark((marks += 1));
          await memory.update({ id: entry.id, content: text(own) });
          living.push({ id: entry.id, marks: [...entry.marks, own] });
        } else {
          await memory.delete({ id: entry.id });
          gone.push(...entry.marks);
        }
      }
    }
    await lamina.close();
    const bytesOf = (words: readonly string[]): Buffer[] => words.map((word) => Buffer.from(word));
    expect(gone.length).toBeGreaterThan(100);
    expect(await tracesIn(folder, bytesOf(gone))).toEqual([]);
    const kept = living.flatMap((entry) => entry.marks);
    expect(await tracesIn(folder, bytesOf(kept))).toHaveLength(kept.length);
  });
});
