/** Several servers on one PostgreSQL database, as processes: what one does the others know, and one of them leads. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { LaminaProcess } from './lamina-process.ts';
import { connect, describeOnPostgres, freshDatabase, type FreshDatabase } from './postgres-server.ts';
import { Listener } from './server-sent-events.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };
const PLACE = { planId: 'plan', key: 'value' };

interface Node {
  readonly process: LaminaProcess;
  readonly url: string;
  readonly client: LaminaClient;
}

describeOnPostgres('two nodes on one database', () => {
  let database: FreshDatabase;
  let embeddings: EmbeddingServer;
  let admin: Client;
  let folder: string;
  let nodes: Node[] = [];
  /** Also those that never came to listen. */
  const started: LaminaProcess[] = [];

  async function start(): Promise<Node> {
    const environment = { LAMINA_DATABASE_URL: database.url, ...embeddings.environment };
    const process = new LaminaProcess(['serve', '--port', '0'], folder, environment);
    started.push(process);
    const url = await process.listening();
    const node = { process, url, client: new LaminaClient({ url, principal: { userId: 'u' } }) };
    nodes.push(node);
    return node;
  }

  async function kill(node: Node): Promise<void> {
    nodes = nodes.filter((each) => each !== node);
    node.process.child.kill('SIGKILL');
    await node.process.ended();
  }

  const pair = (): [Node, Node] => {
    const [a, b] = nodes;
    if (!a || !b) throw new Error('There are no two nodes.');
    return [a, b];
  };

  async function listening(node: Node): Promise<Listener> {
    const listener = new Listener(`${node.url}/v1/memory/events`, { 'X-User-ID': 'u' });
    await listener.until(({ lastId }) => lastId !== undefined);
    return listener;
  }

  const add = async ({ client }: Node, content: string): Promise<string> =>
    (await client.as().add({ content, layer: 'user' })).memory.id;

  const idsHeard = ({ events }: Listener): string[] => events.map(({ data }) => data.memory_id);

  async function isLeader({ url }: Node): Promise<boolean> {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const value = /^lamina_leader(?:\{.*\})? (\d)/m.exec(metrics)?.[1];
    if (value === undefined) throw new Error(`There is no gauge of the leader:\n${metrics}`);
    return value === '1';
  }

  const leaders = async (): Promise<Node[]> => {
    const are = await Promise.all(nodes.map(isLeader));
    return nodes.filter((_, index) => are[index]);
  };

  /** Those that listen for hints. */
  const listeningPids = async (): Promise<number[]> =>
    (
      await admin.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
      )
    ).rows.map(({ pid }) => pid);

  /** Those that hold the lock of the leader. */
  const lockingPids = async (): Promise<number[]> =>
    (
      await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
    ).rows.map(({ pid }) => pid);

  beforeAll(async () => {
    [database, embeddings] = await Promise.all([freshDatabase(), startEmbeddingServer()]);
    admin = await connect(database.url);
    folder = await mkdtemp(join(tmpdir(), 'lamina-nodes-'));
    await Promise.all([start(), start()]);
  }, 120_000);

  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map((process) => process.ended()));
    await admin?.end();
    await database?.drop();
    embeddings?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  it('what is written by one reaches a subscriber of the other, each event once', async () => {
    const [a, b] = pair();
    const listener = await listening(b);
    const written: string[] = [];
    for (let n = 0; n < 20; n += 1) written.push(await add(a, `told ${n}`));
    await listener.until(({ events }) => events.length >= 20);
    expect(idsHeard(listener)).toEqual(written);
    listener.close();
  }, 60_000);

  it('nothing is lost or doubled while the connection that listens is cut again and again', async () => {
    const [a, b] = pair();
    const listener = await listening(b);
    const written: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await expect.poll(async () => (await listeningPids()).length, PATIENCE).toBeGreaterThan(0);
      for (let n = 0; n < 10; n += 1) {
        written.push(await add(a, `round ${round}, number ${n}`));
        if (n === 4)
          await admin.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [await listeningPids()]);
      }
      await listener.until(({ events }) => events.length >= written.length);
      expect(idsHeard(listener)).toEqual(written);
    }
    listener.close();
    // Listening again, and not just looking now and then.
    await expect.poll(async () => (await listeningPids()).length, PATIENCE).toBeGreaterThan(0);
  }, 120_000);

  it('a subscriber that moves from one to the other goes on where it was', async () => {
    const [a, b] = pair();
    const first = await listening(a);
    const before = await add(b, 'before the move');
    await first.until(({ events }) => events.length === 1);
    first.close();
    const between = await add(a, 'during the move');
    const second = new Listener(`${b.url}/v1/memory/events`, { 'X-User-ID': 'u', 'Last-Event-ID': first.lastId ?? '' });
    const after = await add(a, 'after the move');
    await second.until(({ events }) => events.length >= 2);
    expect([...idsHeard(first), ...idsHeard(second)]).toEqual([before, between, after]);
    second.close();
  }, 60_000);

  it('working memory is read at once where it was not written', async () => {
    const [a, b] = pair();
    for (let round = 0; round < 25; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [a, b] : [b, a];
      // Held in memory, should anybody do that.
      await reader.client.as().working.get(PLACE);
      const written = await writer.client.as().working.set({ ...PLACE, value: round });
      expect(await reader.client.as().working.get(PLACE)).toEqual(written);
      const counted = await reader.client.as().working.increment(PLACE);
      expect((await writer.client.as().working.get(PLACE))?.value).toBe(counted.value);
    }
  }, 60_000);

  it('one of them leads; when it is killed, the other does, and has heard all that was acknowledged', async () => {
    await expect.poll(async () => (await leaders()).length, PATIENCE).toBe(1);
    const [leader] = await leaders();
    const other = nodes.find((node) => node !== leader);
    if (!leader || !other) throw new Error('There are no two nodes.');
    const listener = await listening(other);
    const acknowledged: string[] = [];
    const writing = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; ; n += 1) acknowledged.push(await add(leader, `writer ${writer}, number ${n}`));
    });
    await listener.until(({ events }) => events.length >= 20);
    await kill(leader);
    await Promise.allSettled(writing);
    const wasHeard = (): boolean => acknowledged.every((id) => idsHeard(listener).includes(id));
    await expect.poll(wasHeard, PATIENCE).toBe(true);
    const heard = idsHeard(listener);
    expect(new Set(heard).size).toBe(heard.length);
    await expect.poll(() => isLeader(other), PATIENCE).toBe(true);
    listener.close();
    // A new node does not take the lead from it.
    const third = await start();
    expect([await isLeader(other), await isLeader(third)]).toEqual([true, false]);
  }, 120_000);

  it('a leader whose session is cut off leads no more, until it or another does again', async () => {
    await expect.poll(async () => (await leaders()).length, PATIENCE).toBe(1);
    const before = await lockingPids();
    expect(before).toHaveLength(1);
    await admin.query('SELECT pg_terminate_backend($1)', before);
    // Whoever has the lock now is not the one of before, who would otherwise lead beside it.
    const others = async (): Promise<number[]> => (await lockingPids()).filter((pid) => !before.includes(pid));
    await expect.poll(async () => (await others()).length, PATIENCE).toBe(1);
    await expect.poll(async () => (await leaders()).length, PATIENCE).toBe(1);
  }, 60_000);
});
