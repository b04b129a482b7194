/** Everything that an engine's record stores must do for the core to keep its promises. */

import assert from 'node:assert/strict';
import type { ApiKeyRecord } from '../domain/api-key.ts';
import { LaminaError } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import type { Principal } from '../domain/principal.ts';
import type { TaskContextRecord } from '../domain/task-context.ts';
import type { PoolRecord } from '../domain/pool.ts';
import type { Draft, Relation, Where } from '../ports/record-store.ts';
import { failure, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { accessDraft, contextDraft, poolDraft, runDraft, snapshotDraft } from './record-drafts.ts';
import { engineTest, OTHER_TENANT, TENANT, type OpenEngine } from './engine-subject.ts';

const TIMES = { createdAt: '2026-03-04T08:00:00.000Z', updatedAt: '2026-03-04T08:00:00.000Z' };
const ID = '018f0000-0000-7000-8000-000000000001';
const NEIGHBOUR: Principal = { ...TENANT, userId: 'u1' };

const plan = (planId: string, fields: Partial<Plan> = {}): Draft<Plan> => ({
  planId,
  userId: TENANT.userId,
  goalEvent: 'g',
  goalData: {},
  status: 'running',
  state: {},
  ...TIMES,
  ...fields,
});

const task = (taskId: string, fields: Partial<TaskContextRecord> = {}): Draft<TaskContextRecord> => ({
  taskId,
  eventType: 'e',
  responseTopic: 'r',
  data: {},
  subTasks: [],
  state: {},
  ...TIMES,
  ...fields,
});

const apiKey = (keyId: string, fields: Partial<ApiKeyRecord> = {}): Draft<ApiKeyRecord> => ({
  keyId,
  name: 'n',
  userId: 'somebody',
  roles: ['member'],
  secretHash: 'hash',
  ...TIMES,
  ...fields,
});

/** Declares the suite over the stores of records. `open` is called once per test and must give an empty store. */
export function recordContract(runner: TestRunner, name: string, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe(`record contract: ${name}`, () => {
    test('records come back as they were written, also from another start', async (subject) => {
      const { plans, taskContexts, apiKeys } = subject.engine.records;
      const state = { text: 'ü 🦊 "', list: [1, null, { deep: true }], empty: {}, number: 1e-7 };
      const drafts = [plan('p', { state, sessionId: 's' }), plan('bare')];
      for (const draft of drafts) {
        const created = await plans.create(TENANT, draft);
        assert.ok(created);
        const { version, ...rest } = created;
        assert.deepEqual(rest, draft);
        assert.ok(Number.isSafeInteger(version));
      }
      await taskContexts.create(TENANT, task('t', { subTasks: ['a', 'b'], data: state }));
      await apiKeys.create(TENANT, apiKey('k', { expiresAt: '2027-01-01T00:00:00.000Z' }));
      const before = [
        await plans.get(TENANT, 'p'),
        await taskContexts.findByLink(TENANT, 'b'),
        await apiKeys.get(TENANT, 'k'),
      ];
      const { records } = await subject.reopen();
      const after = [
        await records.plans.get(TENANT, 'p'),
        await records.taskContexts.findByLink(TENANT, 'b'),
        await records.apiKeys.get(TENANT, 'k'),
      ];
      assert.deepEqual(after, before);
      assert.equal(nth(before, 2)?.version !== undefined, true);
    });

    test('a key is taken within its tenant, whoever took it', async ({ engine: { records } }) => {
      const { plans } = records;
      assert.ok(await plans.create(TENANT, plan('p')));
      assert.equal(await plans.create(TENANT, plan('p', { goalEvent: 'other' })), null);
      assert.equal(await plans.create(NEIGHBOUR, plan('p', { userId: 'u1' })), null);
      assert.ok(await plans.create(OTHER_TENANT, plan('p')));
      assert.equal((await plans.get(TENANT, 'p'))?.goalEvent, 'g');
    });

    test('records with an owner are there for that user only', async ({ engine: { records } }) => {
      const { plans, apiKeys, taskContexts } = records;
      await plans.create(TENANT, plan('p', { sessionId: 's' }));
      const change = (current: Plan): Plan => ({ ...current, goalEvent: 'stolen' });
      assert.equal(await plans.get(NEIGHBOUR, 'p'), null);
      assert.equal(await plans.change(NEIGHBOUR, 'p', change), null);
      assert.equal(await plans.remove(NEIGHBOUR, 'p'), null);
      assert.equal(await plans.removeAll(NEIGHBOUR, { sessionId: ['s'] }), 0);
      assert.deepEqual(await plans.list(NEIGHBOUR, { where: {}, limit: 10 }), []);
      assert.equal((await plans.get(TENANT, 'p'))?.goalEvent, 'g');
      await apiKeys.create(TENANT, apiKey('k'));
      await taskContexts.create(TENANT, task('t', { subTasks: ['sub'] }));
      assert.ok(await apiKeys.get(NEIGHBOUR, 'k'));
      assert.ok(await taskContexts.findByLink(NEIGHBOUR, 'sub'));
      assert.equal(await apiKeys.get(OTHER_TENANT, 'k'), null);
      assert.equal(await taskContexts.findByLink(OTHER_TENANT, 'sub'), null);
    });

    test('members see a record and change nothing, each by the whole of their name', async ({
      engine: { records },
    }) => {
      const { pools, contexts } = records;
      const access = { read: ['u1', 'a"b'], write: ['u2'], publicRead: false };
      assert.ok(await pools.create(TENANT, poolDraft('some', { access })));
      assert.ok(await pools.create(TENANT, poolDraft('all', { access: { ...access, publicRead: true } })));
      assert.ok(await pools.create(TENANT, poolDraft('own', { type: 'task_scoped' })));
      assert.ok(await contexts.create(TENANT, contextDraft('some', { access })));
      const listed = async (userId: string, where: Where<PoolRecord> = {}, relation?: Relation): Promise<string> => {
        const found = await pools.list({ ...TENANT, userId }, { where, relation, limit: 10 });
        return found.map(({ poolId }) => poolId).join(' ');
      };
      assert.equal(await listed('u'), 'some own all');
      for (const member of ['u1', 'u2', 'a"b']) assert.equal(await listed(member), 'some all', member);
      for (const stranger of ['u10', 'a', 'U1', 'u1"', '%', '[]', '"'])
        assert.equal(await listed(stranger), 'all', stranger);
      const byRight = (userId: string): Promise<string[]> =>
        Promise.all((['owner', 'member', 'everyone'] as const).map((relation) => listed(userId, {}, relation)));
      assert.deepEqual(await byRight('u'), ['some own all', '', '']);
      assert.deepEqual(await byRight('u1'), ['', 'some all', '']);
      assert.deepEqual(await byRight('u10'), ['', '', 'all']);
      const types = { type: ['shared', 'task_scoped'] } as const;
      assert.deepEqual([await listed('u', types), await listed('u1', types)], ['some own all', 'some all']);
      assert.deepEqual(await pools.get(NEIGHBOUR, 'some'), await pools.get(TENANT, 'some'));
      assert.ok(await contexts.get(NEIGHBOUR, 'some'));
      assert.equal(await contexts.get({ ...TENANT, userId: 'u10' }, 'some'), null);
      assert.deepEqual([await pools.get(NEIGHBOUR, 'own'), await pools.get(OTHER_TENANT, 'all')], [null, null]);
      for (const member of [NEIGHBOUR, { ...TENANT, userId: 'u2' }]) {
        assert.equal(await pools.change(member, 'all', (current) => ({ ...current, name: 'stolen' })), null);
        assert.equal(await pools.remove(member, 'all'), null);
        assert.equal(await pools.removeAll(member, { poolId: ['all', 'some'] }), 0);
      }
      assert.equal((await pools.get(TENANT, 'all'))?.name, undefined);
      // From now on.
      const revoked = { access: { ...access, read: [] }, members: ['u2'] };
      await pools.change(TENANT, 'some', (current) => ({ ...current, ...revoked }));
      assert.equal(await pools.get(NEIGHBOUR, 'some'), null);
      assert.equal(await listed('u1'), 'all');
    });

    test('what one owns and what one sees are one list, page by page', async ({
      engine: {
        records: { pools },
      },
    }) => {
      const at = (second: number): string => new Date(Date.parse(TIMES.createdAt) + second * 1000).toISOString();
      for (let second = 0; second < 12; second += 1) {
        const ownerId = nth(['u', 'u1', 'u2'], second % 3);
        const access = { read: second % 2 === 0 ? ['u'] : ['u1'], write: [], publicRead: second === 11 };
        const draft = poolDraft(String(second), { ownerId, access, createdAt: at(second) });
        await pools.create({ ...TENANT, userId: ownerId }, draft);
      }
      const seen: string[] = [];
      let after: { at: string; key: string } | undefined;
      for (;;) {
        const page = await pools.list(TENANT, { where: {}, limit: 3, after });
        seen.push(...page.map(({ poolId }) => poolId));
        const last = page.at(-1);
        if (last === undefined) break;
        after = { at: last.createdAt, key: last.poolId };
      }
      assert.deepEqual(seen, ['11', '10', '9', '8', '6', '4', '3', '2', '0']);
    });

    test('every kind keeps what it is given', async (subject) => {
      const { pools, contexts, contextSnapshots, contextAccesses, maintenanceRuns } = subject.engine.records;
      const items = [{ entryId: ID, key: 'k', version: 2, contentHash: 'h', isArchived: true }];
      const drafts = [
        poolDraft('p', { agentId: 'a', scopeId: 't', workflowRunId: 'w', name: 'n', expiresAt: TIMES.createdAt }),
        contextDraft('c', { agentId: 'a', scopeId: 't', name: 'n', description: 'd', archivedAt: TIMES.createdAt }),
        snapshotDraft('s', { name: 'n', reason: 'r', items }),
        accessDraft('a', { agentId: 'a', entryKey: 'k' }),
        runDraft(ID, {
          dryRun: true,
          finishedAt: TIMES.updatedAt,
          durationMs: 1,
          counts: { removed: 2 },
          changes: [{ action: 'removed', entryId: ID, fromVersion: 1 }],
          error: 'e',
          progress: { at: [1] },
        }),
      ] as const;
      const created = [
        await pools.create(TENANT, drafts[0]),
        await contexts.create(TENANT, drafts[1]),
        await contextSnapshots.create(TENANT, drafts[2]),
        await contextAccesses.create(TENANT, drafts[3]),
        await maintenanceRuns.create(TENANT, drafts[4]),
      ];
      for (const [index, record] of created.entries()) {
        assert.ok(record);
        const { version, ...rest } = record;
        assert.deepEqual(rest, drafts[index]);
        assert.ok(version > 0);
      }
      const run = await maintenanceRuns.change(TENANT, ID, (current) => ({ ...current, dryRun: false }));
      assert.equal(run?.dryRun, false);
      const { records } = await subject.reopen();
      assert.deepEqual(await records.contextSnapshots.get(TENANT, 's'), created[2]);
      // Administrators read runs, whoever started them.
      assert.deepEqual(await records.maintenanceRuns.list(NEIGHBOUR, { where: { job: ['expiry'] }, limit: 5 }), [run]);
      // What is inside of a context is its owner's, also for its members.
      assert.equal(await records.contextAccesses.get(NEIGHBOUR, 'a'), null);
    });

    test('a version is never given twice', async (subject) => {
      const seen = new Set<number>();
      const note = (record: { readonly version: number } | null): void => {
        assert.ok(record && !seen.has(record.version));
        seen.add(record.version);
      };
      for (const start of [1, 2]) {
        const { plans, taskContexts } = start === 1 ? subject.engine.records : (await subject.reopen()).records;
        for (let round = 0; round < 3; round += 1) {
          note(await plans.create(TENANT, plan('p')));
          note(await plans.change(TENANT, 'p', (current) => current));
          note(await taskContexts.create(TENANT, task('t')));
          await plans.remove(TENANT, 'p');
          await taskContexts.remove(TENANT, 't');
        }
      }
    });

    test('changes are made one after the other, each on what the last one left', async ({ engine: { records } }) => {
      const { taskContexts } = records;
      await taskContexts.create(TENANT, task('t', { state: { count: 0 } }));
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          taskContexts.change(TENANT, 't', (current) => ({
            ...current,
            state: { count: Number(current.state['count']) + 1 },
            subTasks: [...current.subTasks, `s${n}`],
          })),
        ),
      );
      assert.deepEqual((await taskContexts.get(TENANT, 't'))?.state, { count: 100 });
      for (let n = 0; n < 100; n += 1) assert.ok(await taskContexts.findByLink(TENANT, `s${n}`));
    });

    test('what a change or a check throws leaves everything as it was', async ({ engine: { records } }) => {
      const { taskContexts } = records;
      const created = await taskContexts.create(TENANT, task('t', { subTasks: ['sub'] }));
      const refuse = (): never => {
        throw new LaminaError('VERSION_CONFLICT', 'Not like this, please.');
      };
      const outcomes = await Promise.allSettled([
        taskContexts.change(TENANT, 't', refuse),
        taskContexts.create(TENANT, task('beside')),
        taskContexts.remove(TENANT, 't', refuse),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected'],
      );
      assert.deepEqual(await taskContexts.get(TENANT, 't'), created);
      assert.deepEqual(await taskContexts.findByLink(TENANT, 'sub'), created);
      assert.ok(await taskContexts.get(TENANT, 'beside'));
    });

    test('many are removed by their values, with their links, and never all for want of a condition', async (subject) => {
      const { taskContexts, planContexts } = subject.engine.records;
      for (const id of ['a', 'b', 'c']) {
        await taskContexts.create(TENANT, task(id, { planId: id === 'c' ? 'q' : 'p', subTasks: [`sub ${id}`] }));
      }
      assert.equal(await taskContexts.removeAll(TENANT, { planId: ['p', 'nothing'] }), 2);
      assert.equal(await taskContexts.removeAll(TENANT, { planId: ['p'] }), 0);
      assert.equal(await taskContexts.findByLink(TENANT, 'sub a'), null);
      assert.ok(await taskContexts.findByLink(TENANT, 'sub c'));
      await failure('VALIDATION_FAILED', taskContexts.removeAll(TENANT, {}));
      // A link of one kind is none of another.
      assert.equal(await planContexts.findByLink(TENANT, 'sub c'), null);
    });

    test('lists go by time, then by key, and go on where they ended', async ({ engine: { records } }) => {
      const { plans } = records;
      const at = (second: number): string => new Date(Date.parse(TIMES.createdAt) + second * 1000).toISOString();
      for (const [planId, second] of [
        ['d', 1],
        ['a', 0],
        ['c', 1],
        ['b', 1],
        ['e', 2],
      ] as const) {
        await plans.create(TENANT, plan(planId, { createdAt: at(second), status: second === 1 ? 'paused' : 'failed' }));
      }
      const ids = async (query: Partial<Parameters<typeof plans.list>[1]>): Promise<string> =>
        (await plans.list(TENANT, { where: {}, limit: 10, ...query })).map(({ planId }) => planId).join('');
      assert.equal(await ids({}), 'edcba');
      assert.equal(await ids({ limit: 2 }), 'ed');
      assert.equal(await ids({ after: { at: at(1), key: 'd' } }), 'cba');
      assert.equal(await ids({ after: { at: at(1), key: 'cc' } }), 'cba');
      assert.equal(await ids({ where: { status: ['paused'] } }), 'dcb');
      assert.equal(await ids({ where: { status: ['paused', 'failed'], planId: ['a', 'b'] } }), 'ba');
      assert.equal(await ids({ where: { status: [] } }), '');
    });

    test('a tenant that only looks leaves nothing behind', async ({ engine: { records } }) => {
      const { plans, taskContexts } = records;
      assert.equal(await plans.get(TENANT, 'p'), null);
      assert.equal(await plans.change(TENANT, 'p', (current) => current), null);
      assert.equal(await taskContexts.remove(TENANT, 't'), null);
      assert.equal(await taskContexts.removeAll(TENANT, { planId: ['p'] }), 0);
      assert.deepEqual(await plans.list(TENANT, { where: {}, limit: 1 }), []);
    });

    test('nothing of a removed record can be read from the disk', async (subject) => {
      if (!subject.residue) return;
      const { taskContexts, plans } = subject.engine.records;
      const secret = (word: string): Uint8Array => Buffer.from(`secret-${word}-of-records`);
      const text = (word: string): string => Buffer.from(secret(word)).toString();
      await taskContexts.create(TENANT, task(text('id'), { subTasks: [text('link')], data: { d: text('data') } }));
      await plans.create(TENANT, plan('p', { state: { s: text('state') } }));
      await plans.change(TENANT, 'p', (current) => ({ ...current, state: {} }));
      await taskContexts.remove(TENANT, text('id'));
      await plans.remove(TENANT, 'p');
      assert.deepEqual(await subject.residue(['id', 'link', 'data', 'state'].map(secret)), []);
    });
  });
}
