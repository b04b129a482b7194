/** Encryption at rest on SQLite: what the files hold, what still works, and what is refused. */

import { chmod, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { encryptionOver, type DatabaseEncryption } from '../src/compose/encryption.ts';
import { openEngine } from '../src/compose/engines.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { MasterKey } from '../src/ports/master-key.ts';
import { createKeyFile, fileMasterKey, isOpen } from '../src/sealing/file-master-key.ts';
import { isSealedEngine } from '../src/sealing/sealed-engine.ts';
import { memoryMasterKey } from './master-key.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { CANARIES, writeCanaries } from './sealed-content.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

const TENANT = '00000000-0000-0000-0000-000000000000';

async function folderForTest(): Promise<string> {
  const folder = await makeFolder();
  untilTestEnds({ close: () => removeFolder(folder) });
  return folder;
}

async function withMemory<T>(
  folder: string,
  masterKey: MasterKey | undefined,
  work: (memory: Memory, opened: OpenLamina) => Promise<T>,
): Promise<T> {
  const opened = await openLamina({ folder, masterKey });
  try {
    return await work(opened.lamina.as({ userId: 'alice' }), opened);
  } finally {
    await opened.close();
  }
}

async function withEncryption<T>(
  folder: string,
  masterKey: MasterKey,
  work: (encryption: DatabaseEncryption) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({ databaseUrl: `sqlite:${folder}`, masterKey });
  if (!isSealedEngine(engine)) throw new Error('It is not sealed.');
  const encryption = encryptionOver(engine, { graceMs: 0 });
  try {
    return await work(encryption);
  } finally {
    await encryption.close();
  }
}

async function canariesIn(folder: string): Promise<string[]> {
  const traces = await tracesIn(
    folder,
    CANARIES.map((canary) => new TextEncoder().encode(canary)),
  );
  return traces.map((trace) => new TextDecoder().decode(trace));
}

/** What a search, filters, identity and the rest find of the canaries. */
async function expectAllToWork(memory: Memory): Promise<void> {
  const { results } = await memory.search({ query: 'zorblax', mode: 'keyword', explain: true });
  expect(results.map((result) => result.memory.content)).toEqual(['The zorblax is in the harbour']);
  expect(results[0]?.memory).toMatchObject({
    metadata: { quendril: 'mivvokant', plain: 1 },
    tags: ['trazzeloth'],
    source: { reference: 'plinquor' },
  });
  const filters = [{ tags: ['trazzeloth', 'x'] }, { custom: { quendril: 'mivvokant' } }, { custom: { plain: 1 } }];
  for (const filter of filters) expect((await memory.list({ layer: 'user', filter })).memories).toHaveLength(1);
  for (const custom of [{ quendril: 'other' }, { mivvokant: 'quendril' }, { plain: '1' }]) {
    expect((await memory.list({ layer: 'user', filter: { custom } })).memories).toHaveLength(0);
  }
  const again = await memory.add({ layer: 'user', content: 'The  zorblax is in the harbour' });
  expect(again.status).not.toBe('created');
  const bell = await memory.search({ query: 'ghurnabel', mode: 'keyword' });
  expect(bell.results[0]?.memory.triggerCondition).toBe('when the ghurnabel comes');
  const { facts } = await memory.facts.list({ subject: 'ombrithel' });
  expect(facts).toMatchObject([{ object: 'fentavoss', metadata: { note: 'drakkowin' } }]);
  expect(await memory.working.get({ planId: 'p1', key: 'k' })).toMatchObject({ value: { yarrowmok: 'yarrowmok' } });
  expect(await memory.plans.get({ planId: 'p1' })).toMatchObject({ goalData: { goal: 'hullberant' } });
}

describe('what is sealed', () => {
  it('is in no byte of the folder, and can be read, searched, filtered and looked up', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    await withMemory(folder, masterKey, async (memory) => {
      const { id } = await writeCanaries(memory);
      await expectAllToWork(memory);
      const { versions } = await memory.versions({ id });
      expect(versions.map((version) => version.memory.content)).toContain('The skelthwin is in the harbour');
      expect(await canariesIn(folder)).toEqual([]);
    });
    expect(await canariesIn(folder)).toEqual([]);
    await withMemory(folder, masterKey, expectAllToWork);
  });

  it('cannot be moved to another entry, and is told when it is', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    const [first, second] = await withMemory(folder, masterKey, async (memory) => {
      const made = [
        await memory.add({ layer: 'user', content: 'One thing' }),
        await memory.add({ layer: 'user', content: 'Another thing' }),
      ];
      return made.map((each) => each.memory.id);
    });
    const db = new Sqlite(join(folder, 'tenants', `${TENANT}.db`));
    db.exec(`UPDATE entries SET content = (SELECT content FROM entries WHERE id = '${first}') WHERE id = '${second}'`);
    db.close();
    await withMemory(folder, masterKey, async (memory, { root }) => {
      await expect(memory.get({ id: second ?? '' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
      expect((await memory.get({ id: first ?? '' })).memory?.content).toBe('One thing');
      const { changes } = await root.maintenance.run({ job: 'integrity' });
      expect(changes).toMatchObject([{ action: 'tampered', entryId: second }]);
    });
  });
});

describe('memory that was there before', () => {
  it('goes on working unsealed, and leaves no trace once it is sealed', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    const { id } = await withMemory(folder, undefined, writeCanaries);
    expect(await canariesIn(folder)).not.toEqual([]);
    await withMemory(folder, masterKey, async (memory) => {
      await expectAllToWork(memory);
      await memory.add({ layer: 'user', content: 'A zorblax of another kind', tags: ['trazzeloth'] });
      expect((await memory.list({ layer: 'user', filter: { tags: ['trazzeloth'] } })).memories).toHaveLength(2);
      const { results } = await memory.search({ query: 'zorblax', mode: 'keyword' });
      expect(results).toHaveLength(2);
      await memory.delete({ id: results.find((result) => result.memory.id !== id)?.memory.id ?? '' });
    });
    await withEncryption(folder, masterKey, async (encryption) => {
      expect(await encryption.status(TENANT)).toMatchObject({ isComplete: false });
      expect(await encryption.seal(TENANT)).toBeGreaterThan(5);
      const status = await encryption.status(TENANT);
      expect(status.isComplete).toBe(true);
      for (const { plain } of Object.values(status.collections)) expect(plain).toBe(0);
      expect(await encryption.seal(TENANT)).toBe(0);
    });
    expect(await canariesIn(folder)).toEqual([]);
    await withMemory(folder, masterKey, async (memory) => {
      await expectAllToWork(memory);
      expect((await memory.get({ id })).memory?.version).toBe(2);
    });
  });

  it('may say what looks like something sealed', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    const content = `lam1:${'0'.repeat(16)}:AAAA`;
    await withMemory(folder, undefined, (memory) => memory.add({ layer: 'user', content }));
    const read = (memory: Memory) =>
      memory.list({ layer: 'user' }).then(({ memories }) => memories.map((each) => each.content));
    expect(await withMemory(folder, masterKey, read)).toEqual([content]);
    await withEncryption(folder, masterKey, (encryption) => encryption.seal(TENANT));
    expect(await withMemory(folder, masterKey, read)).toEqual([content]);
  });
});

