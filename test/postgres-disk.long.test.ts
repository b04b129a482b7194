/** PostgreSQL whose disk is full, or that only lets itself be read: nothing is lost, and Lamina goes on by itself. */

import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { findAccount } from './postgres-installation.ts';
import { describeOnOwnPostgres, execute, freshDatabase, ownServer, urlOf } from './postgres-server.ts';
import { mountSmallDisk, whyNoSmallDisk } from './small-disk.ts';

const SLOW = { timeout: 60_000 };

describeOnOwnPostgres('PostgreSQL that takes no writes', () => {
  it('only lets itself be read', SLOW, async () => {
    const server = await ownServer();
    onTestFinished(() => server.close());
    const { url } = await freshDatabase(server.url);
    await using lamina = await Lamina.open({ database: url, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    const { memory: kept } = await memory.add({ content: 'the first', layer: 'user' });
    await execute(url, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await execute(url, 'SELECT pg_reload_conf()');
    const refused = { code: 'UNAVAILABLE', message: expect.stringContaining('only lets itself be read') as string };
    const attempts = { count: 0 };
    const write = async (): Promise<unknown> => {
      attempts.count += 1;
      return memory.working.set({ planId: 'p', key: 'k', value: attempts.count }).catch((error: unknown) => error);
    };
    await expect.poll(write, { timeout: 10_000 }).toMatchObject(refused);
    await expect(memory.update({ id: kept.id, content: 'another' })).rejects.toMatchObject(refused);
    expect((await memory.get({ id: kept.id })).memory).toMatchObject({ content: 'the first', version: 1 });
    await execute(url, 'ALTER SYSTEM RESET default_transaction_read_only');
    await execute(url, 'SELECT pg_reload_conf()');
    await expect.poll(write, { timeout: 10_000 }).toMatchObject({ key: 'k' });
    expect((await memory.update({ id: kept.id, content: 'another' })).memory.version).toBe(2);
  });

  const noDisk = whyNoSmallDisk();

  it.skipIf(noDisk !== undefined)(`has a full disk${noDisk ? ` (skipped: ${noDisk})` : ''}`, SLOW, async () => {
    const disk = mountSmallDisk(40);
    if (typeof disk === 'string') throw new Error(disk);
    onTestFinished(() => disk.close());
    const server = await ownServer();
    onTestFinished(() => server.close());
    const place = join(disk.folder, 'tablespace');
    mkdirSync(place);
    const account = findAccount();
    if (typeof account === 'object') for (const path of [disk.folder, place]) chownSync(path, account.uid, account.gid);
    await execute(server.url, `CREATE TABLESPACE small LOCATION '${place}'`);
    await execute(server.url, 'CREATE DATABASE small TABLESPACE small');
    const database = urlOf(server.url, { database: 'small' });
    await using lamina = await Lamina.open({ database, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    const { memory: kept } = await memory.add({ content: 'the first', layer: 'user' });
    disk.fill(0);
    let [count, refusal]: [number, unknown] = [0, undefined];
    for (; count < 500 && refusal === undefined; count += 1) {
      const content = `note ${count} ${'that takes some room '.repeat(100)}`;
      refusal = await memory.add({ content, layer: 'user' }).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    const message = expect.stringMatching(/disk of the database is full.*Make room/) as string;
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', retryable: true, message });
    expect((await memory.get({ id: kept.id })).memory?.content).toBe('the first');
    disk.makeRoom();
    await memory.add({ content: 'there is room again', layer: 'user' });
    // The first, those that were acknowledged, and the last; the one that was refused is not there.
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(count + 1);
  });
});
