/** State and records over PostgreSQL, in this process and on a server. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../src/domain/json.ts';
import { poolNamespace, sessionNamespace } from '../src/domain/namespace.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import { OTHER_TENANT, TENANT, userOf } from '../src/testing/engine-subject.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { poolDraft } from '../src/testing/record-drafts.ts';
import { recordContract } from '../src/testing/record-contract.ts';
import { stateContract } from '../src/testing/state-contract.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { ownNamespaces } from './tier-life.ts';
import { pgliteUnderTest, type PostgresDatabaseUnderTest } from './postgres-subject.ts';

const [inProcess, onServer] = [await pgliteUnderTest(), await serverUnderTest()];

const set = (value: Json, rest: Partial<StateWrite> = {}): StateWrite => ({
  mutation: { type: 'set', value },
  maxBytes: 1000,
  ...rest,
});
const increment: StateWrite = { mutation: { type: 'increment', by: 1 }, maxBytes: 100 };

/** What an administrator counts, in a table of all tenants. */
async function rowsIn({ driver }: PostgresDatabaseUnderTest, table: string): Promise<number> {
  const connection = await driver.reserve();
  try {
    const { rows } = await connection.query<{ count: number }>(`SELECT count(*) AS count FROM lamina.${table}`);
    return rows[0]?.count ?? 0;
  } finally {
    connection.release();
  }
}

function suites(name: string, database: PostgresDatabaseUnderTest | undefined): void {
  if (database === undefined) return;
  recordContract({ describe, it }, name, database.subject);
  stateContract({ describe, it }, database.subject);
  ownTests(database);
}

