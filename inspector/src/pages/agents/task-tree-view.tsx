/** The tasks of a plan, drawn as a tree. */

import type { VNode } from 'preact';
import type { TaskContextRecord } from '../../../../src/domain/task-context.ts';
import { JsonView } from '../../components/json-view.tsx';
import { Time } from '../../components/time.tsx';
import { taskTree, type TaskNode } from './task-tree.ts';
import { WorkStatus } from './work-status.tsx';

export function TaskTreeView({ tasks }: { readonly tasks: readonly TaskContextRecord[] }): VNode {
  return (
    <ul class="task-tree" aria-label="Tasks">
      {taskTree(tasks).map((node) => (
        <Node node={node} key={node.id} />
      ))}
    </ul>
  );
}

function statusText({ status, children }: TaskNode): string {
  if (status === 'waiting' && children.length > 0) {
    const done = children.filter((child) => child.status === 'done').length;
    return `waiting: ${done} of ${children.length} back`;
  }
  return status === 'ready' ? 'all parts back' : status;
}

function Node({ node }: { readonly node: TaskNode }): VNode {
  const { id, status, task, result, children } = node;
  return (
    <li>
      <div class="task">
        <div class="meta-row">
          <WorkStatus status={status}>{statusText(node)}</WorkStatus>
          <b class="task-id">{id}</b>
          {task !== undefined && (
            <>
              <span>
                {task.eventType}
                {task.responseEvent !== undefined && ` → ${task.responseEvent}`}
              </span>
              <Time at={task.updatedAt} />
            </>
          )}
        </div>
        {(task !== undefined || result !== undefined) && (
          <details>
            <summary>{result === undefined ? 'Data and state' : 'Result'}</summary>
            <JsonView
              label={`Of ${id}`}
              value={result === undefined ? { data: task?.data, state: task?.state } : result}
            />
          </details>
        )}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Node node={child} key={child.id} />
          ))}
        </ul>
      )}
    </li>
  );
}
