/** Erasure in PostgreSQL: no row of any table says anything of whoever was erased, also while everybody writes. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NOTHING_COUNTED } from '../src/domain/erasure.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import type { Memory } from '../src/operations/memory.ts';
import { listed } from '../src/testing/contract-assertions.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { until, Writer } from './erasure-writer.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { pgliteUnderTest, type PostgresDatabaseUnderTest } from './postgres-subject.ts';

const [inProcess, onServer] = [await pgliteUnderTest(), await serverUnderTest()];

const LOAD_TIMEOUT_MS = 60_000;

interface Opened {
  readonly lamina: Lamina;
  /** The memory of an administrator. */
  readonly root: Memory;
}

async function open(database: PostgresDatabaseUnderTest): Promise<Opened> {
  const engine = await database.open(systemClock);
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  onTestFinished(() => lamina.close());
  return { lamina, root: lamina.as({ userId: 'root', roles: ['admin'] }) };
}

/** Those of the texts that stand in any row of any table, whoever may see it, with the name of the table. */
async function readable({ driver }: PostgresDatabaseUnderTest, texts: readonly string[]): Promise<string[]> {
  const connection = await driver.reserve();
  try {
    const { rows: tables } = await connection.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lamina'",
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await connection.query<{ text: string }>(`SELECT t::text AS text FROM lamina.${name} t`);
      const all = rows.map(({ text }) => text).join('\n');
      found.push(...texts.filter((text) => all.includes(text)).map((text) => `${name}: ${text}`));
    }
    return found;
  } finally {
    connection.release();
  }
}

function erasures(database: PostgresDatabaseUnderTest): void {
  it('leaves no row that names a user of whom there was something of every kind', async () => {
    const { lamina, root } = await open(database);
    const userId = 'wilhelmina';
    const life = new UserLife(lamina.as({ userId }), userId, 'quokkaquokka');
    await life.live();
    const { key } = await root.keys.create({ name: 'robot', userId });
    await lamina.principalOfKey(key);
    const admin = lamina.as({ userId, roles: ['admin'] });
    await admin.keys.create({ name: 'of an administrator', userId: 'root' });
    const traces = [userId, life.mark, ...life.ids];
    expect((await readable(database, traces)).length).toBeGreaterThan(30);
    const { counts } = await root.admin.eraseUser({ userId });
    // The log names who made the key.
    expect(counts).toEqual({ ...life.expected, apiKeys: 1, mentions: life.expected.mentions + 1 });
    expect(await readable(database, traces)).toEqual([]);
    await life.assertGone([lamina.as({ userId }), root]);
  });

  it('leaves no row of a tenant, and what outlives it names neither the tenant nor who did it', async () => {
    const { lamina, root } = await open(database);
    const other = lamina.as({ tenantId: '00000000-0000-4000-8000-00000000000b', userId: 'other' });
    await other.add({ content: 'Tea', layer: 'user' });
    const life = new UserLife(lamina.as({ userId: 'wilhelmina' }), 'wilhelmina', 'quokkaquokka');
    await life.live();
    await root.add({ content: 'Of the administrator', layer: 'user' });
    await root.admin.eraseTenant({ tenantId: NIL_TENANT });
    expect(await readable(database, ['wilhelmina', life.mark, 'root', NIL_TENANT, ...life.ids])).toEqual([]);
    expect((await root.admin.audit({})).entries.map(({ action }) => action)).toEqual(['tenants.erase']);
    expect(await listed(other, { layer: 'user' })).toEqual(['Tea']);
  });

  it('strikes a name out of many entries and events of others', async () => {
    const { lamina, root } = await open(database);
    const memory = lamina.as({ userId: 'wilhelmina' });
    const identifiers = { projectId: 'atlas', userId: 'wilhelmina' };
    const contents = Array.from({ length: 300 }, (_, n) => ({
      content: `Note ${n}`,
      layer: 'project' as const,
      identifiers,
    }));
    await memory.addMany(contents);
    const { counts } = await root.admin.eraseUser({ userId: 'wilhelmina' });
    expect(counts).toEqual({ ...NOTHING_COUNTED, users: 1, mentions: 600 });
    expect(await readable(database, ['wilhelmina'])).toEqual([]);
    const project = { layer: 'project', identifiers: { projectId: 'atlas' } } as const;
    expect((await root.list({ ...project, limit: 10 })).memories).toHaveLength(10);
  });

  it('of one tenant by several at once counts everything once', async () => {
    const { root } = await open(database);
    await root.add({ content: 'Tea', layer: 'user' });
    const erase = (): ReturnType<Memory['admin']['eraseTenant']> => root.admin.eraseTenant({ tenantId: NIL_TENANT });
    const receipts = await Promise.all([erase(), erase(), erase()]);
    expect(receipts.reduce((sum, { counts }) => sum + counts.entries, 0)).toBe(1);
    expect((await root.admin.audit({})).count).toBe(3);
  });
}

