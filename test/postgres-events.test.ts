/** The event log on PostgreSQL where transactions commit in another order than they began in. */

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import type { Event } from '../src/domain/event.ts';
import { MOST_NOTED } from '../src/engines/postgres/postgres-event-log.ts';
import {
  afterEvent,
  assertReached,
  positionOf,
  positionOfSnapshot,
  textOf,
} from '../src/engines/postgres/postgres-position.ts';
import type { EventLog } from '../src/ports/event-log.ts';
import type { Upkeep } from '../src/ports/upkeep.ts';
import { OTHER_TENANT, TENANT } from '../src/testing/engine-subject.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { connect, describeOnPostgres } from './postgres-server.ts';
import { serverUnderTest } from './postgres-server-subject.ts';

const INSERT = `
  INSERT INTO lamina.events (tenant_id, type, entry_id, version, actor_id, at) VALUES ($1, 'created', $2, 1, 'u', 0)`;

const server = await serverUnderTest();

const idsOf = (events: readonly Event[]): string[] => events.map(({ memoryId }) => memoryId);

async function readAll(log: EventLog, after: string, limit: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let position = after; ;) {
    const page = await log.read(TENANT, position, limit);
    events.push(...page.items);
    ({ position } = page);
    if (page.items.length < limit) return events;
  }
}