describe('a process without the master key', () => {
  it('refuses to read and to write once another one has begun to seal', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    const { lamina } = untilTestEnds(await openLamina({ folder }));
    const memory = lamina.as({ userId: 'alice' });
    const { id } = await writeCanaries(memory);
    await memory.working.set({ planId: 'p1', key: 'k', value: 1 });
    expect(await lamina.health()).toMatchObject({ status: 'healthy' });
    await withEncryption(folder, masterKey, (encryption) => encryption.seal(TENANT));
    const calls = [
      () => memory.get({ id }),
      () => memory.working.get({ planId: 'p1', key: 'k' }),
      () => memory.working.set({ planId: 'p1', key: 'k', value: 2 }),
      () => memory.list({ layer: 'user' }),
      () => memory.search({ query: 'zorblax' }),
      () => memory.update({ id, metadata: { other: 1 } }),
      () => memory.add({ layer: 'user', content: 'Something plain' }),
      () => memory.facts.list({ subject: 'ombrithel' }),
      () => memory.plans.get({ planId: 'p1' }),
      () => memory.delete({ id }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR', message: /master key/ });
    }
    expect(await lamina.health()).toMatchObject({
      status: 'unhealthy',
      components: { store: { message: expect.stringContaining('master key') as string } },
    });
    await withMemory(folder, masterKey, async (opened) => {
      expect((await opened.get({ id })).memory?.version).toBe(2);
      expect(await opened.working.get({ planId: 'p1', key: 'k' })).toMatchObject({ value: 1 });
      expect((await opened.list({ layer: 'user' })).memories.map(({ content }) => content)).not.toContain(
        'Something plain',
      );
    });
  });
});

