/** What is deleted cannot be read in the bytes of the files either, also after much moving about within them. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

const ROUNDS = 40;

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => removeFolder(folder));

/** A word that occurs nowhere else, not even by chance. */
function mark(number: number): string {
  return `mark${createHash('sha256').update(String(number)).digest('hex').slice(0, 24)}`;
}

/** Every mark that can be read in any file. */
async function marksIn(path: string): Promise<Set<string>> {
  const contents = await Promise.all((await filesIn(path)).map((file) => readFile(file, 'latin1')));
  return new Set(contents.flatMap((bytes) => bytes.match(/mark[0-9a-f]{24}/g) ?? []));
}

describe('after rounds of adding, changing and deleting', () => {
  it.each([1, 2, 3])('no deleted content is left in the files (seed %i)', { timeout: 60_000 }, async (seed) => {
    const random = new SeededRandom(seed);
    const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    const living: { id: string; content: string }[] = [];
    const gone: string[] = [];
    let marks = 0;
    const text = (): string => Array.from({ length: 1 + random.below(60) }, () => mark((marks += 1))).join(' ');
    for (let round = 0; round < ROUNDS; round += 1) {
      const contents = Array.from({ length: 1 + random.below(40) }, text);
      const added = await memory.addMany(contents.map((content) => ({ content, layer: 'user' as const })));
      living.push(...added.map((output) => output.memory));
      for (let change = 0; change < 15; change += 1) {
        const [entry] = living.splice(random.below(living.length), 1);
        if (entry === undefined) continue;
        if (random.below(3) === 0) {
          const content = text();
          await memory.update({ id: entry.id, content });
          living.push({ id: entry.id, content: `${entry.content} ${content}` });
        } else {
          await memory.delete({ id: entry.id });
          gone.push(...entry.content.split(' '));
        }
      }
    }
    await lamina.close();
    const readable = await marksIn(folder);
    expect(gone.length).toBeGreaterThan(1000);
    expect(gone.filter((word) => readable.has(word))).toEqual([]);
    // What was not deleted can be read (unless it lies across two pages), so that this would see it.
    const kept = living.flatMap(({ content }) => content.split(' '));
    expect(kept.filter((word) => readable.has(word)).length).toBeGreaterThan(kept.length * 0.9);
  });
});
