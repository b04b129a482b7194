/** Contract: task contexts, and the flow of a worker that delegates. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const TASK = { taskId: 'task-123', eventType: 'research.requested' };
const CONTENDERS = 20;

export function tasksContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('task contexts', () => {
    const clock = new ManualClock();
    test(
      'are stored, read, changed, replaced and deleted',
      async (subject) => {
        const { tasks } = subject.as(ALICE);
        const at = new Date(clock.now()).toISOString();
        const data = { query: 'AI trends', depth: [1, { someKey: null }] };
        const full = { ...TASK, planId: 'plan-456', responseEvent: 'research.completed', data };
        const { version, ...saved } = await tasks.save({ ...full, subTasks: ['sub-1', 'sub-2', 'sub-1'] });
        assert.deepEqual(saved, {
          ...full,
          responseTopic: 'action-results',
          subTasks: ['sub-1', 'sub-2'],
          state: {},
          createdAt: at,
          updatedAt: at,
        });
        assert.deepEqual(await tasks.get({ taskId: TASK.taskId }), { ...saved, version });
        clock.advance(1000);
        const changed = await tasks.update({ taskId: TASK.taskId, subTasks: ['sub-3'], state: { progress: 0.75 } });
        assert.deepEqual(
          [changed.subTasks, changed.state, changed.data, changed.planId],
          [['sub-3'], { progress: 0.75 }, data, 'plan-456'],
        );
        const replaced = await tasks.save({ ...TASK, responseTopic: 'mine' });
        assert.deepEqual(
          [replaced.subTasks, replaced.state, replaced.data, replaced.planId, replaced.responseTopic],
          [[], {}, {}, undefined, 'mine'],
        );
        assert.deepEqual([replaced.createdAt, replaced.updatedAt > at], [at, true]);
        assert.deepEqual(await tasks.delete({ taskId: TASK.taskId }), { success: true });
        assert.deepEqual(await tasks.delete({ taskId: TASK.taskId }), { success: false });
        assert.equal(await tasks.get({ taskId: TASK.taskId }), null);
        await failure('NOT_FOUND', tasks.update({ taskId: TASK.taskId, state: {} }));
      },
      { clock },
    );

    test('are found by the sub-tasks that they list, and by those only', async (subject) => {
      const { tasks } = subject.as(ALICE);
      const parent = async (subtaskId: string): Promise<string | undefined> =>
        (await tasks.bySubtask({ subtaskId }))?.taskId;
      await tasks.save({ ...TASK, subTasks: ['s1', 's10', 'a/b', 'by-subtask'] });
      await tasks.save({ ...TASK, taskId: 'by-subtask', subTasks: ['s2'] });
      for (const id of ['s1', 's10', 'a/b', 'by-subtask']) assert.equal(await parent(id), TASK.taskId);
      assert.deepEqual(
        [await parent('s2'), await parent('s'), await parent('s3')],
        ['by-subtask', undefined, undefined],
      );
      assert.equal((await tasks.get({ taskId: 'by-subtask' }))?.taskId, 'by-subtask');
      await tasks.update({ taskId: TASK.taskId, subTasks: ['s3', 's10'] });
      assert.deepEqual(
        [await parent('s1'), await parent('s3'), await parent('s10')],
        [undefined, TASK.taskId, TASK.taskId],
      );
      await tasks.update({ taskId: TASK.taskId, state: { progress: 1 } });
      assert.equal(await parent('s3'), TASK.taskId);
      await tasks.save({ ...TASK, subTasks: ['s4'] });
      assert.deepEqual([await parent('s3'), await parent('s4')], [undefined, TASK.taskId]);
      await tasks.delete({ taskId: TASK.taskId });
      assert.deepEqual([await parent('s4'), await parent('s2')], [undefined, 'by-subtask']);
    });

    const ticking = new ManualClock();
    test(
      'that list the same sub-task are found newest first',
      async (subject) => {
        const { tasks } = subject.as(ALICE);
        for (const taskId of ['b', 'c', 'a']) {
          await tasks.save({ ...TASK, taskId, subTasks: ['shared'] });
          ticking.advance(1);
        }
        for (const taskId of ['a', 'c', 'b']) {
          assert.equal((await tasks.bySubtask({ subtaskId: 'shared' }))?.taskId, taskId);
          await tasks.delete({ taskId });
        }
        assert.equal(await tasks.bySubtask({ subtaskId: 'shared' }), null);
      },
      { clock: ticking },
    );

    const listing = new ManualClock();
    test(
      'are listed by their plan, newest first, page by page',
      async (subject) => {
        const { tasks } = subject.as(ALICE);
        for (const [taskId, planId] of [['a', 'p1'], ['b', 'p2'], ['c', 'p1'], ['d', 'p1'], ['e']] as const) {
          await tasks.save({ ...TASK, taskId, ...(planId !== undefined && { planId }) });
          listing.advance(1);
        }
        const first = await tasks.list({ planId: 'p1', limit: 2 });
        assert.deepEqual([first.tasks.map(({ taskId }) => taskId), first.count], [['d', 'c'], 2]);
        const { nextCursor: cursor } = first;
        assert.ok(cursor !== null);
        const second = await tasks.list({ planId: 'p1', limit: 2, cursor });
        assert.deepEqual([second.tasks.map(({ taskId }) => taskId), second.nextCursor], [['a'], null]);
        await failure('VALIDATION_FAILED', tasks.list({ planId: 'p2', cursor }));
        assert.equal((await tasks.list({ planId: 'nobody' })).count, 0);
        const { tasks: others } = subject.as({ userId: 'alice', tenantId: '11111111-1111-4111-8111-111111111111' });
        assert.equal((await others.list({ planId: 'p1' })).count, 0);
      },
      { clock: listing },
    );

    test('of one version have one changer and one deleter', async (subject) => {
      const { tasks } = subject.as(ALICE);
      const { version } = await tasks.save(TASK);
      const { taskId } = TASK;
      const updates = await Promise.allSettled(
        Array.from({ length: CONTENDERS }, (_, n) => tasks.update({ taskId, subTasks: [`s${n}`], ifVersion: version })),
      );
      const won = updates.flatMap((each) => (each.status === 'fulfilled' ? each.value.subTasks : []));
      assert.equal(won.length, 1);
      for (let n = 0; n < CONTENDERS; n += 1) {
        assert.equal((await tasks.bySubtask({ subtaskId: `s${n}` })) !== null, `s${n}` === won[0]);
      }
      await failure('VERSION_CONFLICT', tasks.delete({ taskId, ifVersion: version }));
      const deletions = await Promise.all(Array.from({ length: CONTENDERS }, () => tasks.delete({ taskId })));
      assert.equal(deletions.filter(({ success }) => success).length, 1);
    });

    test('survive saves, changes and deletions at the same moment', async (subject) => {
      const { tasks } = subject.as(ALICE);
      const { taskId } = TASK;
      await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          if (n % 3 === 0) await tasks.save({ ...TASK, subTasks: [`s${n}`] });
          else if (n % 3 === 1) await tasks.delete({ taskId });
          else await tasks.update({ taskId, subTasks: [`s${n}`] }).catch(() => undefined);
        }),
      );
      const left = await tasks.get({ taskId });
      for (let n = 0; n < 60; n += 1) {
        const isListed = left?.subTasks.includes(`s${n}`) ?? false;
        assert.equal((await tasks.bySubtask({ subtaskId: `s${n}` })) !== null, isListed);
      }
    });

    test('refuse what does not fit, and change nothing', async (subject) => {
      const { tasks } = subject.as(ALICE);
      const long = 'x'.repeat(101);
      for (const input of [
        { taskId: 'x' },
        { eventType: 'x' },
        { ...TASK, taskId: long },
        { ...TASK, planId: long },
        { ...TASK, subTasks: [long] },
        { ...TASK, subTasks: 'x' },
        { ...TASK, subTasks: [''] },
        { ...TASK, responseTopic: '' },
        { ...TASK, data: null },
        { ...TASK, unknown: 1 },
      ]) {
        await failure('VALIDATION_FAILED', tasks.save(input as never));
      }
      await failure('VALIDATION_FAILED', tasks.bySubtask({ subtaskId: long }));
      await failure('LIMIT_EXCEEDED', tasks.save({ ...TASK, data: { text: 'x'.repeat(1024 * 1024) } }));
      const many = Array.from({ length: 1001 }, (_, n) => `s${n}`);
      await failure('LIMIT_EXCEEDED', tasks.save({ ...TASK, subTasks: many }));
      assert.equal(await tasks.get({ taskId: TASK.taskId }), null);
      assert.equal((await tasks.save({ ...TASK, subTasks: many.slice(1) })).subTasks.length, 1000);
    });
  });
}
