/** Encryption at rest where working memory lies in Redis: its values are sealed there too, and by the same keys. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKeyFile, encryptionOver } from '../src/compose/encryption.ts';
import { openEngine } from '../src/compose/engines.ts';
import { openRedis } from '../src/compose/redis.ts';
import { systemClock } from '../src/compose/system.ts';
import { fileMasterKey } from '../src/sealing/file-master-key.ts';
import { isSealedEngine } from '../src/sealing/sealed-engine.ts';
import { callCli } from './cli-caller.ts';
import { memoryMasterKey } from './master-key.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '00000000-0000-0000-0000-000000000000';

/** All that Redis holds, as text. */
async function dumpOf(server: RedisServer): Promise<string> {
  return JSON.stringify([...(await server.everything())]);
}

describeOnRedis('encryption with Redis', () => {
  it('seals values, changes them as before, and changes keys', async () => {
    const server = untilTestEnds(await RedisServer.create());
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const masterKey = memoryMasterKey();
    const { lamina } = untilTestEnds(await openLamina({ folder, masterKey, redis: server.url }));
    const { working } = lamina.as({ userId: 'alice' });
    const place = { planId: 'p' };
    await working.set({ ...place, key: 'note', value: { text: 'zorblax' } });
    await Promise.all(Array.from({ length: 20 }, () => working.increment({ ...place, key: 'count', by: 1 })));
    expect((await working.get({ ...place, key: 'count' }))?.value).toBe(20);
    const dump = await dumpOf(server);
    expect(dump).toContain('lam1:');
    expect(dump).not.toContain('zorblax');

    const engine = await openEngine({ databaseUrl: `sqlite:${folder}`, masterKey });
    if (!isSealedEngine(engine)) throw new Error('It is not sealed.');
    const hot = await openRedis({ url: server.url }, engine.underneath, systemClock);
    const encryption = untilTestEnds(encryptionOver(engine, { graceMs: 0 }, hot));
    expect(await encryption.rotate(TENANT)).toMatchObject({ resealed: 2 });
    const { keys, collections } = await encryption.status(TENANT);
    const current = keys.find(({ purpose }) => purpose === 'data')?.id ?? '';
    expect(collections).toEqual({ hotState: { plain: 0, sealed: { [current]: 2 } } });
    expect((await working.get({ ...place, key: 'note' }))?.value).toEqual({ text: 'zorblax' });
  });

  it('refuses what lies in Redis only to a process without the key, soon after another one seals', async () => {
    const server = untilTestEnds(await RedisServer.create());
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const masterKey = memoryMasterKey();
    const { lamina } = untilTestEnds(await openLamina({ folder, redis: server.url }));
    const keyless = lamina.as({ userId: 'alice' }).working;
    const [note, other] = [
      { planId: 'p', key: 'note' },
      { planId: 'p', key: 'other' },
    ];
    await keyless.set({ ...note, value: 'before' });

    const sealed = untilTestEnds(await openLamina({ folder, masterKey, redis: server.url }));
    const { working } = sealed.lamina.as({ userId: 'alice' });
    await working.set({ ...note, value: 'zorblax' });
    const refused = { code: 'CONFIGURATION_ERROR', message: /master key/ };
    await expect.poll(() => keyless.get(note).then(() => 'answered', String), { timeout: 5000 }).toMatch(/master key/);
    await expect(keyless.set({ ...note, value: 'plain' })).rejects.toMatchObject(refused);
    await expect(keyless.set({ ...other, value: 'plain' })).rejects.toMatchObject(refused);
    await expect(keyless.list({ planId: 'p' })).rejects.toMatchObject(refused);
    expect((await working.get(note))?.value).toBe('zorblax');
    expect(await working.get(other)).toBeNull();
  });

  it('is opened for an export, which is not sealed', async () => {
    const server = untilTestEnds(await RedisServer.create());
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const [keyFile, file] = [join(folder, 'master.key'), join(folder, 'bundle.jsonl')];
    createKeyFile(keyFile);
    const data = join(folder, 'data');
    const opened = await openLamina({ folder: data, masterKey: fileMasterKey(keyFile), redis: server.url });
    await opened.lamina.as({ userId: 'alice' }).working.set({ planId: 'p', key: 'note', value: 'zorblax' });
    await opened.close();
    const environment = {
      LAMINA_DATABASE_URL: `sqlite:${data}`,
      LAMINA_REDIS_URL: server.url,
      LAMINA_MASTER_KEY_FILE: keyFile,
    };
    expect(await callCli(['export', file], { environment })).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    expect([text.includes('zorblax'), text.includes('lam1:')]).toEqual([true, false]);
  });
});