describe('a data key', () => {
  it('is not destroyed while something is sealed with it', async () => {
    const folder = await folderForTest();
    const masterKey = memoryMasterKey();
    const { lamina } = untilTestEnds(await openLamina({ folder, masterKey }));
    const memory = lamina.as({ userId: 'alice' });
    await memory.add({ layer: 'user', content: 'The first of all' });
    const engine = await openEngine({ databaseUrl: `sqlite:${folder}`, masterKey });
    if (!isSealedEngine(engine)) throw new Error('It is not sealed.');
    const encryption = untilTestEnds(encryptionOver(engine, { graceMs: 0 }));
    const change = engine.keys.change.bind(engine.keys);
    let changes = 0;
    vi.spyOn(engine.keys, 'change').mockImplementation(async (...given) => {
      changes += 1;
      // The second one destroys the key, of whose retirement the other process has not heard yet.
      if (changes === 2) await memory.add({ layer: 'user', content: 'The last of all' });
      return change(...given);
    });
    expect(await encryption.rotate(TENANT)).toMatchObject({ resealed: 2, destroyed: { length: 1 } });
    expect((await encryption.status(TENANT)).keys).toHaveLength(2);
    await withMemory(folder, masterKey, async (opened) => {
      const { memories } = await opened.list({ layer: 'user' });
      expect(memories.map(({ content }) => content).toSorted()).toEqual(['The first of all', 'The last of all']);
    });
  });
});

