/** The flow of a worker that delegates, embedded and over HTTP: any order, the same moment, twice, and cut short. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import type { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { TaskContext, type SubTask, type TaskResponse } from '../src/workflow/task-context.ts';
import { openLamina, serveLamina } from './running-lamina.ts';

interface Subject {
  as(tenantId?: string): Memory;
  close(): Promise<void>;
}

function workerOf(memories: Pick<Lamina | LaminaClient, 'as'>): Subject['as'] {
  return (tenantId) => memories.as({ userId: 'worker', ...(tenantId && { tenantId }) });
}

async function openEmbedded(): Promise<Subject> {
  const { lamina, close } = await openLamina();
  return { as: workerOf(lamina), close };
}

async function openRemote(fetch?: typeof globalThis.fetch): Promise<Subject> {
  const opened = await openLamina();
  const served = await serveLamina(opened.lamina);
  const client = new LaminaClient({
    url: served.url,
    retry: { initialDelayMs: 1 },
    ...(fetch && { fetch: (target, init) => fetch(target, init) }),
  });
  return {
    as: workerOf(client),
    close: async () => {
      for (const each of [client, served, opened]) await each.close();
    },
  };
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map((item) => ({ item, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

const PARTS = ['web.search', 'paper.search', 'news.search'].map((eventType) => ({ eventType, data: { q: eventType } }));

/** What a worker does with a result: take it in, and complete the parent when it was the last. */
async function onResult(memory: Memory, part: SubTask, answers: TaskResponse[]): Promise<void> {
  const task = await TaskContext.restoreBySubtask(memory, part.subTaskId);
  if (task === null) return;
  if (await task.subtaskDone(part.subTaskId, { found: part.eventType })) {
    await task.complete(task.results, (answer) => answers.push(answer));
  }
}

let taskCount = 0;
const newTask = (memory: Memory, fields: object = {}): TaskContext =>
  TaskContext.create(memory, {
    taskId: `task-${(taskCount += 1)}`,
    planId: 'plan',
    eventType: 'research.requested',
    responseEvent: 'research.completed',
    data: { topic: 'AI trends' },
    ...fields,
  });

const WAYS: readonly (readonly [string, () => Promise<Subject>])[] = [
  ['embedded', openEmbedded],
  ['over HTTP', () => openRemote()],
];

