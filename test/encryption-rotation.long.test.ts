/** Changing data keys under load: two processes' worth of engines on one folder, of which neither is told anything. */

import { describe, expect, it } from 'vitest';
import { encryptionOver } from '../src/compose/encryption.ts';
import { openEngine } from '../src/compose/engines.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { MasterKey } from '../src/ports/master-key.ts';
import { isSealedEngine, type SealedEngine } from '../src/sealing/sealed-engine.ts';
import { memoryMasterKey } from './master-key.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '00000000-0000-0000-0000-000000000000';
const WRITERS = 3;

async function openSealed(folder: string, masterKey: MasterKey): Promise<SealedEngine> {
  const engine = await openEngine({ databaseUrl: `sqlite:${folder}`, masterKey });
  if (!isSealedEngine(engine)) throw new Error('It is not sealed.');
  return engine;
}

/** Writes and reads until it is told to stop; what was acknowledged. */
async function load(memory: Memory, name: string, isOver: () => boolean): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  for (let round = 0; !isOver() || round === 0; round += 1) {
    const content = `${name} wrote line ${round}`;
    const { memory: entry } = await memory.add({ layer: 'user', content });
    acknowledged.set(entry.id, content);
    await memory.update({ id: entry.id, metadata: { round } });
    await memory.working.increment({ planId: 'p', key: 'count', by: 1 });
    await memory.working.set({ planId: 'p', key: `${name} ${round % 5}`, value: content });
    const [id, expected] = [...acknowledged][Math.floor(acknowledged.size / 2)] ?? [];
    expect((await memory.get({ id: id ?? '' })).memory?.content).toBe(expected);
    expect((await memory.search({ query: content, mode: 'keyword' })).results.length).toBeGreaterThan(0);
  }
  return acknowledged;
}

describe('rotating data keys', () => {
  it('fails no call, loses no write, and leaves nothing under the old keys', { timeout: 120_000 }, async () => {
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const masterKey = memoryMasterKey();
    const nodes = await Promise.all([openLamina({ folder, masterKey }), openLamina({ folder, masterKey })]);
    for (const node of nodes) untilTestEnds(node);
    const memories = nodes.map(({ lamina }) => lamina.as({ userId: 'alice' }));
    await memories[0]?.add({ layer: 'user', content: 'The first of all' });
    let isOver = false;
    const running = memories.flatMap((memory, node) =>
      Array.from({ length: WRITERS }, (_, writer) => load(memory, `writer ${node} ${writer}`, () => isOver)),
    );
    const engine = await openSealed(folder, masterKey);
    // Longer than processes go on with a key that they know.
    const encryption = untilTestEnds(encryptionOver(engine, { graceMs: 15_000 }));
    const first = await encryption.status(TENANT);
    const { destroyed, resealed } = await encryption.rotate(TENANT).finally(() => (isOver = true));
    const acknowledged = await Promise.all(running);
    expect(resealed).toBeGreaterThan(0);
    const before = first.keys.find(({ purpose }) => purpose === 'data');
    expect(destroyed).toEqual([before?.id]);
    const { keys, collections } = await encryption.status(TENANT);
    expect(keys.filter(({ purpose }) => purpose === 'data')).toHaveLength(1);
    for (const { plain, sealed } of Object.values(collections)) {
      expect([plain, Object.keys(sealed)]).toEqual([0, [keys.find(({ purpose }) => purpose === 'data')?.id]]);
    }
    const written = acknowledged.flatMap((each) => [...each]);
    for (const memory of memories) {
      for (const [id, content] of written) expect((await memory.get({ id })).memory?.content).toBe(content);
      const count = await memory.working.get({ planId: 'p', key: 'count' });
      expect(count?.value).toBe(written.length);
    }
  });

  it('goes on where it was stopped', { timeout: 60_000 }, async () => {
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const masterKey = memoryMasterKey();
    const { lamina, close } = await openLamina({ folder, masterKey });
    const memory = lamina.as({ userId: 'alice' });
    for (let index = 0; index < 150; index += 1) await memory.add({ layer: 'user', content: `Line ${index}` });
    await close();
    const stop = new AbortController();
    const engine = await openSealed(folder, masterKey);
    const stopped = encryptionOver(engine, { graceMs: 0, signal: stop.signal, told: () => stop.abort() });
    await expect(stopped.rotate(TENANT)).rejects.toThrow();
    expect((await stopped.status(TENANT)).keys).toHaveLength(3);
    await stopped.close();
    const encryption = encryptionOver(await openSealed(folder, masterKey), { graceMs: 0 });
    expect(await encryption.rotate(TENANT)).toMatchObject({ resealed: 50 });
    expect((await encryption.status(TENANT)).keys).toHaveLength(2);
    await encryption.close();
  });
});