describe('the master key', () => {
  it('is needed, and must be the right one', async () => {
    const folder = await folderForTest();
    await withMemory(folder, memoryMasterKey(), (memory) => memory.add({ layer: 'user', content: 'Something' }));
    const read = (memory: Memory) => memory.list({ layer: 'user' });
    await expect(withMemory(folder, undefined, read)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    const file = join(folder, 'master.key');
    createKeyFile(file);
    await expect(withMemory(folder, fileMasterKey(file), read)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });

  it('is looked at before anything is done, and callers are told nothing of where it lies', async () => {
    const folder = await folderForTest();
    const [right, wrong] = [join(folder, 'right.key'), join(folder, 'wrong.key')];
    for (const file of [right, wrong]) createKeyFile(file);
    const add = (memory: Memory) => memory.add({ layer: 'user', content: 'Something' });
    await withMemory(folder, fileMasterKey(right), add);
    const refusal = { code: 'CONFIGURATION_ERROR', message: expect.stringContaining('wrong.key') };
    await expect(openEngine({ databaseUrl: `sqlite:${folder}`, masterKeyFile: wrong })).rejects.toMatchObject(refusal);
    const without = openEngine({ databaseUrl: `sqlite:${folder}` });
    await expect(without).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    const swapped: { key: MasterKey } = { key: fileMasterKey(right) };
    const masterKey: MasterKey = {
      idFor: (tenantId) => swapped.key.idFor(tenantId),
      wrap: (key, context) => swapped.key.wrap(key, context),
      unwrap: (bytes, context) => swapped.key.unwrap(bytes, context),
    };
    await withMemory(folder, masterKey, async (memory) => {
      swapped.key = fileMasterKey(wrong);
      const told = await add(memory).catch((error: Error) => error);
      expect(told).toMatchObject({ code: 'CONFIGURATION_ERROR' });
      expect((told as Error).message).not.toMatch(/wrong\.key|file:/);
    });
  });

  it('lies in a file that only its owner reads, of 32 bytes or lines of base64', async () => {
    const folder = await folderForTest();
    const file = join(folder, 'master.key');
    createKeyFile(file);
    expect(() => createKeyFile(file)).toThrow(/there already/);
    expect(fileMasterKey(file).idFor(TENANT)).toMatch(/^file:[0-9a-f]{16}$/);
    await chmod(file, 0o640);
    expect(() => fileMasterKey(file)).toThrow(/chmod 600/);
    const [root, user] = [0, 1000];
    expect([0o100440, 0o100640, 0o100444, 0o040750].map((mode) => isOpen({ mode, uid: root }, user))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect([root, user].map((uid) => isOpen({ mode: 0o100440, uid }, uid))).toEqual([true, true]);
    await writeFile(join(folder, 'raw'), Buffer.alloc(32, 7), { mode: 0o600 });
    expect(fileMasterKey(join(folder, 'raw')).idFor(TENANT)).toMatch(/^file:/);
    await writeFile(join(folder, 'short'), 'AAAA\n', { mode: 0o600 });
    expect(() => fileMasterKey(join(folder, 'short'))).toThrow(/32 bytes/);
    expect(() => fileMasterKey(join(folder, 'absent'))).toThrow(
      /cannot be read: .*lamina encryption create-key .*absent/,
    );
  });

  it('may be a folder that only its owner enters, in which each tenant has a file', async () => {
    const folder = await folderForTest();
    expect(() => createKeyFile(folder, { isAdded: true })).toThrow(/is a folder.*TENANT\.key/);
    await chmod(folder, 0o777);
    expect(() => fileMasterKey(folder)).toThrow(/chmod 700/);
    await chmod(folder, 0o700);
    expect(fileMasterKey(folder).idFor(TENANT)).toMatch(/^file:/);
  });

  it('is changed by wrapping the data keys anew', async () => {
    const folder = await folderForTest();
    const file = join(folder, 'master.key');
    createKeyFile(file);
    await withMemory(folder, fileMasterKey(file), writeCanaries);
    const newId = createKeyFile(file, { isAdded: true });
    await withMemory(folder, fileMasterKey(file), expectAllToWork);
    await withEncryption(folder, fileMasterKey(file), async (encryption) => {
      expect(await encryption.rotateMaster(TENANT)).toBe(2);
      expect(await encryption.rotateMaster(TENANT)).toBe(0);
      const { keys } = await encryption.status(TENANT);
      expect(keys.map(({ masterId }) => masterId)).toEqual([newId, newId]);
    });
  });
});

describe('erasing a tenant', () => {
  it('destroys its keys, and tells whoever holds the master key', async () => {
    const folder = await folderForTest();
    const forgotten: string[] = [];
    const masterKey: MasterKey = { ...memoryMasterKey(), forget: (tenantId) => void forgotten.push(tenantId) };
    await withMemory(folder, masterKey, async (memory, { root }) => {
      await writeCanaries(memory);
      await root.admin.eraseTenant({ tenantId: TENANT });
      expect(forgotten).toEqual([TENANT]);
      await memory.add({ layer: 'user', content: 'A new beginning' });
      expect((await memory.list({ layer: 'user' })).memories).toHaveLength(1);
    });
  });

  it('makes copies of its file unreadable where it has a master key of its own', async () => {
    const folder = await folderForTest();
    const keys = await folderForTest();
    const copy = await folderForTest();
    await withMemory(folder, fileMasterKey(keys), async (memory) => void (await writeCanaries(memory)));
    expect(await readdir(keys)).toEqual([`${TENANT}.key`]);
    await cp(folder, copy, { recursive: true });
    await withMemory(copy, fileMasterKey(keys), expectAllToWork);
    await withMemory(folder, fileMasterKey(keys), (_, { root }) => root.admin.eraseTenant({ tenantId: TENANT }));
    expect(await readdir(keys)).toEqual([]);
    const read = (memory: Memory) => memory.list({ layer: 'user' });
    await expect(withMemory(copy, fileMasterKey(keys), read)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });
});
