/** Contract: sessions, and what ending or deleting them and their plans cleans up. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const GOAL = { goalEvent: 'research.goal' };

/** A plan with everything that can hang on one. */
async function furnish(memory: Memory, planId: string, sessionId?: string): Promise<void> {
  const session = sessionId === undefined ? {} : { sessionId };
  await memory.plans.create({ planId, ...GOAL, ...session });
  await memory.planContexts.save({ planId, ...GOAL, ...session, correlationIds: [`${planId}-c`] });
  for (const n of [1, 2]) {
    await memory.tasks.save({ taskId: `${planId}-t${n}`, planId, eventType: 'e', subTasks: [`${planId}-sub${n}`] });
    await memory.working.set({ planId, key: `k${n}`, value: n });
  }
}

/** How much is there of plan, plan context (also by correlation), tasks (also by sub-task) and working memory. */
async function traces(memory: Memory, planId: string): Promise<number[]> {
  const found = await Promise.all([
    memory.plans.get({ planId }),
    memory.planContexts.get({ planId }),
    memory.planContexts.byCorrelation({ correlationId: `${planId}-c` }),
    memory.tasks.get({ taskId: `${planId}-t1` }),
    memory.tasks.get({ taskId: `${planId}-t2` }),
    memory.tasks.bySubtask({ subtaskId: `${planId}-sub1` }),
    memory.tasks.bySubtask({ subtaskId: `${planId}-sub2` }),
    memory.working.get({ planId, key: 'k1' }),
    memory.working.get({ planId, key: 'k2' }),
  ]);
  return found.map((each) => (each === null ? 0 : 1));
}

const ALL = Array.from({ length: 9 }, () => 1);
const NONE = ALL.map(() => 0);
const ONLY_THE_PLAN = [1, ...NONE.slice(1)];
const ALL_BUT_WORKING_MEMORY = [...ALL.slice(2), 0, 0];