describeOnPostgres('the event log', () => {
  let log: EventLog;
  let upkeep: Upkeep;
  let close: () => Promise<void>;
  const writers: Client[] = [];

  beforeAll(async () => {
    if (!server) throw new Error('There is no server.');
    const engine = await server.open(systemClock);
    ({ events: log, upkeep } = engine);
    close = () => engine.close();
    for (let n = 0; n < 5; n += 1) writers.push(await connect(server.url));
    await writers[0]?.query('INSERT INTO lamina.tenants (id, created_at) VALUES ($1, 0)', [TENANT.tenantId]);
  });
  afterAll(async () => {
    for (const writer of writers) await writer.end();
    await close();
  });

  const writer = (index: number): Client => {
    const found = writers[index];
    if (!found) throw new Error('There are not so many.');
    return found;
  };

  async function write(index: number): Promise<string> {
    const id = randomUUID();
    await writer(index).query(INSERT, [TENANT.tenantId, id]);
    return id;
  }

  it('gives what commits early at once, and what commits late later', async () => {
    const start = await log.head(TENANT);
    await writer(0).query('BEGIN');
    const late = await write(0);
    const early = await write(1);
    const first = await log.read(TENANT, start, 10);
    expect(idsOf(first.items)).toEqual([early]);
    expect((await log.read(TENANT, first.position, 10)).items).toEqual([]);
    const between = await log.head(TENANT);
    await writer(0).query('COMMIT');
    for (const after of [first.position, first.items[0]?.id, between]) {
      expect(idsOf((await log.read(TENANT, after, 10)).items)).toEqual([late]);
    }
    expect(idsOf((await log.read(TENANT, start, 10)).items)).toEqual([late, early]);
    await expect(log.read(TENANT, '999999999999', 10)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('is pruned behind what is under way, and tells exactly whoever has missed something', async () => {
    await write(1);
    const old = await log.head(TENANT);
    await writer(0).query('BEGIN');
    await writer(0).query('SELECT pg_current_xact_id()');
    await write(1);
    const [read] = (await log.read(TENANT, old, 10)).items;
    await writer(2).query('BEGIN');
    await write(2);
    await write(1);
    const late = (await log.read(TENANT, read?.id, 10)).items.at(-1);
    await writer(2).query('COMMIT');
    while ((await upkeep.pruneEvents(TENANT.tenantId, 1, 1000)) > 0);
    expect((await log.read(TENANT, read?.id, 10)).items).toHaveLength(2);
    await writer(0).query('ROLLBACK');
    const all = await log.head(TENANT);
    const left = async (): Promise<number> => {
      await upkeep.pruneEvents(TENANT.tenantId, 1, 1000);
      return (await log.read(TENANT, undefined, 10)).items.length;
    };
    await expect.poll(left).toBe(0);
    const refused = { code: 'VALIDATION_FAILED', message: expect.stringContaining('older than what is kept') };
    for (const position of [old, read?.id, late?.id])
      await expect(log.read(TENANT, position, 10)).rejects.toMatchObject(refused);
    const next = await write(1);
    expect(idsOf((await log.read(TENANT, all, 10)).items)).toEqual([next]);
  });

  it('does not take a transaction that wrote nothing for one whose events are gone', async () => {
    await writer(0).query('BEGIN');
    await writer(0).query('SELECT pg_current_xact_id()');
    await write(1);
    const position = await log.head(TENANT);
    expect(positionOf(position).underWay).not.toEqual([]);
    await writer(0).query('ROLLBACK');
    const left = async (): Promise<number> => {
      await upkeep.pruneEvents(TENANT.tenantId, 1, 1000);
      return (await log.read(TENANT, undefined, 10)).items.length;
    };
    await expect.poll(left).toBe(0);
    expect((await log.read(TENANT, position, 10)).items).toEqual([]);
  });

  it('nor one that is older than everything that ever went, while all of that is known', async () => {
    const { tenantId } = OTHER_TENANT;
    await writer(1).query('INSERT INTO lamina.tenants (id, created_at) VALUES ($1, 0)', [tenantId]);
    const isRefused = (position: string): Promise<boolean> =>
      log.read(OTHER_TENANT, position, 10).then(
        () => false,
        () => true,
      );
    await writer(0).query('BEGIN');
    await writer(0).query('SELECT pg_current_xact_id()');
    await writer(1).query(INSERT, [tenantId, randomUUID()]);
    const position = await log.head(OTHER_TENANT);
    await writer(0).query('ROLLBACK');
    const prune = (): Promise<number> => upkeep.pruneEvents(tenantId, 1, 1000);
    await expect.poll(prune).toBe(1);
    expect(await isRefused(position)).toBe(false);
    for (let n = 0; n < MOST_NOTED; n += 1) await writer(1).query(INSERT, [tenantId, randomUUID()]);
    const pruned = async (): Promise<number> => {
      await prune();
      return (await log.read(OTHER_TENANT, undefined, 10)).items.length;
    };
    await expect.poll(pruned).toBe(0);
    expect(await isRefused(position)).toBe(true);
  });

  it.each([1, 2, 3, 4, 5, 6])('gives every event once, from wherever one goes on (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const start = await log.head(TENANT);
    let position = start;
    const open = new Map<number, string[]>();
    const committed = new Set<string>();
    const read: Event[] = [];
    const end = async (index: number): Promise<void> => {
      const isKept = random.below(5) > 0;
      await writer(index).query(isKept ? 'COMMIT' : 'ROLLBACK');
      for (const id of isKept ? (open.get(index) ?? []) : []) committed.add(id);
      open.delete(index);
    };
    for (let step = 0; step < 120; step += 1) {
      const index = random.below(writers.length);
      if (random.below(4) === 0) {
        const page = await log.read(TENANT, position, 1 + random.below(3));
        read.push(...page.items);
        ({ position } = page);
      } else if (!open.has(index)) {
        await writer(index).query('BEGIN');
        open.set(index, [await write(index)]);
      } else if (random.below(2) === 0) {
        open.get(index)?.push(await write(index));
      } else {
        await end(index);
      }
    }
    for (const index of open.keys()) await end(index);
    read.push(...(await readAll(log, position, 3)));
    expect(idsOf(read).toSorted()).toEqual([...committed].toSorted());
    for (const [at, { id }] of read.entries()) {
      const rest = idsOf(await readAll(log, id, 7));
      expect(rest.toSorted(), `after event ${at}`).toEqual(idsOf(read.slice(at + 1)).toSorted());
    }
    expect(idsOf(await readAll(log, start, 5)).toSorted()).toEqual([...committed].toSorted());
  });
});

describe('a position', () => {
  it('comes back from its text as it was', () => {
    for (const text of ['0', '17', '17:3,5', '17/16.4', '17:3,5/16.4']) expect(textOf(positionOf(text))).toBe(text);
    for (const text of ['', '17:', '17:3,', '17/16', '1.5', '-1', '17 ', '17:3/4.5:6']) {
      expect(() => positionOf(text)).toThrowError(/no position/);
    }
  });

  it('is that of a snapshot', () => {
    expect(positionOfSnapshot('10:20:10,14')).toEqual({ next: 20, underWay: [10, 14] });
    expect(positionOfSnapshot('20:20:')).toEqual({ next: 20, underWay: [] });
  });

  it('is refused where the log has not come to it', () => {
    for (const text of ['20', '19:3', '20/19.4']) assertReached(positionOf(text), '10:20:10,14');
    for (const text of ['21', '21:3', '20/21.4']) {
      expect(() => assertReached(positionOf(text), '10:20:10,14')).toThrowError(/no position/);
    }
  });

  it('stays short, however many transactions are under way', () => {
    const running = Array.from({ length: 1000 }, (_, n) => 900_000_000_000 + n);
    const end = positionOfSnapshot(`1:${running.length + 900_000_000_000}:${running.join(',')}`);
    expect(end).toEqual({ next: running[150], underWay: running.slice(0, 150) });
    const start = positionOfSnapshot(`1:${running.length}:${running.map((n) => n + 1000).join(',')}`);
    const place = { transaction: 900_000_000_500, seq: 123_456_789 };
    expect(textOf(afterEvent(start, end, place)).length).toBeLessThan(4096);
  });
});
