/** What `lamina doctor` found, for people and for machines. */

import { GROUPS, type Finding, type FindingState } from '../compose/doctor/check.ts';
import { stateOf, type CheckedReport } from '../compose/doctor/run-checks.ts';
import type { Repaired } from './repair-findings.ts';
import { counted } from './terminal/counted.ts';
import type { View } from './terminal/view.ts';

const MARKS = {
  ok: { mark: '✓', format: 'green' },
  warning: { mark: '!', format: 'yellow' },
  problem: { mark: '✗', format: 'red' },
} as const;

/** What matters most first. */
const ORDER: readonly FindingState[] = ['problem', 'warning', 'ok'];

export function doctorJson(reports: readonly CheckedReport[], repaired: readonly Repaired[]): object {
  return {
    status: stateOf(reports),
    counts: countsOf(reports),
    checks: reports.map(({ name, group, findings }) => ({
      name,
      group,
      findings: findings.map(({ state, message, fix, repair }) => ({
        state,
        message,
        ...(fix !== undefined && { fix }),
        ...(repair && { repairable: true }),
      })),
    })),
    ...(repaired.length > 0 && { repairs: repaired.map(({ does, isDone, told }) => ({ does, isDone, told })) }),
  };
}

export function doctorText(reports: readonly CheckedReport[], repaired: readonly Repaired[], view: View): string {
  const groups = GROUPS.map((group) => ({ group, own: reports.filter((each) => each.group === group) }));
  const lines = groups.flatMap(({ group, own }) =>
    own.length === 0
      ? []
      : [view.paint('bold', group), ...own.flatMap(findingsOf).toSorted(byState).flatMap(linesOf(view)), ''],
  );
  const done = repaired.map(({ told, isDone }) => `${isDone ? 'Put right' : 'Left'}: ${told}`);
  return [...lines, ...done, ...(done.length > 0 ? [''] : []), summary(reports, view)].join('\n');
}

interface Named extends Finding {
  readonly name: string;
}

function findingsOf({ name, findings }: CheckedReport): Named[] {
  return findings.map((finding) => ({ ...finding, name }));
}

function byState(a: Finding, b: Finding): number {
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state);
}

function linesOf({ paint }: View): (finding: Named) => string[] {
  return ({ state, name, message, fix }) => {
    const { mark, format } = MARKS[state];
    const line = `  ${paint(format, mark)} ${paint('dim', name)}  ${message}`;
    return fix === undefined ? [line] : [line, `      ${paint('cyan', 'Fix:')} ${fix}`];
  };
}

function countsOf(reports: readonly CheckedReport[]): Record<FindingState, number> {
  const states = reports.flatMap(({ findings }) => findings.map(({ state }) => state));
  const count = (state: FindingState): number => states.filter((each) => each === state).length;
  return { problem: count('problem'), warning: count('warning'), ok: count('ok') };
}

function summary(reports: readonly CheckedReport[], { paint }: View): string {
  const { problem, warning, ok } = countsOf(reports);
  if (problem + warning === 0) return paint('green', `All is well: ${counted(ok, 'finding')}, none amiss.`);
  const told = `${counted(problem, 'problem')}, ${counted(warning, 'warning')}, ${ok} as it should be.`;
  return paint(problem > 0 ? 'red' : 'yellow', told);
}
