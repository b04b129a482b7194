/** What was read stands until somebody commits, but for commits of this process that leave alone what searches read. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteStandstill } from '../src/engines/sqlite/sqlite-standstill.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await removeFolder(folder);
});

describe('a moment', () => {
  let own: SqliteConnection;
  let other: SqliteConnection;
  let standstill: SqliteStandstill;

  beforeEach(() => {
    const open = (): SqliteConnection => new SqliteConnection(join(folder, 'still.db'), { readonly: false });
    [own, other] = [open(), open()];
    own.db.exec('CREATE TABLE t (a)');
    standstill = new SqliteStandstill(own);
    write(false);
    standstill.moment();
  });

  afterEach(() => {
    own.close();
    other.close();
  });

  function write(isAside: boolean, beforeNoting = (): void => {}): void {
    own.db.exec('BEGIN IMMEDIATE');
    standstill.beginWriting();
    own.run('INSERT INTO t VALUES (1)');
    own.db.exec('COMMIT');
    beforeNoting();
    const log = own.readLog();
    if (log && isAside) standstill.noteAside(log);
  }

  const writeElsewhere = (): void => void other.run('INSERT INTO t VALUES (2)');

  /** Whether it is over after the work. */
  function ends(work: () => void): boolean {
    const before = standstill.moment();
    work();
    return standstill.moment() !== before;
  }

  it('goes on after commits that leave alone what is read, however many', () => {
    expect(ends(() => {})).toBe(false);
    expect(ends(() => [write(true), write(true)])).toBe(false);
  });

  it('ends with any other commit, whoever makes it and whenever', () => {
    expect(ends(() => write(false))).toBe(true);
    expect(ends(writeElsewhere)).toBe(true);
    expect(ends(() => [writeElsewhere(), write(true)])).toBe(true);
    expect(ends(() => [write(true), writeElsewhere()])).toBe(true);
    expect(ends(() => write(true, writeElsewhere))).toBe(true);
    expect(ends(() => [write(false), write(true)])).toBe(true);
    expect(ends(() => {})).toBe(false);
  });
});

describe('a search', () => {
  it('reads nothing again because accesses were counted or working memory was set, and everything after a write', async () => {
    await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'alice' });
    for (const content of ['leek soup', 'pear cake']) await memory.add({ content, layer: 'user' });
    const read = vi.spyOn(SqliteConnection.prototype, 'all');
    const words = async (): Promise<number> => {
      read.mockClear();
      const { results } = await memory.search({ query: 'leek', threshold: 0 });
      expect(results[0]?.memory.content).toBe('leek soup');
      return read.mock.calls.filter(([sql]) => sql.includes('entry_terms') || sql.includes('entry_text')).length;
    };
    expect(await words()).toBeGreaterThan(0);
    expect(await words()).toBe(0);
    const { id } = (await memory.list({ layer: 'user' })).memories[0] ?? { id: '' };
    await vi.waitFor(async () => expect((await memory.get({ id })).memory?.accessCount).toBeGreaterThan(0), {
      timeout: 5000,
    });
    expect(await words()).toBe(0);
    await memory.working.set({ planId: 'p', key: 'k', value: 1 });
    expect(await words()).toBe(0);
    await memory.add({ content: 'plum tart', layer: 'user' });
    expect(await words()).toBeGreaterThan(0);
  });
});
