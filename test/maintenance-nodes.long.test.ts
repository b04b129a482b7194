/** Several servers on one database, as processes: one of them does the maintenance, and when it dies another does. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import type { MaintenanceRun } from '../src/domain/maintenance.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import type { Memory } from '../src/operations/memory.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { LaminaProcess } from './lamina-process.ts';
import { describeOnPostgres, execute, freshDatabase } from './postgres-server.ts';

const PATIENCE = { timeout: 30_000, interval: 100 };
const MINUTE = 60_000;

interface Node {
  readonly process: LaminaProcess;
  readonly url: string;
  readonly root: Memory;
}

/** Where all nodes of a test keep their memory. */
interface Place {
  readonly url: string;
  /** Changes a content behind the back of Lamina. */
  tamper(entryId: string): Promise<void>;
  drop(): Promise<void>;
}

function takesTurns(makePlace: (folder: string) => Promise<Place>): void {
  let folder: string;
  let place: Place;
  let embeddings: EmbeddingServer;
  let nodes: Node[] = [];
  const started: LaminaProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-maintenance-'));
    [place, embeddings] = await Promise.all([makePlace(folder), startEmbeddingServer()]);
    nodes = await Promise.all([start(), start()]);
  }, MINUTE);

  afterEach(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map((process) => process.ended()));
    await place?.drop();
    embeddings?.close();
    await rm(folder, { recursive: true });
  });

  async function start(): Promise<Node> {
    const process = new LaminaProcess(['serve', '--port', '0'], folder, {
      LAMINA_DATABASE_URL: place.url,
      // Every second, which nobody would want who does not wait for it.
      LAMINA_MAINTENANCE_SCHEDULE: '* * * * * *',
      LAMINA_EXPIRY_INTERVAL_SECONDS: '1',
      ...embeddings.environment,
    });
    started.push(process);
    const url = await process.listening();
    return { process, url, root: new LaminaClient({ url }).as({ userId: 'root', roles: ['admin'] }) };
  }

  async function leaderAmong(candidates: readonly Node[]): Promise<Node> {
    let leader: Node | undefined;
    const look = async (): Promise<boolean> => {
      for (const node of candidates) {
        const metrics = await (await fetch(`${node.url}/metrics`)).text();
        if (/^lamina_leader(?:\{.*\})? 1/m.test(metrics)) leader = node;
      }
      return leader !== undefined;
    };
    await expect.poll(look, PATIENCE).toBe(true);
    if (leader === undefined) throw new Error('Nobody leads.');
    return leader;
  }

  /** Says the same twice, and waits until one of the two is merged into the other. */
  async function expectMaintained({ root }: Node, name: string): Promise<void> {
    const expiresAt = new Date(Date.now() + 500).toISOString();
    const [first] = await root.addMany([
      { layer: 'user', content: `the ${name} sits in the oak`, importance: 1 },
      { layer: 'user', content: `THE ${name.toUpperCase()} SITS IN THE OAK` },
      { layer: 'user', content: `${name} soon to be forgotten`, expiresAt },
    ]);
    const id = first?.memory.id ?? '';
    const isMerged = async (): Promise<number | undefined> =>
      (await root.get({ id })).memory?.provenance?.mergedFrom?.length;
    await expect.poll(isMerged, PATIENCE).toBe(1);
    const removed = async (): Promise<number> =>
      (await root.maintenance.runs({ job: 'expiry' })).runs.reduce(
        (sum, { counts }) => sum + (counts['removed'] ?? 0),
        0,
      );
    await expect.poll(removed, PATIENCE).toBeGreaterThan(0);
  }

  it(
    'one does it at a time; when it is killed, the other takes over, and finds what was tampered with',
    async () => {
      const leader = await leaderAmong(nodes);
      const other = nodes.find((node) => node !== leader);
      if (other === undefined) throw new Error('There are no two nodes.');
      await expectMaintained(other, 'owl');
      leader.process.child.kill('SIGKILL');
      await leader.process.ended();
      await expectMaintained(other, 'heron');
      expect(await leaderAmong([other])).toBe(other);
      const runsOf = async (): Promise<MaintenanceRun[]> =>
        (await other.root.maintenance.runs({ job: 'deduplication', limit: 100 })).runs;
      // What was merged is to be seen a moment before it is written down.
      const merged = async (): Promise<number> =>
        (await runsOf()).reduce((sum, { counts }) => sum + (counts['merged'] ?? 0), 0);
      await expect.poll(merged, PATIENCE).toBe(2);
      const runs = await runsOf();
      expect(new Set(runs.map(({ trigger }) => trigger))).toEqual(new Set(['schedule']));
      const { memory } = await other.root.add({ layer: 'user', content: 'as it was written' });
      await place.tamper(memory.id);
      const found = async (): Promise<unknown> =>
        (await other.root.maintenance.runs({ job: 'integrity', limit: 1 })).runs[0]?.changes[0];
      const change = { action: 'tampered', entryId: memory.id, toVersion: 1 };
      await expect.poll(found, PATIENCE).toMatchObject(change);
    },
    2 * MINUTE,
  );
}

describe('two nodes on one folder', () => {
  takesTurns(async (folder) => ({
    url: `sqlite:${join(folder, 'data')}`,
    tamper: async (entryId) => {
      const db = new Sqlite(join(folder, 'data', 'tenants', `${NIL_TENANT}.db`));
      db.prepare("UPDATE entries SET content = content || '!' WHERE id = ?").run(entryId);
      db.close();
    },
    drop: async () => {},
  }));
});

describeOnPostgres('two nodes on one PostgreSQL', () => {
  takesTurns(async () => {
    const { url, drop } = await freshDatabase();
    const tamper = (id: string): Promise<void> =>
      execute(url, `UPDATE lamina.entries SET content = content || '!' WHERE id = '${id}'`);
    return { url, tamper, drop };
  });
});
