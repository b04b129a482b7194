/** Task contexts: what workers must remember while others do parts of their tasks. The tenant's. */

import type { Principal } from '../../domain/principal.ts';
import {
  DEFAULT_RESPONSE_TOPIC,
  type DeleteTaskInput,
  type ListTasksInput,
  type ListTasksOutput,
  type SaveTaskInput,
  type TaskContextRecord,
  type UpdateTaskInput,
} from '../../domain/task-context.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordPage } from '../records/page.ts';
import { assertCount, assertSize, assertVersion, isoAt, merged, orAbsent, put, unique } from '../records/record.ts';

export interface Tasks {
  /** Stores it, or puts it in the place of what the task had. */
  save(principal: Principal, input: SaveTaskInput): Promise<TaskContextRecord>;
  get(principal: Principal, taskId: string): Promise<TaskContextRecord | null>;
  /** Of a plan, newest first. */
  list(principal: Principal, input: ListTasksInput): Promise<ListTasksOutput>;
  /** The task that lists this sub-task. */
  bySubtask(principal: Principal, subtaskId: string): Promise<TaskContextRecord | null>;
  /** Throws `NOT_FOUND` or `VERSION_CONFLICT`. */
  update(principal: Principal, input: UpdateTaskInput): Promise<TaskContextRecord>;
  /** False when it was not there. Of many who delete it at once, one gets true. */
  delete(principal: Principal, input: DeleteTaskInput): Promise<boolean>;
}

export function createTasks(dependencies: Dependencies): Tasks {
  const { taskContexts } = dependencies.records;
  return {
    save: (principal, input) => save(dependencies, principal, input),
    get: (principal, taskId) => taskContexts.get(principal, taskId),
    list: (principal, input) => list(dependencies, principal, input),
    bySubtask: (principal, subtaskId) => taskContexts.findByLink(principal, subtaskId),
    update: (principal, input) => update(dependencies, principal, input),
    delete: async (principal, { taskId, ifVersion }) =>
      (await taskContexts.remove(principal, taskId, (current) => assertVersion(current, ifVersion))) !== null,
  };
}

async function list(
  { records }: Dependencies,
  principal: Principal,
  { planId, limit, cursor }: ListTasksInput,
): Promise<ListTasksOutput> {
  const page = await recordPage(records.taskContexts, principal, {
    list: 'tasks',
    where: { planId: [planId] },
    limit,
    cursor,
    place: (task) => [task.createdAt, task.taskId],
  });
  return { tasks: page.items, count: page.items.length, nextCursor: page.nextCursor };
}

function assertFits({ limits }: Dependencies, input: SaveTaskInput | UpdateTaskInput): void {
  assertSize('data', input.data, limits);
  assertSize('state', input.state, limits);
  assertCount('subTasks', input.subTasks, limits);
}

async function save(
  dependencies: Dependencies,
  principal: Principal,
  input: SaveTaskInput,
): Promise<TaskContextRecord> {
  assertFits(dependencies, input);
  const now = isoAt(dependencies.clock.now());
  const { responseTopic = DEFAULT_RESPONSE_TOPIC, data = {}, state = {}, subTasks = [] } = input;
  const fields = { ...input, responseTopic, data, state, subTasks: unique(subTasks) };
  const draft = { ...fields, createdAt: now, updatedAt: now };
  return put(dependencies.records.taskContexts, principal, input.taskId, draft);
}

async function update(
  dependencies: Dependencies,
  principal: Principal,
  input: UpdateTaskInput,
): Promise<TaskContextRecord> {
  assertFits(dependencies, input);
  const { taskId, ifVersion, ...fields } = input;
  const { clock, records } = dependencies;
  const changed = await records.taskContexts.change(principal, taskId, (current) => {
    assertVersion(current, ifVersion);
    const next = merged(current, { ...fields, subTasks: fields.subTasks && unique(fields.subTasks) });
    return { ...next, updatedAt: isoAt(clock.now()) };
  });
  return orAbsent('task context', changed);
}