describe.each(WAYS)('a task context %s', (_name, open) => {
  let subject: Subject;
  let memory: Memory;

  beforeAll(async () => {
    subject = await open();
    memory = subject.as();
  });

  afterAll(() => subject.close());

  it('completes exactly once, in whatever order, at the same moment, with results that come twice', async () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 15; round += 1) {
      const bus: SubTask[] = [];
      const task = newTask(memory);
      await task.save();
      const ids = await task.delegateAll(PARTS, (part) => bus.push(part));
      expect(bus.map(({ subTaskId }) => subTaskId)).toEqual(ids);
      const answers: TaskResponse[] = [];
      const deliveries = shuffled([...bus, ...bus], random);
      await Promise.all(deliveries.map((part) => onResult(memory, part, answers)));
      expect(answers).toEqual([
        {
          taskId: task.taskId,
          planId: 'plan',
          eventType: 'research.completed',
          topic: 'action-results',
          result: Object.fromEntries(bus.map(({ subTaskId, eventType }) => [subTaskId, { found: eventType }])),
        },
      ]);
      expect(await TaskContext.restore(memory, task.taskId)).toBeNull();
      for (const id of ids) expect(await TaskContext.restoreBySubtask(memory, id)).toBeNull();
    }
  }, 60_000);

  it('takes many results at the same moment', async () => {
    const task = newTask(memory);
    const parts = Array.from({ length: 25 }, (_, n) => ({ eventType: `part.${n}` }));
    const bus: SubTask[] = [];
    await task.delegateAll(parts, (part) => bus.push(part));
    const answers: TaskResponse[] = [];
    await Promise.all(bus.map((part) => onResult(memory, part, answers)));
    expect(answers.map(({ result }) => Object.keys(result as object).length)).toEqual([25]);
  });

  it('is stored before anybody hears of its parts', async () => {
    const task = newTask(memory);
    const seen: (string | undefined)[] = [];
    const look = async ({ subTaskId }: SubTask): Promise<void> => {
      const parent = await TaskContext.restoreBySubtask(memory, subTaskId);
      seen.push(parent?.taskId, String(parent?.subTasks.length));
    };
    const first = await task.delegate({ eventType: 'a', subTaskId: `${task.taskId}-mine`, responseTopic: 't' }, look);
    expect(first).toBe(`${task.taskId}-mine`);
    await task.delegateAll(PARTS, look);
    expect(seen).toEqual([task.taskId, '1', task.taskId, '4', task.taskId, '4', task.taskId, '4']);
    expect(task.subTasks).toHaveLength(4);
    expect((await TaskContext.restore(memory, task.taskId))?.data).toEqual({ topic: 'AI trends' });
  });

  it('gathers sub-tasks that several instances add at the same moment', async () => {
    const task = newTask(memory);
    await task.save();
    const ids = Array.from({ length: 12 }, (_, n) => `${task.taskId}-${n}`);
    await Promise.all(ids.map(async (id) => (await TaskContext.restore(memory, task.taskId))?.addSubtask(id)));
    expect((await TaskContext.restore(memory, task.taskId))?.subTasks.toSorted()).toEqual(ids.toSorted());
  });

  it('does not wait for a part that could not be sent', async () => {
    const task = newTask(memory);
    const sending = task.delegateAll(PARTS, ({ eventType }) => {
      if (eventType === 'paper.search') throw new Error('the bus is full');
    });
    await expect(sending).rejects.toThrow('the bus is full');
    const stored = await memory.tasks.get({ taskId: task.taskId });
    expect(stored?.subTasks).toHaveLength(2);
    expect(task.subTasks).toEqual(stored?.subTasks);
  });

  it('is taken up again when a worker stopped between the last result and the completion', async () => {
    const task = newTask(memory);
    const [first = '', last = ''] = await task.delegateAll(PARTS.slice(1));
    expect(await (await TaskContext.restoreBySubtask(memory, first))?.subtaskDone(first, 1)).toBe(false);
    expect(await (await TaskContext.restoreBySubtask(memory, last))?.subtaskDone(last, 2)).toBe(true);
    // Here the worker stops, and the result is delivered again.
    const again = await TaskContext.restoreBySubtask(memory, last);
    expect(again?.subTasks).toEqual([]);
    expect(await again?.subtaskDone(last, 'another')).toBe(true);
    expect(again?.results).toEqual({ [first]: 1, [last]: 2 });
    expect(await again?.complete()).toBe(true);
    expect(await again?.complete()).toBe(false);
    expect(await task.subtaskDone(last, 3)).toBe(false);
    await expect(task.addSubtask('late')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(task.save()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('follows up on a result with further parts', async () => {
    const task = newTask(memory);
    const first = await task.delegate({ eventType: 'a' });
    const handler = await TaskContext.restoreBySubtask(memory, first);
    const second = await handler?.delegate({ eventType: 'b' });
    expect(await handler?.subtaskDone(first)).toBe(false);
    expect(await task.subtaskDone(second ?? '')).toBe(true);
    expect(await task.subtaskDone('unknown')).toBe(false);
  });

  it('has one of many who complete it, and keeps what could not be published', async () => {
    const task = newTask(memory);
    await task.save();
    const failing = task.complete('lost', () => {
      throw new Error('the bus is down');
    });
    await expect(failing).rejects.toThrow('the bus is down');
    const instances = await Promise.all(Array.from({ length: 10 }, () => TaskContext.restore(memory, task.taskId)));
    const outcomes = await Promise.all([task, ...instances].map(async (each) => each?.complete('kept')));
    expect(outcomes.filter((isMine) => isMine)).toHaveLength(1);
  });

  it('does not complete over parts that it does not know of', async () => {
    const task = newTask(memory);
    await task.save();
    const other = await TaskContext.restore(memory, task.taskId);
    await other?.updateState((state) => ({ ...state, note: 'harmless' }));
    const part = await other?.delegate({ eventType: 'late' });
    expect(await task.complete()).toBe(false);
    expect(task.subTasks).toEqual([part]);
    await other?.updateState((state) => ({ ...state, note: 'again' }));
    expect(await task.complete('given up')).toBe(true);
  });

  it('completes once without ever having been stored', async () => {
    const task = newTask(memory);
    const answers: TaskResponse[] = [];
    expect(await task.complete(1, (answer) => answers.push(answer))).toBe(true);
    expect(await task.complete(2, (answer) => answers.push(answer))).toBe(false);
    expect(answers.map(({ result }) => result)).toEqual([1]);
  });

  it('writes what was changed locally, and refuses to overwrite what it has not seen', async () => {
    const task = newTask(memory);
    task.state['progress'] = 0.5;
    await task.delegate({ eventType: 'a' });
    expect((await TaskContext.restore(memory, task.taskId))?.state).toEqual({ progress: 0.5 });
    task.state = { progress: 0.75 };
    task.data = { topic: 'narrowed' };
    await task.save();
    const other = await TaskContext.restore(memory, task.taskId);
    expect([other?.state, other?.data]).toEqual([{ progress: 0.75 }, { topic: 'narrowed' }]);
    await other?.updateState((state) => ({ ...state, by: 'other' }));
    task.state['progress'] = 1;
    await expect(task.save()).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await expect(task.delegate({ eventType: 'b' })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect((await TaskContext.restore(memory, task.taskId))?.state).toEqual({ progress: 0.75, by: 'other' });
  });

  it('keeps what is changed while a write is under way, for the next one', async () => {
    const task = newTask(memory, { state: { a: 1, gone: 1 }, data: { q: 'x' } });
    for (const write of [() => task.save(), () => task.save(), () => task.addSubtask('part')]) {
      const writing = write();
      task.state['a'] = Number(task.state['a']) + 1;
      task.data = { ...task.data, late: task.state['a'] };
      await writing;
    }
    expect([task.state['a'], task.data]).toEqual([4, { q: 'x', late: 4 }]);
    // A result that comes in at the same time is not lost over it.
    await task.save();
    const done = task.subtaskDone('part', 'result');
    delete task.state['gone'];
    await done;
    expect(task.state).toEqual({ a: 4, results: { part: 'result' } });
    await task.save();
    const stored = await TaskContext.restore(memory, task.taskId);
    expect([stored?.state, stored?.data]).toEqual([task.state, { q: 'x', late: 4 }]);
  });

  it('loses no change of state', async () => {
    const task = newTask(memory, { state: { count: 0 } });
    await task.save();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const own = await TaskContext.restore(memory, task.taskId);
        await own?.updateState((state) => ({ count: Number(state['count']) + 1 }));
      }),
    );
    expect((await TaskContext.restore(memory, task.taskId))?.state).toEqual({ count: 20 });
  });

  it('is not there for another tenant', async () => {
    const task = newTask(memory);
    const part = await task.delegate({ eventType: 'a' });
    const stranger = subject.as('00000000-0000-0000-0000-0000000000cc');
    expect(await TaskContext.restore(stranger, task.taskId)).toBeNull();
    expect(await TaskContext.restoreBySubtask(stranger, part)).toBeNull();
  });
});

describe('a task context over a bad line', () => {
  it('still completes exactly once when the answers to its changes get lost', async () => {
    let lost = 0;
    const calls = new Set<string>();
    const subject = await openRemote(async (url, init) => {
      const response = await fetch(url, init);
      // The change was made, but nobody learns of it at the first attempt.
      const call = JSON.stringify([init?.method, url, init?.body, [...new Headers(init?.headers)]]);
      if (init?.method !== 'PUT' || calls.has(call)) return response;
      calls.add(call);
      lost += 1;
      throw new TypeError('the line went dead');
    });
    try {
      const memory = subject.as();
      const bus: SubTask[] = [];
      const answers: TaskResponse[] = [];
      await newTask(memory).delegateAll(PARTS, (part) => bus.push(part));
      await Promise.all(bus.map((part) => onResult(memory, part, answers)));
      expect(answers.map(({ result }) => Object.keys(result as object).length)).toEqual([3]);
      expect(lost).toBeGreaterThanOrEqual(4);
    } finally {
      await subject.close();
    }
  });
});
