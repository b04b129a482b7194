/** Erasure on disk: no byte of whoever was erased is left in any file, and no table is forgotten. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeTiers } from './copy-tiers.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

/** Those of the texts that can be read in any file. */
async function readable(folder: string, texts: readonly string[]): Promise<string[]> {
  const found = await tracesIn(
    folder,
    texts.map((text) => new TextEncoder().encode(text)),
  );
  return found.map((bytes) => new TextDecoder().decode(bytes));
}

/** Many people with many words of their own, so that pages split and merge. */
async function crowd(lamina: Lamina, random: SeededRandom): Promise<Map<string, string[]>> {
  const words = new Map<string, string[]>();
  const people = Array.from({ length: 12 }, () => `user-${random.word()}`);
  for (let count = 0; count < 25; count += 1) {
    for (const userId of people) {
      const memory = lamina.as({ userId });
      const own = Array.from({ length: 6 }, () => random.word());
      const [a = '', b = '', c = '', d = '', e = '', f = ''] = own;
      words.set(userId, [...(words.get(userId) ?? [userId]), ...own]);
      const { id } = (await memory.add({ content: a, layer: 'user', metadata: { [b]: c } })).memory;
      if (count % 3 === 0) await memory.update({ id, content: d });
      else words.get(userId)?.splice(words.get(userId)?.indexOf(d) ?? 0, 1);
      await memory.plans.create({ planId: `plan-${e}`, goalEvent: 'goal', goalData: { e } });
      await memory.working.set({ planId: `plan-${e}`, key: 'k', value: f });
    }
  }
  return words;
}

describe('the files', () => {
  it('hold no byte of a user who was erased, while they are open and when they are closed', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const random = new SeededRandom(7);
    const words = await crowd(lamina, random);
    const people = [...words.keys()];
    const gone = people.slice(0, 6);
    const texts = gone.flatMap((userId) => words.get(userId) ?? []);
    // Indexes store only the end of a word that begins like its neighbour.
    const traces = texts.flatMap((text) => [text, text.slice(3)]);
    expect(await readable(folder, texts)).toEqual(texts);
    for (const userId of gone) {
      await lamina.as({ userId }).working.set({ planId: `loose-${userId}`, key: 'k', value: 1 });
      await lamina.as({ userId }).working.clear({ planId: `loose-${userId}` });
      await root.admin.eraseUser({ userId });
    }
    expect(await readable(folder, traces)).toEqual([]);
    await lamina.close();
    expect(await readable(folder, traces)).toEqual([]);
    const kept = people.slice(6).flatMap((userId) => words.get(userId) ?? []);
    expect(await readable(folder, kept)).toEqual(kept);
    // Eight seconds on a machine with nothing else to do.
  }, 60_000);

  it('hold no byte of one of whom there was something of every kind, by the name least of all', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const userId = 'wilhelmina';
    const life = new UserLife(lamina.as({ userId }), userId, 'quokkaquokka');
    await life.live();
    const { key } = await root.keys.create({ name: 'robot', userId });
    await lamina.principalOfKey(key);
    const traces = [userId, 'lhelmina', life.mark, 'okkaquokka', ...life.ids];
    expect((await readable(folder, traces)).length).toBeGreaterThan(4);
    await root.admin.eraseUser({ userId });
    expect(await readable(folder, traces)).toEqual([]);
    await life.assertGone([lamina.as({ userId }), root]);
    await lamina.close();
    expect(await readable(folder, traces)).toEqual([]);
  });

  it('of a tenant are gone, and what outlives it names neither the tenant nor who did it', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const other = lamina.as({ tenantId: '00000000-0000-4000-8000-00000000000b', userId: 'other' });
    await other.add({ content: 'Tea', layer: 'user' });
    expect(existsSync(join(folder, 'system.db'))).toBe(false);
    const life = new UserLife(lamina.as({ userId: 'wilhelmina' }), 'wilhelmina', 'quokkaquokka');
    await life.live();
    await root.add({ content: 'Of the administrator', layer: 'user' });
    await root.admin.eraseTenant({ tenantId: NIL_TENANT });
    const traces = ['wilhelmina', life.mark, 'root', NIL_TENANT, NIL_TENANT.replaceAll('-', '')];
    expect(await readable(folder, traces)).toEqual([]);
    await lamina.close();
    expect(readdirSync(join(folder, 'tenants'))).toEqual(['00000000-0000-4000-8000-00000000000b.db']);
    expect(await readable(folder, traces)).toEqual([]);
    // The receipt is still there for who comes after.
    const next = untilTestEnds(await openLamina({ folder }));
    expect((await next.root.admin.audit({})).entries.map(({ action }) => action)).toEqual(['tenants.erase']);
  });

  it('of a tenant are not made again by looking', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    await root.add({ content: 'Tea', layer: 'user' });
    const erasing = root.admin.eraseTenant({ tenantId: NIL_TENANT });
    const looking = [
      root.list({ layer: 'user' }),
      root.search({ query: 'tea' }),
      root.working.get({ planId: 'p', key: 'k' }),
      root.plans.list({}),
      root.admin.audit({}),
    ];
    const { erasureId } = await erasing;
    await Promise.all(looking);
    await root.admin.verifyErasure({ erasureId, tenantId: NIL_TENANT });
    expect(readdirSync(join(folder, 'tenants'))).toEqual([]);
    expect(await lamina.health()).toMatchObject({ status: 'healthy' });
  });
});

