/** Which writes share a commit: those that come together, and those that come right behind them. */

import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteGroupCommit } from '../src/engines/sqlite/sqlite-group-commit.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let commits: SqliteGroupCommit;
/** Writes of each commit. */
let groups: number[];

beforeEach(async () => {
  // However busy the machine is, a turn takes no time.
  vi.useFakeTimers({ toFake: ['performance'] });
  const folder = await makeFolder();
  const connection = new SqliteConnection(join(folder, 'commits.db'), { readonly: false });
  onTestFinished(async () => {
    vi.useRealTimers();
    connection.close();
    await removeFolder(folder);
  });
  groups = [];
  commits = new SqliteGroupCommit(connection, new ManualClock(), ({ writes }) => void groups.push(writes));
});

const write = (): Promise<void> => commits.run(() => {});

it('commits a write that is alone after the turn in which it came', async () => {
  const alone = write();
  await turn();
  expect(groups).toEqual([1]);
  await alone;
});

it('waits a turn more where several have come, and again while that brings others', async () => {
  const writes = [write(), write()];
  await turn();
  expect(groups).toEqual([]);
  writes.push(write());
  await turn();
  await turn();
  expect(groups).toEqual([3]);
  await Promise.all(writes);
});

it('waits as well where others join a write that stands for several', async () => {
  let size = 1;
  const batch = commits.run(
    () => {},
    undefined,
    () => size,
  );
  size += 1;
  await turn();
  expect(groups).toEqual([]);
  await batch;
  expect(groups).toEqual([1]);
});

it('does not wait for ever', async () => {
  const writes: Promise<void>[] = [write()];
  for (let count = 0; count < 20; count += 1) {
    writes.push(write());
    await turn();
  }
  await Promise.all(writes);
  expect(groups.length).toBeGreaterThan(2);
  expect(groups.reduce((sum, count) => sum + count, 0)).toBe(writes.length);
});

it('acknowledges what it committed, and goes on, whatever an observer throws', async () => {
  const folder = await makeFolder();
  const connection = new SqliteConnection(join(folder, 'watched.db'), { readonly: false });
  onTestFinished(async () => {
    connection.close();
    await removeFolder(folder);
  });
  const watched = new SqliteGroupCommit(connection, new ManualClock(), () => {
    throw new Error('It cannot listen.');
  });
  expect(await watched.run(() => 'first')).toBe('first');
  expect(await watched.run(() => 'second')).toBe('second');
});
