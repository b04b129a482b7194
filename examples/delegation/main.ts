/** A worker gives three parts of its task away, and answers once, whenever and however often the parts come back. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
// In a program of yours: from 'lamina'.
import { Lamina, TaskContext, type Memory, type SubTask } from '../../src/index.ts';

/** Three colleagues, each as slow as it likes. They know nothing of Lamina. */
const COLLEAGUES: Readonly<Record<string, { readonly takesMs: number; readonly finds: string }>> = {
  'web.search': { takesMs: 20, finds: 'twelve articles' },
  'paper.search': { takesMs: 20, finds: 'three papers' },
  'news.search': { takesMs: 5, finds: 'one headline' },
};

/** Stands in for a message bus that delivers at least once, which is to say: sometimes twice. */
class Bus {
  readonly #deliveries: Promise<void>[] = [];

  send(what: string, deliver: () => Promise<void>): void {
    console.log(`  → ${what}`);
    this.#deliveries.push(deliver());
  }

  async quiet(): Promise<void> {
    for (const delivery of this.#deliveries) await delivery;
  }
}

let answers = 0;

/** The worker is asked for something, and gives its parts away. All of them are stored before the first one is sent. */
async function onTask(memory: Memory, bus: Bus): Promise<void> {
  const task = TaskContext.create(memory, {
    taskId: 'task-123',
    planId: 'plan-456',
    eventType: 'research.requested',
    responseEvent: 'research.completed',
    data: { topic: 'AI trends' },
  });
  await task.save();
  console.log(`The worker is asked for research on ${String(task.data['topic'])}, and delegates:`);
  const parts = Object.keys(COLLEAGUES).map((eventType) => ({ eventType, data: task.data }));
  await task.delegateAll(parts, (part) => bus.send(part.eventType, () => workOn(part, memory, bus)));
  console.log('The worker has nothing left to do, and forgets all about it.');
}

/** A colleague answers; the bus delivers the answer of one of them twice. */
async function workOn(part: SubTask, memory: Memory, bus: Bus): Promise<void> {
  const { takesMs, finds } = COLLEAGUES[part.eventType] ?? { takesMs: 0, finds: 'nothing' };
  await sleep(takesMs);
  const times = part.eventType === 'web.search' ? 2 : 1;
  await Promise.all(
    Array.from({ length: times }, async () =>
      onResult(memory, part.subTaskId, `${part.eventType} found ${finds}`, bus),
    ),
  );
}

/** A worker, any worker, is handed a result: it takes up the task that waits for it. */
async function onResult(memory: Memory, subTaskId: string, result: string, bus: Bus): Promise<void> {
  const task = await TaskContext.restoreBySubtask(memory, subTaskId);
  if (task === null) {
    console.log(`A worker hears again that ${result}. That is settled.`);
    return;
  }
  const isAllDone = await task.subtaskDone(subTaskId, result);
  console.log(`A worker hears that ${result}. Still out: ${task.subTasks.length}.`);
  if (!isAllDone) return;
  const isMine = await task.complete(Object.values(task.results), (response) => {
    bus.send(`${response.eventType ?? ''} for ${response.taskId}: ${JSON.stringify(response.result)}`, async () => {
      answers += 1;
    });
  });
  console.log(isMine ? 'The task is complete.' : 'Somebody else has just completed the task.');
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-delegation-'));
const lamina = await Lamina.open({ folder });
try {
  const bus = new Bus();
  const memory = lamina.as({ userId: 'research-worker' });
  await onTask(memory, bus);
  await bus.quiet();
  const left = await TaskContext.restore(memory, 'task-123');
  console.log(`Answers sent: ${answers}. Left in memory: ${left?.taskId ?? 'nothing'}.`);
  if (answers !== 1) process.exitCode = 1;
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