/** What each table is to an erasure. A new table must be thought of here and in sqlite-erasure-parts.ts. */
const TABLES: Record<string, 'counted' | 'goes with what is counted' | 'says nothing of anybody'> = {
  entries: 'counted',
  entry_versions: 'counted',
  embeddings: 'counted',
  events: 'counted',
  state: 'counted',
  plans: 'counted',
  plan_context: 'counted',
  task_context: 'counted',
  sessions: 'counted',
  api_keys: 'counted',
  pools: 'counted',
  contexts: 'counted',
  context_snapshots: 'counted',
  context_accesses: 'counted',
  facts: 'counted',
  maintenance_runs: 'counted',
  users: 'counted',
  audit_log: 'counted',
  partitions: 'goes with what is counted',
  record_links: 'goes with what is counted',
  fact_scopes: 'goes with what is counted',
  entry_text: 'goes with what is counted',
  entry_terms: 'goes with what is counted',
  embedding_codes: 'goes with what is counted',
  // Those of the tenant, for all of its users.
  data_keys: 'says nothing of anybody',
  // Numbers of entries that are gone, which are never used again.
  code_changes: 'says nothing of anybody',
  embedding_spaces: 'says nothing of anybody',
  event_epoch: 'says nothing of anybody',
  record_clock: 'says nothing of anybody',
  state_clock: 'says nothing of anybody',
  schema_migrations: 'says nothing of anybody',
};

it('thinks of every table', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const engine = new SqliteEngine({ folder, clock: systemClock, codes: { minEntries: 1 } });
  const { lamina, root } = untilTestEnds(await openLamina({ folder, engine }));
  const life = new UserLife(lamina.as({ userId: 'u' }), 'u', 'quokka');
  await life.live();
  await makeTiers(engine, { tenantId: NIL_TENANT, userId: 'u' }, systemClock);
  await root.keys.create({ name: 'robot', userId: 'u' });
  await root.delete({ id: life.commonId });
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`), { readonly: true });
  onTestFinished(() => void db.close());
  const names = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name)
    // The tables by which FTS5 keeps its index.
    .filter((name) => !name.startsWith('entry_text_'));
  expect(names.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  const filled = (): string[] =>
    names.filter((name) => TABLES[name] !== 'says nothing of anybody' && db.prepare(`SELECT 1 FROM ${name}`).get());
  // The test itself must have put something everywhere.
  expect(filled().toSorted()).toEqual(names.filter((name) => TABLES[name] !== 'says nothing of anybody').toSorted());
  await root.facts.delete({ factId: life.commonFactId });
  await root.admin.eraseUser({ userId: 'u' });
  await root.admin.eraseUser({ userId: 'root' });
  expect(filled().toSorted()).toEqual(['audit_log', 'maintenance_runs']);
});
