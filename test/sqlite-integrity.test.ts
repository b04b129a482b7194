/** The file behind a memory after much has happened to it: sound, consistent, and without what was deleted. */

import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../src/operations/memory.ts';
import { EngineModel } from '../src/testing/engine-model.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';
import { expectSound } from './sqlite-soundness.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

function openFile(tenantId: string): Database {
  const db = new Sqlite(join(folder, 'tenants', `${tenantId}.db`));
  loadVectorFunctions(db);
  return db;
}

describe('after random writes', () => {
  it.each([61, 62, 63])('the file is sound and its parts agree (seed %i)', async (seed) => {
    const engine = new SqliteEngine({ folder, clock: systemClock });
    const model = new EngineModel(new SeededRandom(seed));
    for (let count = 0; count < 120; count += 1) await model.write(engine.entries);
    await engine.close();
    const db = openFile(TENANT.tenantId);
    expectSound(db);
    expect(db.prepare('SELECT count(*) AS count FROM entries').get()).toEqual({ count: model.entries.size });
    db.close();
  });

  it('an empty memory holds no rows but events', async () => {
    {
      await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
      const memory = lamina.as({ userId: 'u' });
      const added = await memory.addMany(
        Array.from({ length: 30 }, (_, n) => ({ content: `leaf ${n}`, layer: 'user' })),
      );
      for (const { memory: entry } of added) await memory.update({ id: entry.id, content: `${entry.content} fell` });
      await memory.forget({ layer: 'user' });
    }
    const db = openFile(NIL_TENANT);
    expectSound(db);
    for (const table of [
      'entries',
      'entry_versions',
      'embeddings',
      'partitions',
      'entry_text_docsize',
      'entry_terms',
    ]) {
      expect({ table, ...(db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as object) }).toEqual({
        table,
        count: 0,
      });
    }
    db.close();
  });
});

/** Texts that are found nowhere else, and the words in them. */
function secretOf(random: SeededRandom): { content: string; metadata: Record<string, string>; words: string[] } {
  const words = Array.from({ length: 6 }, () => random.word());
  const [key = '', value = '', ...rest] = words;
  return { content: rest.join(' '), metadata: { [key]: value }, words };
}

/** Those of the words that can still be read in the files; only their ends, because indexes share beginnings. */
async function readable(words: readonly string[]): Promise<string[]> {
  const found = await tracesIn(
    folder,
    words.map((word) => Buffer.from(word.slice(3))),
  );
  return found.map((trace) => Buffer.from(trace).toString());
}

describe('what was deleted', () => {
  it.each([
    ['delete', async (memory: Memory, ids: string[]) => Promise.all(ids.map((id) => memory.delete({ id })))],
    ['forget by ids', async (memory: Memory, ids: string[]) => memory.forget({ ids })],
    ['forget by filter', async (memory: Memory) => memory.forget({ filter: { tags: ['secret'] } })],
  ] as const)('cannot be read in the bytes of the files: %s', async (_, remove) => {
    const random = new SeededRandom(71);
    const words: Record<'secret' | 'kept', string[]> = { secret: [], kept: [] };
    const ids: string[] = [];
    {
      await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
      const memory = lamina.as({ userId: 'u' });
      for (let count = 0; count < 80; count += 1) {
        const tag = count % 2 === 0 ? 'secret' : 'kept';
        const [first, second] = [secretOf(random), secretOf(random)];
        const input = { content: first.content, metadata: first.metadata, tags: [tag], layer: 'user' } as const;
        const { id } = (await memory.add({ ...input, tags: [tag] })).memory;
        // What it said before is history, and goes with it.
        await memory.update({ id, content: second.content, metadata: second.metadata });
        words[tag].push(...first.words, ...second.words);
        if (tag === 'secret') ids.push(id);
      }
      await remove(memory, ids);
    }
    expect(await readable(words.secret)).toEqual([]);
    expect(await readable(words.kept)).toHaveLength(words.kept.length);
  });
});
