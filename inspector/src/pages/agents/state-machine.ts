/** A planner's state machine, read from what the planner stored, and laid out in columns. Pure. */

import { PLAN_STATUSES, type Plan } from '../../../../src/domain/plan.ts';

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

export interface StateMachine {
  readonly states: readonly { readonly name: string; readonly isFinal: boolean }[];
  readonly transitions: readonly Transition[];
  readonly current: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/**
 * The machine under `states`, an object by name. Transitions are a list (`transitions: [{ on_event, to_state }]`) or an object by
 * event (`on: { event: state }`); other spellings of these are understood. Undefined where it describes none.
 */
export function machineOf(state: Fields, current: string | undefined): StateMachine | undefined {
  const { states } = state;
  if (!isFields(states) || Object.keys(states).length === 0) return undefined;
  const transitions = Object.entries(states).flatMap(([from, described]) => transitionsOf(from, described));
  const names = new Set([...Object.keys(states), ...transitions.map(({ to }) => to)]);
  return {
    states: [...names].map((name) => ({ name, isFinal: isFinal(states[name]) })),
    transitions,
    current,
  };
}

function isFinal(described: unknown): boolean {
  if (!isFields(described)) return false;
  const { is_terminal, isTerminal, terminal, final, type } = described;
  return [is_terminal, isTerminal, terminal, final].includes(true) || type === 'final';
}

function transitionsOf(from: string, described: unknown): Transition[] {
  if (!isFields(described)) return [];
  const { transitions, on } = described;
  const listed = Array.isArray(transitions) ? transitions.filter(isFields) : [];
  const byEvent = isFields(on) ? Object.entries(on) : [];
  return [
    ...listed.flatMap((one) => {
      const to = textOf(one, 'to_state', 'toState', 'to', 'target');
      const event = textOf(one, 'on_event', 'onEvent', 'event', 'on') ?? '';
      return to === undefined ? [] : [{ from, to, event }];
    }),
    ...byEvent.flatMap(([event, target]) => {
      const to = isFields(target) ? textOf(target, 'target', 'to') : target;
      return typeof to === 'string' ? [{ from, to, event }] : [];
    }),
  ];
}

/** What every plan goes through, for one that describes no machine of its own. */
export function lifeOf({ status }: Pick<Plan, 'status'>): StateMachine {
  return {
    states: PLAN_STATUSES.map((name) => ({ name, isFinal: !['pending', 'running', 'paused'].includes(name) })),
    transitions: [
      { from: 'pending', to: 'running', event: '' },
      // What can be gone back from first: its way back then runs above the others.
      { from: 'running', to: 'paused', event: '' },
      { from: 'paused', to: 'running', event: '' },
      { from: 'running', to: 'completed', event: '' },
      { from: 'running', to: 'failed', event: '' },
      { from: 'running', to: 'cancelled', event: '' },
    ],
    current: status,
  };
}

export interface Place {
  readonly column: number;
  readonly row: number;
}

/** Each state in the column of its fewest steps from the start; what cannot be reached comes last. */
export function placesOf({ states, transitions }: StateMachine): ReadonlyMap<string, Place> {
  const targets = new Set(transitions.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const start = states.find(({ name }) => !targets.has(name)) ?? states[0];
  const columns: string[][] = [];
  const seen = new Set<string>();
  let next = start === undefined ? [] : [start.name];
  while (next.length > 0) {
    for (const name of next) seen.add(name);
    columns.push(next);
    const reached = next.flatMap((name) => transitions.filter(({ from }) => from === name).map(({ to }) => to));
    next = [...new Set(reached)].filter((name) => !seen.has(name));
  }
  const others = states.map(({ name }) => name).filter((name) => !seen.has(name));
  if (others.length > 0) columns.push(others);
  return new Map(columns.flatMap((names, column) => names.map((name, row) => [name, { column, row }] as const)));
}