/** Two engines on one database: the nodes of a cluster as the stores see it. */
async function onTwo(
  database: PostgresDatabaseUnderTest,
  body: (one: Engine, other: Engine, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const first = await database.subject(clock);
  const second = await database.another(clock);
  try {
    await body(first.engine, second, clock);
  } finally {
    await second.close();
    await first.close();
  }
}

function ownTests(database: PostgresDatabaseUnderTest): void {
  it('what one node acknowledged is what the other reads', () =>
    onTwo(database, async (one, other) => {
      for (let round = 0; round < 20; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
        const { version } = await writer.state.write(TENANT, 'n', 'k', set(round));
        expect(await reader.state.get(TENANT, 'n', 'k')).toMatchObject({ value: round, version });
      }
      await one.state.remove(TENANT, 'n', 'k');
      expect(await other.state.get(TENANT, 'n', 'k')).toBeNull();
    }));

  it('two nodes count exactly, and their versions grow', () =>
    onTwo(database, async (one, other) => {
      const versions: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const items = await Promise.all(
          [one, other].flatMap(({ state }) =>
            Array.from({ length: 10 }, () => state.write(TENANT, 'n', 'k', increment)),
          ),
        );
        versions.push(...items.toSorted((a, b) => Number(a.value) - Number(b.value)).map(({ version }) => version));
        // What is written over blindly gets a higher version than all before, too.
        const blind = await Promise.all(
          [one, other].map(({ state }) => state.write(TENANT, 'n', 'k', set(round * 20 + 20))),
        );
        versions.push(...blind.map(({ version }) => version).toSorted((a, b) => a - b));
        expect((await one.state.get(TENANT, 'n', 'k'))?.version).toBe(versions.at(-1));
      }
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
      expect((await other.state.get(TENANT, 'n', 'k'))?.value).toBe(100);
    }));

  it('changes of a record by two nodes lose nothing', () =>
    onTwo(database, async (one, other) => {
      const times = { createdAt: '2026-03-04T08:00:00.000Z', updatedAt: '2026-03-04T08:00:00.000Z' };
      const base = { taskId: 't', eventType: 'e', responseTopic: 'r', data: {}, subTasks: [], state: { n: 0 } };
      const made = await Promise.all(
        [one, other, one, other].map(({ records }) => records.taskContexts.create(TENANT, { ...base, ...times })),
      );
      expect(made.filter((record) => record !== null)).toHaveLength(1);
      await Promise.all(
        [one, other].flatMap(({ records }) =>
          Array.from({ length: 10 }, () =>
            records.taskContexts.change(TENANT, 't', (current) => ({
              ...current,
              state: { n: Number(current.state['n']) + 1 },
            })),
          ),
        ),
      );
      expect((await one.records.taskContexts.get(TENANT, 't'))?.state).toEqual({ n: 20 });
    }));

  it('whoever only looks leaves no tenant and no user behind; whoever writes does', async () => {
    const { engine, close } = await database.subject(new ManualClock());
    const { state, records, audit } = engine;
    expect(await state.get(TENANT, 'n', 'k')).toBeNull();
    expect(await state.list(TENANT, 'n', 10)).toEqual([]);
    expect(await state.remove(TENANT, 'n', 'k')).toBe(false);
    expect(await state.remove(TENANT, 'n', 'k', 7)).toBe(false);
    expect(await state.clear(TENANT, 'n')).toBe(0);
    expect(await records.plans.change(TENANT, 'p', (plan) => plan)).toBeNull();
    expect(await records.taskContexts.removeAll(TENANT, { planId: ['p'] })).toBe(0);
    expect(await audit.list(TENANT, 10)).toEqual([]);
    await expect(state.write(TENANT, 'n', 'k', set(1, { ifVersion: 3 }))).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    expect([await rowsIn(database, 'tenants'), await rowsIn(database, 'users')]).toEqual([0, 0]);
    for (let n = 0; n < 2; n += 1) await state.write(TENANT, 'n', 'k', set(n));
    await state.write(OTHER_TENANT, 'n', 'k', set(1));
    expect([await rowsIn(database, 'tenants'), await rowsIn(database, 'users')]).toEqual([2, 2]);
    await close();
  });

  it('those who were removed behind its back are entered anew', async () => {
    const { engine, close } = await database.subject(new ManualClock());
    await engine.state.write(TENANT, 'n', 'k', set(1));
    const connection = await database.driver.reserve();
    await connection.query('DELETE FROM lamina.tenants');
    connection.release();
    // The tenant is remembered, but a reference says otherwise.
    expect((await engine.state.write(TENANT, 'n', 'k', set(2))).value).toBe(2);
    expect([await rowsIn(database, 'tenants'), await rowsIn(database, 'users')]).toEqual([1, 1]);
    await close();
  });

  it('a pool that goes takes its values and its events along', async () => {
    const { engine, close } = await database.subject(new ManualClock());
    const { state, records, events } = engine;
    for (const poolId of ['p', 'p"1']) {
      await records.pools.create(TENANT, poolDraft(poolId));
      for (const key of ['a', 'b']) await state.write(TENANT, poolNamespace(poolId), key, set(1));
    }
    await records.pools.remove(TENANT, 'p"1');
    expect([await rowsIn(database, 'state'), await rowsIn(database, 'events')]).toEqual([2, 2]);
    await records.pools.removeAll(TENANT, { ownerId: ['u'] });
    expect([await rowsIn(database, 'state'), await rowsIn(database, 'events')]).toEqual([0, 0]);
    await records.pools.create(TENANT, poolDraft('p'));
    expect((await events.readPool(TENANT, 'p', undefined, 10)).items).toEqual([]);
    await close();
  });

  it('whoever has nothing to do with a pool or a namespace finds and leaves nothing there', async () => {
    const { engine, close } = await database.subject(new ManualClock());
    const { state, records, events } = engine;
    const [stranger, member] = [userOf('stranger'), userOf('member')];
    const access = { read: ['member'], write: [], publicRead: false };
    await records.pools.create(TENANT, poolDraft('p', { access }));
    const places = [poolNamespace('p'), ...ownNamespaces('u')];
    for (const namespace of places) {
      await state.write(TENANT, namespace, 'k', set(1));
      for (const other of [stranger, ...(namespace === places[0] ? [] : [member])]) {
        await expect(state.write(other, namespace, 'k', set(2))).rejects.toMatchObject({ code: 'NOT_FOUND' });
        expect(await state.get(other, namespace, 'k')).toBeNull();
        expect(await state.list(other, namespace, 10)).toEqual([]);
        expect([await state.remove(other, namespace, 'k'), await state.clear(other, namespace)]).toEqual([false, 0]);
        state.touch(other, namespace, 'k');
        expect(await state.measure(other, namespace)).toEqual({ count: 0, bytes: 0, accesses: 0 });
      }
      expect(await state.get(TENANT, namespace, 'k')).toMatchObject({ value: 1, accessCount: 0 });
    }
    // Who is let in reads; what is written there is written in the owner's name.
    expect(await state.get(member, poolNamespace('p'), 'k')).toMatchObject({ value: 1 });
    expect((await events.readPool(member, 'p', undefined, 10)).items).toHaveLength(1);
    expect((await events.readPool(stranger, 'p', undefined, 10)).items).toEqual([]);
    await expect(state.write(member, poolNamespace('p'), 'k', set(2))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await close();
  });

  it('what two nodes have counted adds up', () =>
    onTwo(database, async (one, other) => {
      const namespace = sessionNamespace('u', '', 's');
      await one.state.write(TENANT, namespace, 'k', set(1));
      for (const { state } of [one, other, one, other, one]) state.touch(TENANT, namespace, 'k');
      for (const { state } of [one, other]) await state.measure(TENANT, namespace);
      expect((await one.state.frequent(TENANT.tenantId, '["session",', 5, 10))[0]).toMatchObject({ accessCount: 5 });
    }));

  it('a leader sweeps away what has expired of all users', async () => {
    const clock = new ManualClock();
    const { engine, close } = await database.subject(clock);
    for (const userId of ['u', 'v']) {
      for (const namespace of ownNamespaces(userId)) {
        await engine.state.write(userOf(userId), namespace, 'k', set(1, { expiresAt: clock.now() + 1000 }));
      }
    }
    clock.advance(1000);
    await engine.state.sweep(new AbortController().signal);
    expect(await rowsIn(database, 'state')).toBe(0);
    await close();
  });

  it('what has expired is swept away by and by', async () => {
    const clock = new ManualClock();
    const { engine, close } = await database.subject(clock);
    for (let n = 0; n < 10; n += 1) {
      await engine.state.write(TENANT, 'n', `k${n}`, set(n, { expiresAt: clock.now() + 1000 }));
    }
    await engine.state.write(OTHER_TENANT, 'n', 'k', set(1, { expiresAt: clock.now() + 1000 }));
    clock.advance(1000);
    for (let n = 0; n < 64; n += 1) await engine.state.write(TENANT, 'other', 'k', set(n));
    // Only of the tenant in which somebody writes.
    expect(await rowsIn(database, 'state')).toBe(2);
    await close();
  });
}

describe('in this process', () => {
  suites('PGlite', inProcess);
});
describeOnPostgres('on a server', () => {
  suites('PostgreSQL', onServer);
});
