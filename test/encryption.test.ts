/** Encryption at rest on SQLite: what the files hold, what still works, and what is refused. */

import { chmod, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { encryptionOver, type DatabaseEncryption } from '../src/compose/encryption.ts';
import { openEngine } from '../src/compose/engines.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { MasterKey } from '../src/ports/master-key.ts';
import { createKeyFile, fileMasterKey } from '../src/sealing/file-master-key.ts';
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

  it('lies in a file that only its owner reads, of 32 bytes or lines of base64', async () => {
    const folder = await folderForTest();
    const file = join(folder, 'master.key');
    createKeyFile(file);
    expect(() => createKeyFile(file)).toThrow(/there already/);
    expect(fileMasterKey(file).idFor(TENANT)).toMatch(/^file:[0-9a-f]{16}$/);
    await chmod(file, 0o640);
    expect(() => fileMasterKey(file)).toThrow(/chmod 600/);
    await writeFile(join(folder, 'raw'), Buffer.alloc(32, 7), { mode: 0o600 });
    expect(fileMasterKey(join(folder, 'raw')).idFor(TENANT)).toMatch(/^file:/);
    await writeFile(join(folder, 'short'), 'AAAA\n', { mode: 0o600 });
    expect(() => fileMasterKey(join(folder, 'short'))).toThrow(/32 bytes/);
    expect(() => fileMasterKey(join(folder, 'absent'))).toThrow(/cannot be read/);
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
