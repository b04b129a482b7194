/** Encryption at rest on PostgreSQL: what a dump of all tables holds, and changing keys while two nodes write. */

import { expect, it } from 'vitest';
import { encryptionOver } from '../src/compose/encryption.ts';
import { openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { MasterKey } from '../src/ports/master-key.ts';
import { isSealedEngine, type SealedEngine } from '../src/sealing/sealed-engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { memoryMasterKey } from './master-key.ts';
import { connect, describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { untilTestEnds } from './running-lamina.ts';
import { CANARIES, writeCanaries } from './sealed-content.ts';

const TENANT = '00000000-0000-0000-0000-000000000000';
const ALICE = { userId: 'alice' };

async function openSealed(databaseUrl: string, masterKey: MasterKey): Promise<SealedEngine> {
  const engine = await openEngine({ databaseUrl, masterKey });
  if (!isSealedEngine(engine)) throw new Error('It is not sealed.');
  return engine;
}

async function databaseForTest(): Promise<string> {
  const { url, drop } = await freshDatabase();
  untilTestEnds({ close: drop });
  return url;
}

/** Every row of every table. */
async function dumpOf(url: string): Promise<string> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lamina'`,
    );
    let dump = '';
    for (const { name } of rows) {
      dump += JSON.stringify((await client.query(`SELECT t::text FROM lamina.${name} t`)).rows);
    }
    return dump;
  } finally {
    await client.end();
  }
}

function canariesIn(dump: string): string[] {
  return CANARIES.filter((canary) => dump.includes(canary));
}

async function expectAllToWork(memory: Memory): Promise<void> {
  const { results } = await memory.search({ query: 'zorblax', mode: 'keyword' });
  expect(results.map((result) => result.memory.content)).toEqual(['The zorblax is in the harbour']);
  const filters = [{ tags: ['trazzeloth'] }, { custom: { quendril: 'mivvokant', plain: 1 } }];
  for (const filter of filters) expect((await memory.list({ layer: 'user', filter })).memories).toHaveLength(1);
  expect((await memory.facts.list({ subject: 'ombrithel' })).facts).toMatchObject([{ object: 'fentavoss' }]);
  expect(await memory.plans.get({ planId: 'p1' })).toMatchObject({ goalData: { goal: 'hullberant' } });
}

describeOnPostgres('encryption on PostgreSQL', () => {
  it('leaves nothing to be read in any table, and refuses who has no key', { timeout: 60_000 }, async () => {
    const url = await databaseForTest();
    const masterKey = memoryMasterKey();
    const lamina = await Lamina.open({ database: url, masterKey, embedder: new HashEmbedder() });
    await writeCanaries(lamina.as(ALICE));
    await expectAllToWork(lamina.as(ALICE));
    await lamina.close();
    expect(canariesIn(await dumpOf(url))).toEqual([]);
    await expect(openEngine({ databaseUrl: url })).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });

  it('refuses everything to a process without the key once another one seals', { timeout: 60_000 }, async () => {
    const url = await databaseForTest();
    const lamina = untilTestEnds(await Lamina.open({ database: url, embedder: new HashEmbedder() }));
    const memory = lamina.as(ALICE);
    const { id } = await writeCanaries(memory);
    expect(await lamina.health()).toMatchObject({ status: 'healthy' });
    const masterKey = memoryMasterKey();
    const encryption = untilTestEnds(encryptionOver(await openSealed(url, masterKey)));
    await encryption.seal(TENANT);
    expect(await lamina.health()).toMatchObject({ status: 'unhealthy' });
    const calls = [
      () => memory.get({ id }),
      () => memory.update({ id, metadata: { other: 1 } }),
      () => memory.add({ layer: 'user', content: 'Something plain' }),
      () => memory.working.set({ planId: 'p1', key: 'k', value: 2 }),
      () => memory.search({ query: 'zorblax' }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    const sealed = untilTestEnds(await Lamina.open({ database: url, masterKey, embedder: new HashEmbedder() }));
    await expectAllToWork(sealed.as(ALICE));
  });

  it('seals what was there before', { timeout: 60_000 }, async () => {
    const url = await databaseForTest();
    const masterKey = memoryMasterKey();
    const before = await Lamina.open({ database: url, embedder: new HashEmbedder() });
    await writeCanaries(before.as(ALICE));
    await before.close();
    expect(canariesIn(await dumpOf(url))).not.toEqual([]);
    const lamina = untilTestEnds(await Lamina.open({ database: url, masterKey, embedder: new HashEmbedder() }));
    await expectAllToWork(lamina.as(ALICE));
    const encryption = untilTestEnds(encryptionOver(await openSealed(url, masterKey)));
    expect(await encryption.seal(TENANT)).toBeGreaterThan(5);
    expect(await encryption.seal(TENANT)).toBe(0);
    expect(canariesIn(await dumpOf(url))).toEqual([]);
    await expectAllToWork(lamina.as(ALICE));
  });

  it('changes keys while two nodes write, and loses nothing', { timeout: 120_000 }, async () => {
    const url = await databaseForTest();
    const masterKey = memoryMasterKey();
    const nodes: Lamina[] = [];
    for (let node = 0; node < 2; node += 1) {
      nodes.push(untilTestEnds(await Lamina.open({ database: url, masterKey, embedder: new HashEmbedder() })));
    }
    await nodes[0]?.as(ALICE).add({ layer: 'user', content: 'The first of all' });
    const load = { isOver: false };
    const acknowledged = new Map<string, string>();
    let increments = 0;
    const write = async (memory: Memory, name: string): Promise<void> => {
      for (let round = 0; !load.isOver; round += 1) {
        const { memory: entry } = await memory.add({ layer: 'user', content: `${name} wrote line ${round}` });
        acknowledged.set(entry.id, entry.content);
        await memory.update({ id: entry.id, metadata: { round } });
        await memory.working.increment({ planId: 'p', key: 'count', by: 1 });
        increments += 1;
        const [id = '', content] = [...acknowledged][Math.floor(acknowledged.size / 2)] ?? [];
        expect((await memory.get({ id })).memory?.content).toBe(content);
      }
    };
    const running = nodes.flatMap((node, index) => [0, 1].map((writer) => write(node.as(ALICE), `${index} ${writer}`)));
    const encryption = untilTestEnds(encryptionOver(await openSealed(url, masterKey), { graceMs: 15_000 }));
    const { destroyed } = await encryption.rotate(TENANT).finally(() => (load.isOver = true));
    await Promise.all(running);
    expect(destroyed).toHaveLength(1);
    const { keys, collections } = await encryption.status(TENANT);
    const current = keys.find(({ purpose }) => purpose === 'data')?.id;
    for (const { plain, sealed } of Object.values(collections))
      expect([plain, Object.keys(sealed)]).toEqual([0, [current]]);
    for (const node of nodes) {
      for (const [id, content] of acknowledged)
        expect((await node.as(ALICE).get({ id })).memory?.content).toBe(content);
      expect((await node.as(ALICE).working.get({ planId: 'p', key: 'count' }))?.value).toBe(increments);
    }
  });
});