/** On a server only: in one process everything takes turns. */
function erasuresUnderLoad(database: PostgresDatabaseUnderTest): void {
  it(
    'of a user under load loses nothing of others, and nothing of the user stays',
    async () => {
      const { lamina, root } = await open(database);
      const memories = { alice: lamina.as({ userId: 'alice' }), bob: lamina.as({ userId: 'bob' }) };
      await memories.alice.addMany(
        Array.from({ length: 450 }, (_, n) => ({ content: `alice before ${n}`, layer: 'user' as const })),
      );
      const bob = new Writer(memories.bob, 'bob');
      const alice = new Writer(memories.alice, 'alice');
      await until(() => alice.acknowledged.length > 5 && bob.acknowledged.length > 5);
      alice.isErasing = true;
      const receipt = await root.admin.eraseUser({ userId: 'alice' });
      await Promise.all([alice.stop(), bob.stop()]);
      expect([...alice.refused, ...bob.refused]).toEqual([]);
      const before = alice.acknowledged.filter(({ isBefore }) => isBefore).map(({ content }) => content);
      expect(receipt.counts.entries).toBeGreaterThanOrEqual(450 + before.length);
      const left = new Set(await listed(memories.alice, { layer: 'user' }));
      expect(before.filter((content) => left.has(content))).toEqual([]);
      expect([...left].filter((content) => content.startsWith('alice before'))).toEqual([]);
      const again = await root.admin.eraseUser({ userId: 'alice' });
      // Everything that was acknowledged was counted once, whichever erasure it met.
      expect(receipt.counts.entries + again.counts.entries).toBe(450 + alice.acknowledged.length);
      expect(await root.admin.verifyErasure({ erasureId: receipt.erasureId, userId: 'alice' })).toMatchObject({
        verified: true,
        remaining: NOTHING_COUNTED,
      });
      const kept = await listed(memories.bob, { layer: 'user' });
      expect(kept.toSorted()).toEqual(bob.acknowledged.map(({ content }) => content).toSorted());
    },
    LOAD_TIMEOUT_MS,
  );

  it(
    'of a tenant under load lets every write finish, before or after',
    async () => {
      const { lamina, root } = await open(database);
      const memory = lamina.as({ userId: 'alice' });
      const writer = new Writer(memory, 'alice');
      let counted = 0;
      for (let round = 0; round < 3; round += 1) {
        const seen = writer.acknowledged.length;
        await until(() => writer.acknowledged.length > seen + 5);
        counted += (await root.admin.eraseTenant({ tenantId: NIL_TENANT })).counts.entries;
      }
      await writer.stop();
      expect(writer.refused).toEqual([]);
      counted += (await root.admin.eraseTenant({ tenantId: NIL_TENANT })).counts.entries;
      expect(counted).toBe(writer.acknowledged.length);
    },
    LOAD_TIMEOUT_MS,
  );
}

describe('in this process', () => {
  erasures(inProcess);
});
describeOnPostgres('on a server', () => {
  if (onServer === undefined) return;
  erasures(onServer);
  erasuresUnderLoad(onServer);
});
