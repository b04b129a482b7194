/** What the inspector makes of the shapes that planners and workers store. */

import { expect, it } from 'vitest';
import { blockLines, budgetParts } from '../inspector/src/pages/turn/block-lines.ts';
import { machineOf, placesOf } from '../inspector/src/pages/agents/state-machine.ts';
import { taskTree } from '../inspector/src/pages/agents/task-tree.ts';
import { barOf } from '../inspector/src/pages/agents/timeline.ts';
import type { TaskContextRecord } from '../src/domain/task-context.ts';
import { OPERATIONS } from '../src/operations/table.ts';

it('reads a state machine in either spelling, and lays it out by steps', () => {
  const listed = { states: { a: { transitions: [{ on_event: 'go', to_state: 'b' }] }, b: { is_terminal: true } } };
  const byEvent = { states: { a: { on: { go: { target: 'b' } } }, b: { type: 'final' } } };
  const machine = machineOf(listed, 'a');
  expect(machineOf(byEvent, 'a')).toEqual(machine);
  expect(machine?.transitions).toEqual([{ from: 'a', to: 'b', event: 'go' }]);
  expect(machine?.states).toEqual([
    { name: 'a', isFinal: false },
    { name: 'b', isFinal: true },
  ]);
  expect(machineOf({ states: ['a'] }, 'a')).toBeUndefined();
  expect(machineOf({}, undefined)).toBeUndefined();
  const circle = machineOf({ states: { x: { on: { n: 'y' } }, y: { on: { n: 'x' } }, z: {} } }, 'x');
  expect(Object.fromEntries(circle ? placesOf({ ...circle, states: circle.states.slice(0, 2) }) : [])).toEqual({
    x: { column: 0, row: 0 },
    y: { column: 1, row: 0 },
  });
});

it('makes a tree of tasks, also of those that wait for each other', () => {
  const task = (taskId: string, fields: Partial<TaskContextRecord> = {}): TaskContextRecord => ({
    taskId,
    eventType: 'asked',
    responseTopic: 'action-results',
    data: {},
    subTasks: [],
    state: {},
    version: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...fields,
  });
  const [root, ...others] = taskTree([
    task('part'),
    task('whole', { subTasks: ['part', 'elsewhere'], state: { results: { back: 1 } } }),
  ]);
  expect([root?.id, root?.status, others]).toEqual(['whole', 'waiting', []]);
  expect(root?.children.map(({ id, status }) => [id, status])).toEqual([
    ['back', 'done'],
    ['part', 'running'],
    ['elsewhere', 'waiting'],
  ]);
  const [ready] = taskTree([task('w', { subTasks: ['a'], state: { results: { a: null } } })]);
  expect(ready?.status).toBe('ready');
  const circle = taskTree([task('a', { subTasks: ['b'] }), task('b', { subTasks: ['a'] })]);
  expect(circle.map(({ id }) => id)).toEqual(['a']);
});

it('gives every line of a prompt to what it came from', () => {
  const turn = OPERATIONS.turnContext.example.output;
  const lines = blockLines(turn);
  expect(lines.map(({ text }) => text).join('\n')).toBe(turn.prompt);
  expect(lines.flatMap(({ text, taken }) => (taken === undefined ? [] : [[text, taken.id]]))).toEqual([
    ["- User's name is Alex", turn.receipt.taken[0]?.id],
    ['- User prefers concise responses', turn.receipt.taken[1]?.id],
  ]);
  const parts = budgetParts(turn.receipt);
  expect(parts.map(({ name }) => name)).toEqual(['memory', 'frame']);
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(turn.tokens);
});

it('cuts a session to the time that is shown', () => {
  const shown = { from: 100, to: 200 };
  expect(barOf({ from: 50, to: 150 }, shown)).toEqual({ left: 0, width: 50 });
  expect(barOf({ from: 150, to: 400 }, shown)).toEqual({ left: 50, width: 50 });
  expect(barOf({ from: 0, to: 99 }, shown)).toBeUndefined();
});
