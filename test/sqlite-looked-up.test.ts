/** What writes look up once stays true for those that follow: also where one fails, where one empties a place, and where others write. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import type { Entry } from '../src/domain/entry.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { EntryWrite } from '../src/ports/entry-store.ts';
import { entryOf, partitionOfEntry } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const SPACE = { model: 'test:looked-up', dimensions: 64 };
const PRINCIPAL = { tenantId: NIL_TENANT, userId: 'alice' };

function writeOf(entry: Entry): EntryWrite {
  const vector = Float32Array.from({ length: SPACE.dimensions }, () => 1 / 8);
  const partition = partitionOfEntry(entry);
  return { entry, partition, lexemes: [entry.content], embedding: { space: SPACE, vector } };
}

let folder: string;
let engine: SqliteEngine;

beforeEach(async () => {
  folder = await makeFolder();
  engine = new SqliteEngine({ folder, clock: new ManualClock() });
});

afterEach(async () => {
  await engine.close();
  await removeFolder(folder);
});

async function add(entry: Entry): Promise<void> {
  await engine.entries.transaction(PRINCIPAL, (tx) => tx.insert([writeOf(entry)]));
}

/** What is found by its place, which has to be the one that the entries say. */
async function found(entry: Entry): Promise<string[]> {
  const selection = { partitions: [partitionOfEntry(entry)] };
  const listed = await engine.entries.list(PRINCIPAL, selection, 10);
  expect(await engine.entries.count(PRINCIPAL, selection)).toBe(listed.length);
  return listed.map(({ content }) => content).toSorted();
}

describe('writes that share a commit', () => {
  const [first, second] = [entryOf({ content: 'first' }), entryOf({ content: 'second' })];

  it('do not take a place for there that went with one that failed', async () => {
    // Once one has failed each is run in a savepoint of its own. A commit that takes long leaves the rest to the next, hence often.
    for (let round = 0; round < 10; round += 1) {
      const entries = [first, second].map((entry) => ({ ...entry, id: entryOf({ content: entry.content }).id }));
      const failing = engine.entries.transaction(PRINCIPAL, async (tx) => {
        await tx.insert(entries.slice(0, 1).map(writeOf));
        throw new Error('changed my mind');
      });
      const writing = Promise.all(entries.slice(1).map(add));
      await expect(failing).rejects.toThrow('changed my mind');
      await writing;
      expect(await found(second)).toEqual(['second']);
      await engine.entries.transaction(PRINCIPAL, (tx) => tx.remove(entries.map(({ id }) => id)));
    }
  });

  it('do not take a place for there that one of them emptied', async () => {
    await add(first);
    const removing = engine.entries.transaction(PRINCIPAL, async (tx) => {
      await tx.insert([writeOf(second)]);
      await tx.remove([first.id, second.id]);
    });
    const third = entryOf({ content: 'third' });
    await Promise.all([removing, add(third)]);
    expect(await found(third)).toEqual(['third']);
  });
});

it('a place that another process emptied, and whose number it gave to another, is looked up again', async () => {
  const other = new SqliteEngine({ folder, clock: new ManualClock() });
  const placed = (content: string, projectId: string): Entry => entryOf({ content, identifiers: { projectId } });
  const [here, there, again] = [placed('here', 'a'), placed('there', 'b'), placed('again', 'a')];
  try {
    await add(here);
    await other.entries.transaction(PRINCIPAL, (tx) => tx.remove([here.id]));
    await other.entries.transaction(PRINCIPAL, (tx) => tx.insert([writeOf(there)]));
    await add(again);
    expect(await found(again)).toEqual(['again']);
    expect(await found(there)).toEqual(['there']);
  } finally {
    await other.close();
  }
});
