/** Whether others have written is noticed at whatever moment they do, and own commits are not taken for theirs. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteFreshness, type IsFresh } from '../src/engines/sqlite/sqlite-freshness.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let folder: string;
let own: SqliteConnection;
let other: SqliteConnection;
let freshness: SqliteFreshness;
let isFresh: IsFresh;
let asked: number;

beforeEach(async () => {
  folder = await makeFolder();
  [own, other] = [0, 1].map(() => new SqliteConnection(join(folder, 'fresh.db'), { readonly: false })) as [
    SqliteConnection,
    SqliteConnection,
  ];
  own.db.exec('CREATE TABLE t (a)');
  freshness = new SqliteFreshness(own);
  isFresh = freshness.watchWriting();
  asked = 0;
  const first = own.first.bind(own);
  Object.assign(own, {
    first: (sql: string) => {
      if (sql === 'PRAGMA data_version') asked += 1;
      return first(sql);
    },
  });
  write();
  asked = 0;
});

afterEach(async () => {
  own.close();
  other.close();
  await removeFolder(folder);
});

/** Answers whether it was fresh when it began. */
function write(beforeNoting = (): void => {}): boolean {
  own.db.exec('BEGIN IMMEDIATE');
  const wasFresh = isFresh();
  own.run('INSERT INTO t VALUES (1)');
  own.db.exec('COMMIT');
  beforeNoting();
  const log = own.readLog();
  if (log) freshness.noteCommit(log);
  return wasFresh;
}

const writeElsewhere = (): void => void other.run('INSERT INTO t VALUES (2)');

describe('who writes', () => {
  it('is not asked about own commits', () => {
    expect([write(), write(), write()]).toEqual([true, true, true]);
    expect(asked).toBe(0);
  });

  it('notices what others wrote since', () => {
    expect(write()).toBe(true);
    writeElsewhere();
    expect([write(), write()]).toEqual([false, true]);
  });

  it('notices what others wrote right after the own commit, before that was noted', () => {
    expect(write(writeElsewhere)).toBe(true);
    expect([write(), write()]).toEqual([false, true]);
  });

  it('notices what others wrote after a transaction that was taken back', () => {
    own.db.exec('BEGIN IMMEDIATE');
    expect(isFresh()).toBe(true);
    own.db.exec('ROLLBACK');
    writeElsewhere();
    expect(write()).toBe(false);
  });

  it('notices them when the log begins anew', () => {
    own.db.pragma('wal_checkpoint(TRUNCATE)');
    expect(write()).toBe(true);
    other.db.pragma('wal_checkpoint(TRUNCATE)');
    writeElsewhere();
    expect([write(), write()]).toEqual([false, true]);
  });

  it('tells those who read, and they notice by themselves', () => {
    const isStillRead = freshness.watch();
    isStillRead();
    expect(isStillRead()).toBe(true);
    writeElsewhere();
    expect(write()).toBe(false);
    expect(isStillRead()).toBe(false);
  });
});
