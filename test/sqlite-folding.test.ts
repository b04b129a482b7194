/** The log of writes: folded into the file beside further commits, by a thread that nobody depends on. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteCodeCache } from '../src/engines/sqlite/sqlite-code-cache.ts';
import { SqliteFoldThread } from '../src/engines/sqlite/sqlite-fold-thread.ts';
import { SqliteLogFold } from '../src/engines/sqlite/sqlite-log-fold.ts';
import { SqliteTenant } from '../src/engines/sqlite/sqlite-tenant.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** 62 pages. A long log has a thousand. */
const LONG_VALUE = 'x'.repeat(500_000);

let folder: string;
let file: string;
let folds: SqliteFoldThread;
let tenant: SqliteTenant;

beforeEach(async () => {
  folder = await makeFolder();
  file = join(folder, 'tenant.db');
  folds = new SqliteFoldThread();
  tenant = open();
});

afterEach(async () => {
  await tenant.close();
  await folds.close();
  await removeFolder(folder);
});

function open(): SqliteTenant {
  return new SqliteTenant(file, readMigrations('sqlite'), new ManualClock(), { codes: new SqliteCodeCache(), folds });
}

const INSERT = `INSERT INTO state (namespace, key, value, version, created_at, updated_at) VALUES ('n', ?, ?, 1, 0, 0)`;

/** As many commits of one such value each. */
async function write(commits: number, from = 0): Promise<void> {
  for (let index = from; index < from + commits; index += 1) {
    await tenant.write((connection) => connection.run(INSERT, String(index), LONG_VALUE));
  }
}

/** Pages in the log, and those of them that are in the file too, as somebody else sees it. */
function log(): { readonly pages: number; readonly folded: number } {
  const db = new Sqlite(file, { readonly: true });
  try {
    const [row] = db.pragma('wal_checkpoint(NOOP)') as { readonly log: number; readonly checkpointed: number }[];
    return { pages: Number(row?.log), folded: Number(row?.checkpointed) };
  } finally {
    db.close();
  }
}

function count(): unknown {
  return tenant.connection.first('SELECT count(*) AS count FROM state');
}

describe('folding the log of writes', () => {
  it('begins when the log is long, and leaves short ones alone', { timeout: 30_000 }, async () => {
    const fold = vi.spyOn(folds, 'fold');
    await write(4);
    expect(fold).not.toHaveBeenCalled();
    await write(16, 4);
    expect(fold).toHaveBeenCalledWith(file);
    await vi.waitFor(() => expect(log().pages - log().folded).toBeLessThan(1000), { timeout: 20_000 });
    expect(count()).toEqual({ count: 20 });
  });

  it('goes on beside writes, which lose nothing, and the log begins anew', { timeout: 60_000 }, async () => {
    const fold = vi.spyOn(folds, 'fold');
    let written = 100;
    await write(written);
    const long = log().pages;
    // Somewhere beyond four thousand pages, as soon as the thread leaves a moment for it.
    while (log().pages >= long) await write(1, written++);
    // However fast the thread was, the log that has begun anew becomes long as well, and is folded.
    const folded = fold.mock.calls.length;
    while (fold.mock.calls.length === folded) await write(1, written++);
    expect(count()).toEqual({ count: written });
  });

  it('is waited for by whoever empties the log, and by whoever closes the file', async () => {
    await write(20);
    await tenant.foldLog();
    expect(statSync(`${file}-wal`).size).toBe(0);
    await write(20, 20);
    await tenant.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined();
    tenant = open();
    expect(count()).toEqual({ count: 40 });
  });

  it('is done by SQLite itself where there is no thread', async () => {
    await folds.close();
    await write(150);
    expect(statSync(`${file}-wal`).size).toBeLessThan(5000 * 8192);
    expect(count()).toEqual({ count: 150 });
  });

  it('leaves files alone that are gone, and answers all the same', async () => {
    await folds.fold(join(folder, 'none.db'));
    expect(statSync(join(folder, 'none.db'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

it('a log is folded once at a time, and not any more when its file is to be closed', async () => {
  let finish = (): void => {};
  const beside = vi.fn<() => Promise<void>>(() => new Promise((resolve) => (finish = resolve)));
  const fold = new SqliteLogFold({ beside, empty: async () => true });
  fold.noteLength(999);
  expect(beside).not.toHaveBeenCalled();
  fold.noteLength(1000);
  fold.noteLength(2000);
  expect(beside).toHaveBeenCalledTimes(1);
  finish();
  await fold.idle();
  fold.noteLength(1000);
  expect(beside).toHaveBeenCalledTimes(2);
  const ended = fold.end();
  finish();
  await ended;
  fold.noteLength(5000);
  expect(beside).toHaveBeenCalledTimes(2);
});
