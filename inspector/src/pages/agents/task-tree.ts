/** The tasks of a plan as a tree: what each waits for, and what has come back. Pure. */

import type { TaskContextRecord } from '../../../../src/domain/task-context.ts';

export interface TaskNode {
  readonly id: string;
  /** `waiting` for parts of it, `ready` when all have come back, `running` without parts; `done` came back. */
  readonly status: 'done' | 'ready' | 'running' | 'waiting';
  /** Absent for a part of which no context is kept: whoever does it keeps none, or it has come to its end. */
  readonly task?: TaskContextRecord;
  /** Of what came back. */
  readonly result?: unknown;
  readonly children: readonly TaskNode[];
}

function resultsOf({ state }: TaskContextRecord): Readonly<Record<string, unknown>> {
  const { results } = state;
  return typeof results === 'object' && results !== null && !Array.isArray(results)
    ? (results as Readonly<Record<string, unknown>>)
    : {};
}

/** What it listed first comes first: done parts, as they came back, then those that are waited for. */
function partsOf(task: TaskContextRecord): string[] {
  return [...new Set([...Object.keys(resultsOf(task)), ...task.subTasks])];
}

/** Oldest first. A task that is a part of another stands under it. */
export function taskTree(tasks: readonly TaskContextRecord[]): TaskNode[] {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const inner = new Set(tasks.flatMap((task) => partsOf(task).filter((id) => id !== task.taskId)));
  const seen = new Set<string>();
  const ordered = tasks.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const roots = ordered.filter(({ taskId }) => !inner.has(taskId)).map((task) => nodeOf(task, byId, seen));
  // Tasks that wait for each other have no root: shown all the same.
  const others = ordered.flatMap((task) => (seen.has(task.taskId) ? [] : [nodeOf(task, byId, seen)]));
  return [...roots, ...others];
}

function nodeOf(task: TaskContextRecord, byId: ReadonlyMap<string, TaskContextRecord>, seen: Set<string>): TaskNode {
  seen.add(task.taskId);
  const results = resultsOf(task);
  const children = partsOf(task).map((id): TaskNode => {
    const own = byId.get(id);
    const came = Object.hasOwn(results, id) ? { result: results[id], status: 'done' as const } : {};
    if (own !== undefined && !seen.has(id)) return { ...nodeOf(own, byId, seen), ...came };
    return { id, status: 'waiting', children: [], ...came };
  });
  const isWaiting = children.some(({ status }) => status !== 'done');
  const status = children.length === 0 ? 'running' : isWaiting ? 'waiting' : 'ready';
  return { id: task.taskId, status, task, children };
}
