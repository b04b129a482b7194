/** Events and the leader on SQLite, where several processes share a folder; and events from before they had an audience. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const WRITER = fileURLToPath(new URL('sqlite-writer.ts', import.meta.url));
const CANDIDATE = fileURLToPath(new URL('sqlite-candidate.ts', import.meta.url));

it('tells one process what another one wrote', async () => {
  const { folder, lamina } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'writer' });
  const { memory: own } = await memory.add({ content: 'my own', layer: 'user' });
  const { position } = await memory.events.position({});
  const seen: string[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const { memoryId } of memory.events.follow({ after: position, signal: stop.signal }))
      seen.push(memoryId);
  })();
  const other = spawn(process.execPath, [WRITER, folder, 'other', '30'], { stdio: ['pipe', 'ignore', 'inherit'] });
  other.stdin.write('begin\n');
  expect(await once(other, 'exit')).toEqual([0, null]);
  await expect.poll(() => seen.length, { timeout: 15_000 }).toBe(30);
  const { memories } = await memory.list({ layer: 'user', limit: 100 });
  expect([...seen, own.id].toSorted()).toEqual(memories.map(({ id }) => id).toSorted());
  stop.abort();
  await following;
}, 60_000);

it('begins anew where the tenant was erased and came back', async () => {
  const { lamina, root } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'u' });
  for (const content of ['one', 'two', 'three']) await memory.add({ content, layer: 'user' });
  const { position } = await memory.events.position({});
  await root.admin.eraseTenant({ tenantId: NIL_TENANT });
  const { memory: first } = await memory.add({ content: 'a new life', layer: 'user' });
  for await (const { memoryId } of memory.events.follow({ after: position })) {
    expect(memoryId).toBe(first.id);
    break;
  }
});

it('refuses a position that it has not come to, and takes one whose event was erased', async () => {
  const { lamina, root } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'u' });
  await memory.add({ content: 'one', layer: 'user' });
  const { position } = await memory.events.position({});
  const [epoch, seq] = position.split('.');
  const first = async (after: string): Promise<unknown> => {
    for await (const event of memory.events.follow({ after, signal: AbortSignal.timeout(50) })) return event;
    return undefined;
  };
  const ahead = `${epoch}.${Number(seq) + 1}`;
  await expect(first(ahead)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: /no position of this/ });
  await root.admin.eraseUser({ userId: 'u' });
  await expect(first(position)).resolves.toBeUndefined();
});

it('shows events from before they had an audience to those who may see the memory, and else to nobody', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const kept: string[] = [];
  {
    await using lamina = (await openLamina({ folder })).lamina;
    for (const userId of ['alice', 'bob']) {
      const memory = lamina.as({ userId });
      kept.push((await memory.add({ content: `private to ${userId}`, layer: 'user' })).memory.id);
      kept.push((await memory.add({ content: `shared by ${userId}`, layer: 'company' })).memory.id);
      await memory.delete({ id: (await memory.add({ content: 'gone', layer: 'company' })).memory.id });
    }
  }
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
  db.exec(`
    ALTER TABLE events DROP COLUMN audience;
    ALTER TABLE events DROP COLUMN agent_id;
    DROP TABLE event_epoch;
    DELETE FROM schema_migrations WHERE number IN (3, 16)`);
  db.close();
  const engine = new SqliteEngine({ folder, clock: systemClock });
  const seenBy = async (userId: string): Promise<string[]> =>
    (await engine.events.read({ tenantId: NIL_TENANT, userId }, undefined, 100)).items.map(({ memoryId }) => memoryId);
  const [ofAlice, byAlice, ofBob, byBob] = kept;
  expect(await seenBy('alice')).toEqual([ofAlice, byAlice, byBob]);
  expect(await seenBy('bob')).toEqual([byAlice, ofBob, byBob]);
  expect(await seenBy('carol')).toEqual([byAlice, byBob]);
  await engine.close();
});

function candidate(folder: string): ChildProcess & { isLeader: boolean } {
  const child = spawn(process.execPath, [CANDIDATE, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const state = Object.assign(child, { isLeader: false });
  child.stdout?.on('data', (text: Buffer) => (state.isLeader = text.toString().trim().endsWith('leads')));
  onTestFinished(() => void child.kill('SIGKILL'));
  return state;
}

it('has one leader per folder, and another one when that is killed', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const [first, second] = [candidate(folder), candidate(folder)];
  await expect.poll(() => first.isLeader || second.isLeader, { timeout: 20_000 }).toBe(true);
  const [leader, other] = first.isLeader ? [first, second] : [second, first];
  // While the lock is held nobody else gets it.
  const engine = new SqliteEngine({ folder, clock: systemClock });
  const campaign = engine.leadership.campaign(() => new Promise(() => {}));
  expect(campaign.isLeader).toBe(false);
  expect(other.isLeader).toBe(false);
  await campaign.stop();
  await engine.close();
  leader.kill('SIGKILL');
  await expect.poll(() => other.isLeader, { timeout: 20_000 }).toBe(true);
}, 60_000);

it('steps down when it is told to, once the work has ended, and gives the lead to whoever waits', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const engines = [1, 2].map(() => new SqliteEngine({ folder, clock: systemClock }));
  let hasEnded = false;
  const [first, second] = engines.map(({ leadership }) =>
    leadership.campaign(async (signal) => {
      await once(signal, 'abort');
      await new Promise((resolve) => setTimeout(resolve, 50));
      hasEnded = true;
    }),
  );
  if (!first || !second) throw new Error('unreachable');
  await expect.poll(() => first.isLeader !== second.isLeader).toBe(true);
  const [leader, other] = first.isLeader ? [first, second] : [second, first];
  await leader.stop();
  expect([leader.isLeader, hasEnded]).toEqual([false, true]);
  await expect.poll(() => other.isLeader, { timeout: 5000 }).toBe(true);
  for (const engine of engines) await engine.close();
  expect(other.isLeader).toBe(false);
});