export function sessionsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('sessions', () => {
    const clock = new ManualClock();
    const now = (): string => new Date(clock.now()).toISOString();
    test(
      'are begun, touched, changed, ended and deleted',
      async (subject) => {
        const { sessions } = subject.as(ALICE);
        const began = now();
        const created = await sessions.create({ sessionId: 's', agentId: 'advisor', metadata: { source: 'web-ui' } });
        const { version: _, ...fields } = created;
        assert.deepEqual(fields, {
          sessionId: 's',
          userId: 'alice',
          agentId: 'advisor',
          metadata: { source: 'web-ui' },
          lastInteraction: began,
          createdAt: began,
          updatedAt: began,
        });
        clock.advance(1000);
        assert.equal((await sessions.update({ sessionId: 's' })).lastInteraction, now());
        const set = await sessions.update({ sessionId: 's', lastInteraction: '2026-01-11T12:35:00+02:00', name: 'N' });
        assert.deepEqual([set.lastInteraction, set.name], ['2026-01-11T10:35:00.000Z', 'N']);
        const replaced = await sessions.update({ sessionId: 's', metadata: { a: 1 } });
        assert.deepEqual([replaced.metadata, replaced.name], [{ a: 1 }, 'N']);
        clock.advance(1000);
        const ended = await sessions.update({ sessionId: 's', ended: true });
        assert.equal(ended.endedAt, now());
        clock.advance(1000);
        assert.equal((await sessions.update({ sessionId: 's', ended: true })).endedAt, ended.endedAt);
        assert.equal((await sessions.update({ sessionId: 's', ended: false })).endedAt, undefined);
        const at = { endedAt: '2026-01-11T11:00:00Z' };
        assert.equal((await sessions.update({ sessionId: 's', ...at })).endedAt, '2026-01-11T11:00:00.000Z');
        await failure('VALIDATION_FAILED', sessions.update({ sessionId: 's', ended: false, ...at }));
        await failure('VERSION_CONFLICT', sessions.update({ sessionId: 's', ifVersion: created.version }));
        await failure('VERSION_CONFLICT', sessions.create({ sessionId: 's' }));
        assert.deepEqual(await sessions.delete({ sessionId: 's' }), { success: true });
        assert.deepEqual(await sessions.delete({ sessionId: 's' }), { success: false });
        assert.equal(await sessions.get({ sessionId: 's' }), null);
        await failure('NOT_FOUND', sessions.update({ sessionId: 's' }));
      },
      { clock },
    );

    const ticking = new ManualClock();
    test(
      'are listed by their last interaction',
      async (subject) => {
        const { sessions } = subject.as(ALICE);
        for (const sessionId of ['a', 'b', 'c', 'd']) {
          ticking.advance(1000);
          await sessions.create({ sessionId, agentId: sessionId < 'c' ? 'first' : 'second' });
        }
        ticking.advance(1000);
        await sessions.update({ sessionId: 'b' });
        const ids = async (input: Parameters<typeof sessions.list>[0]): Promise<string[]> =>
          (await sessions.list(input)).sessions.map(({ sessionId }) => sessionId);
        assert.deepEqual(await ids({}), ['b', 'd', 'c', 'a']);
        assert.deepEqual(await ids({ agentId: 'first' }), ['b', 'a']);
        const { nextCursor: cursor } = await sessions.list({ limit: 2 });
        assert.ok(cursor !== null);
        assert.deepEqual(await ids({ limit: 2, cursor }), ['c', 'a']);
        assert.equal((await sessions.list({ limit: 4 })).nextCursor, null);
      },
      { clock: ticking },
    );

    test('belong to the agent that begins them, unless told otherwise', async (subject) => {
      const { sessions } = subject.as({ ...ALICE, agentId: 'advisor' });
      assert.equal((await sessions.create({})).agentId, 'advisor');
      assert.equal((await sessions.create({ agentId: 'other' })).agentId, 'other');
    });
  });

  runner.describe('cleaning up', () => {
    test('after a plan happens where it is asked for', async (subject) => {
      const memory = subject.as(ALICE);
      for (const planId of ['kept', 'finished', 'deleted', 'other']) await furnish(memory, planId);
      await memory.plans.update({ planId: 'kept', status: 'completed' });
      assert.deepEqual(await traces(memory, 'kept'), ALL);
      await memory.plans.delete({ planId: 'kept' });
      assert.deepEqual(await traces(memory, 'kept'), [0, ...ALL.slice(1)]);
      const finished = await memory.plans.update({ planId: 'finished', status: 'failed', cascade: true });
      assert.equal(finished.status, 'failed');
      assert.deepEqual(await traces(memory, 'finished'), ONLY_THE_PLAN);
      assert.deepEqual(await memory.plans.delete({ planId: 'deleted', cascade: true }), { success: true });
      assert.deepEqual(await traces(memory, 'deleted'), NONE);
      assert.deepEqual(await traces(memory, 'other'), ALL);
    });

    test('needs a plan of your own that is finished', async (subject) => {
      const memory = subject.as(ALICE);
      await furnish(memory, 'p');
      await failure('VALIDATION_FAILED', memory.plans.update({ planId: 'p', state: {}, cascade: true }));
      await failure('VALIDATION_FAILED', memory.plans.update({ planId: 'p', status: 'paused', cascade: true }));
      const stale = { planId: 'p', status: 'failed', cascade: true, ifVersion: 1_000_000 } as const;
      await failure('VERSION_CONFLICT', memory.plans.update(stale));
      const bob = subject.as({ userId: 'bob' });
      assert.deepEqual(await bob.plans.delete({ planId: 'p', cascade: true }), { success: false });
      await failure('NOT_FOUND', bob.plans.update({ planId: 'p', status: 'failed', cascade: true }));
      assert.deepEqual(await traces(memory, 'p'), ALL);
      await memory.plans.update({ planId: 'p', status: 'failed' });
      await memory.plans.update({ planId: 'p', cascade: true });
      assert.deepEqual(await traces(memory, 'p'), ONLY_THE_PLAN);
    });

    test('after a session takes the working memory of your plans, on deletion the plans and its memories', async (subject) => {
      const memory = subject.as(ALICE);
      const bob = subject.as({ userId: 'bob' });
      const identifiers = { userId: 'alice', sessionId: 's' };
      await memory.sessions.create({ sessionId: 's' });
      await furnish(memory, 'one', 's');
      await furnish(memory, 'elsewhere', 's2');
      await bob.plans.create({ planId: 'of-bob', ...GOAL, sessionId: 's' });
      // Plan contexts are the tenant's: one that names the session may serve a plan that is not Alice's.
      await bob.planContexts.save({ planId: 'of-bob', ...GOAL, sessionId: 's' });
      await bob.working.set({ planId: 'of-bob', key: 'k', value: 'precious' });
      await memory.add({ content: 'said in s', layer: 'session', identifiers });
      await memory.add({ content: 'said in s2', layer: 'session', identifiers: { ...identifiers, sessionId: 's2' } });

      await failure('VALIDATION_FAILED', memory.sessions.update({ sessionId: 's', cascade: true }));
      await memory.sessions.update({ sessionId: 's', ended: true, cascade: true });
      assert.deepEqual(await traces(memory, 'one'), ALL_BUT_WORKING_MEMORY);
      const count = async (sessionId: string): Promise<number> =>
        (await memory.list({ layer: 'session', identifiers: { ...identifiers, sessionId } })).totalCount;
      assert.deepEqual([await count('s'), await count('s2')], [1, 1]);

      await furnish(memory, 'two', 's');
      assert.deepEqual(await bob.sessions.delete({ sessionId: 's', cascade: true }), { success: false });
      assert.deepEqual(await traces(memory, 'two'), ALL);
      assert.deepEqual(await memory.sessions.delete({ sessionId: 's', cascade: true }), { success: true });
      assert.deepEqual([await traces(memory, 'one'), await traces(memory, 'two')], [NONE, NONE]);
      assert.deepEqual([await count('s'), await count('s2')], [0, 1]);
      assert.equal(await memory.sessions.get({ sessionId: 's' }), null);
      assert.deepEqual(await traces(memory, 'elsewhere'), ALL);
      assert.ok(await bob.plans.get({ planId: 'of-bob' }));
      assert.ok(await bob.planContexts.get({ planId: 'of-bob' }));
      assert.equal((await bob.working.get({ planId: 'of-bob', key: 'k' }))?.value, 'precious');
    });

    test('copes with more plans than fit on a page', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.sessions.create({ sessionId: 's' });
      await Promise.all(
        Array.from({ length: 130 }, (_, n) => memory.plans.create({ planId: `p${n}`, ...GOAL, sessionId: 's' })),
      );
      await memory.sessions.delete({ sessionId: 's', cascade: true });
      assert.equal((await memory.plans.list({})).count, 0);
    });
  });
}
