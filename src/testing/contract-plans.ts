/** Contract: plans and the state machines of their planners. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const LONG = 'x'.repeat(101);
const GOAL = { goalEvent: 'research.goal' };
const MACHINE = {
  states: { start: { transitions: [{ on_event: 'e', to_state: 'end' }] }, end: { is_terminal: true } },
};
const CONTENDERS = 20;

/** The ids of a list, over all of its pages. */
async function listedIds(memory: Memory, input: OperationInput<'plans.list'>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.plans.list({ ...input, ...(cursor && { cursor }) });
    assert.equal(page.count, page.plans.length);
    ids.push(...page.plans.map(({ planId }) => planId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

export function plansContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('plans', () => {
    const clock = new ManualClock();
    test(
      'are made, read, changed and deleted',
      async (subject) => {
        const { plans } = subject.as(ALICE);
        const goalData = { topic: 'AI trends', nested: [{ someKey: null }] };
        const created = await plans.create({ planId: 'plan-123', ...GOAL, goalData, responseEvent: 'done' });
        const { version, createdAt, ...fields } = created;
        assert.deepEqual(fields, {
          planId: 'plan-123',
          userId: 'alice',
          ...GOAL,
          goalData,
          responseEvent: 'done',
          status: 'running',
          state: {},
          updatedAt: createdAt,
        });
        assert.equal(createdAt, new Date(clock.now()).toISOString());
        assert.deepEqual(await plans.get({ planId: 'plan-123' }), created);
        clock.advance(1000);
        const changed = await plans.update({ planId: 'plan-123', state: { step: 2 }, sessionId: 's' });
        assert.deepEqual(
          [changed.state, changed.sessionId, changed.goalData, changed.status, changed.createdAt],
          [{ step: 2 }, 's', goalData, 'running', createdAt],
        );
        assert.ok(changed.version > version && changed.updatedAt > createdAt);
        assert.deepEqual(await plans.get({ planId: 'plan-123' }), changed);
        assert.deepEqual(await plans.delete({ planId: 'plan-123' }), { success: true });
        assert.deepEqual(await plans.delete({ planId: 'plan-123' }), { success: false });
        assert.equal(await plans.get({ planId: 'plan-123' }), null);
        await failure('NOT_FOUND', plans.update({ planId: 'plan-123', status: 'failed' }));
      },
      { clock },
    );

    test('get an id where none is given, and keep one that is odd', async (subject) => {
      const { plans } = subject.as(ALICE);
      const [one, two] = [await plans.create(GOAL), await plans.create(GOAL)];
      assert.notEqual(one.planId, two.planId);
      for (const planId of ['a/b', 'by-correlation', 'ü ? # %2F', "'; DROP TABLE plans; --", 'x'.repeat(100)]) {
        await plans.create({ planId, ...GOAL });
        assert.equal((await plans.get({ planId }))?.planId, planId);
        assert.equal((await plans.update({ planId, status: 'paused' })).status, 'paused');
      }
    });

    test('have one maker: the rest are told that the id is taken', async (subject) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: CONTENDERS }, (_, index) =>
          subject.as({ userId: index % 2 === 0 ? 'alice' : 'bob' }).plans.create({ planId: 'p', ...GOAL }),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') await failure('VERSION_CONFLICT', Promise.reject(outcome.reason));
      }
    });

    test('of one version have one changer', async (subject) => {
      const { plans } = subject.as(ALICE);
      const { version } = await plans.create({ planId: 'p', ...GOAL });
      const outcomes = await Promise.allSettled(
        Array.from({ length: CONTENDERS }, (_, n) =>
          plans.update({ planId: 'p', state: { n }, ifVersion: version }).then(({ state }) => state['n']),
        ),
      );
      const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      assert.equal(won.length, 1);
      assert.deepEqual((await plans.get({ planId: 'p' }))?.state, { n: won[0] });
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') await failure('VERSION_CONFLICT', Promise.reject(outcome.reason));
      }
    });

    test('that were deleted and made again have no version that someone remembers', async (subject) => {
      const { plans } = subject.as(ALICE);
      const { version } = await plans.create({ planId: 'p', ...GOAL });
      await plans.delete({ planId: 'p' });
      await plans.create({ planId: 'p', ...GOAL });
      const stale = await failure('VERSION_CONFLICT', plans.update({ planId: 'p', state: {}, ifVersion: version }));
      assert.equal(stale.details?.['expectedVersion'], version);
      assert.equal(stale.details?.['currentVersion'], (await plans.get({ planId: 'p' }))?.version);
    });

    test('that are finished stay finished', async (subject) => {
      const { plans } = subject.as(ALICE);
      await plans.create({ planId: 'p', ...GOAL, status: 'pending' });
      for (const status of ['paused', 'running', 'pending', 'running', 'completed'] as const) {
        assert.equal((await plans.update({ planId: 'p', status })).status, status);
      }
      for (const status of ['running', 'failed', 'cancelled', 'pending'] as const) {
        await failure('VERSION_CONFLICT', plans.update({ planId: 'p', status, state: { lost: true } }));
      }
      const again = await plans.update({ planId: 'p', status: 'completed', state: { report: 'kept' } });
      assert.deepEqual([again.status, again.state], ['completed', { report: 'kept' }]);
    });

    test('are finished by one of those who finish them', async (subject) => {
      const { plans } = subject.as(ALICE);
      await plans.create({ planId: 'p', ...GOAL });
      const statuses = ['completed', 'failed', 'cancelled'] as const;
      const outcomes = await Promise.allSettled(statuses.map((status) => plans.update({ planId: 'p', status })));
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await plans.get({ planId: 'p' }))?.status, statuses[winner]);
    });

    const ticking = new ManualClock();
    test(
      'are listed newest first, by status and session, page by page',
      async (subject) => {
        const memory = subject.as(ALICE);
        const statuses = ['running', 'completed', 'pending', 'failed', 'paused', 'cancelled'] as const;
        const made: { planId: string; status: string; sessionId: string | undefined }[] = [];
        for (let n = 0; n < 60; n += 1) {
          const status = nth(statuses, n % 6);
          const sessionId = n % 4 === 0 ? 's1' : undefined;
          const { planId } = await memory.plans.create({ ...GOAL, status, ...(sessionId && { sessionId }) });
          made.unshift({ planId, status, sessionId });
          // Some are of the same moment: then the later id comes first.
          if (n % 3 === 0) ticking.advance(1);
        }
        const ids = (isWanted: (plan: (typeof made)[number]) => boolean): string[] =>
          made.filter(isWanted).map(({ planId }) => planId);
        const isActive = ({ status }: { status: string }): boolean => ['pending', 'running', 'paused'].includes(status);
        for (const limit of [1, 7, 100]) {
          assert.deepEqual(
            await listedIds(memory, { limit }),
            ids(() => true),
          );
          assert.deepEqual(await listedIds(memory, { limit, status: 'active' }), ids(isActive));
          assert.deepEqual(
            await listedIds(memory, { limit, status: 'failed' }),
            ids(({ status }) => status === 'failed'),
          );
          assert.deepEqual(
            await listedIds(memory, { limit, status: 'active', sessionId: 's1' }),
            ids((plan) => isActive(plan) && plan.sessionId === 's1'),
          );
        }
        const first = await memory.plans.list({});
        assert.deepEqual([first.count, first.plans.length], [50, 50]);
      },
      { clock: ticking },
    );

    test('refuse cursors that are broken or of another list', async (subject) => {
      const memory = subject.as(ALICE);
      for (let n = 0; n < 3; n += 1) await memory.plans.create(GOAL);
      for (let n = 0; n < 3; n += 1) await memory.sessions.create({});
      const { nextCursor: cursor } = await memory.plans.list({ limit: 1 });
      assert.ok(cursor !== null);
      assert.equal((await memory.plans.list({ limit: 2, cursor })).count, 2);
      const forged = Buffer.from(JSON.stringify([9e15, 'x', 'abcdefgh'])).toString('base64url');
      for (const broken of ['x', '', '🙂', cursor.slice(2), forged]) {
        await failure('VALIDATION_FAILED', memory.plans.list({ cursor: broken }));
      }
      await failure('VALIDATION_FAILED', memory.plans.list({ cursor, status: 'active' }));
      await failure('VALIDATION_FAILED', memory.sessions.list({ cursor }));
      await failure('VALIDATION_FAILED', subject.as({ userId: 'bob' }).plans.list({ cursor }));
      for (const limit of [0, 101, 1.5]) await failure('VALIDATION_FAILED', memory.plans.list({ limit }));
    });

    test('refuse what does not fit, and change nothing', async (subject) => {
      const { plans } = subject.as(ALICE);
      await plans.create({ planId: 'p', ...GOAL });
      const before = await plans.get({ planId: 'p' });
      for (const input of [
        {},
        { goalEvent: '' },
        { goalEvent: 'x'.repeat(256) },
        { ...GOAL, planId: LONG },
        { ...GOAL, planId: '' },
        { ...GOAL, status: 'finished' },
        { ...GOAL, status: 'active' },
        { ...GOAL, goalData: [] },
        { ...GOAL, goal: 1 },
        { ...GOAL, userId: 'bob' },
      ]) {
        await failure('VALIDATION_FAILED', plans.create(input as never));
      }
      await failure('VALIDATION_FAILED', plans.list({ status: 'done' as never }));
      await failure('VALIDATION_FAILED', plans.get({ planId: LONG }));
      await failure('VALIDATION_FAILED', plans.update({ planId: 'p', status: 'done' as never }));
      await failure('VALIDATION_FAILED', plans.update({ planId: 'p', userId: 'bob' } as never));
      await failure('LIMIT_EXCEEDED', plans.update({ planId: 'p', state: { text: 'x'.repeat(1024 * 1024) } }));
      assert.deepEqual(await plans.get({ planId: 'p' }), before);
    });
  });

  runner.describe('plan contexts', () => {
    test('are stored, replaced, moved and deleted', async (subject) => {
      const { planContexts } = subject.as(ALICE);
      const first = await planContexts.save({ planId: 'p', ...GOAL, sessionId: 's', correlationIds: ['c1', 'c1'] });
      assert.deepEqual([first.state, first.goalData, first.correlationIds], [{}, {}, ['c1']]);
      const second = await planContexts.save({ planId: 'p', ...GOAL, state: MACHINE, currentState: 'start' });
      assert.deepEqual([second.sessionId, second.correlationIds, second.createdAt], [undefined, [], first.createdAt]);
      assert.equal(await planContexts.byCorrelation({ correlationId: 'c1' }), null);
      const moved = await planContexts.update({ planId: 'p', currentState: 'end', ifVersion: second.version });
      assert.deepEqual([moved.currentState, moved.state], ['end', MACHINE]);
      await failure(
        'VERSION_CONFLICT',
        planContexts.update({ planId: 'p', currentState: 'start', ifVersion: second.version }),
      );
      assert.deepEqual(await planContexts.get({ planId: 'p' }), moved);
      assert.deepEqual(await planContexts.delete({ planId: 'p' }), { success: true });
      assert.deepEqual(await planContexts.delete({ planId: 'p' }), { success: false });
      assert.equal(await planContexts.get({ planId: 'p' }), null);
      await failure('NOT_FOUND', planContexts.update({ planId: 'p', currentState: 'end' }));
    });

    test('are found by the plan itself, else by what they list', async (subject) => {
      const { planContexts } = subject.as(ALICE);
      await planContexts.save({ planId: 'parent', ...GOAL, correlationIds: ['child', 'step-1'] });
      await planContexts.save({ planId: 'child', ...GOAL, correlationIds: ['step-2'] });
      const find = async (correlationId: string): Promise<string | undefined> =>
        (await planContexts.byCorrelation({ correlationId }))?.planId;
      assert.deepEqual(
        [await find('parent'), await find('child'), await find('step-1'), await find('step-2'), await find('step-3')],
        ['parent', 'child', 'parent', 'child', undefined],
      );
      await planContexts.update({ planId: 'parent', correlationIds: ['step-3'] });
      await planContexts.delete({ planId: 'child' });
      assert.deepEqual(
        [await find('step-1'), await find('step-2'), await find('step-3'), await find('child')],
        [undefined, undefined, 'parent', undefined],
      );
    });

    test('know their states where they describe them', async (subject) => {
      const { planContexts } = subject.as(ALICE);
      const input = { planId: 'p', ...GOAL };
      await failure('VALIDATION_FAILED', planContexts.save({ ...input, state: MACHINE, currentState: 'nowhere' }));
      await failure('VALIDATION_FAILED', planContexts.save({ ...input, state: MACHINE, currentState: 'toString' }));
      assert.equal(await planContexts.get({ planId: 'p' }), null);
      await planContexts.save({ ...input, currentState: 'anything' });
      await failure('VALIDATION_FAILED', planContexts.update({ planId: 'p', state: MACHINE }));
      await planContexts.update({ planId: 'p', state: MACHINE, currentState: 'start' });
      const error = await failure('VALIDATION_FAILED', planContexts.update({ planId: 'p', currentState: 'nowhere' }));
      assert.match(error.message, /start, end/);
      await planContexts.update({ planId: 'p', goalData: { still: 'fine' } });
      assert.equal((await planContexts.get({ planId: 'p' }))?.currentState, 'start');
    });
  });
}
