/** Sessions on a line of time. Pure. */

import type { Plan } from '../../../../src/domain/plan.ts';
import type { Session } from '../../../../src/domain/session.ts';

export const SPANS = ['day', 'week', 'month', 'all'] as const;
type Span = (typeof SPANS)[number];

const MS_PER_DAY = 86_400_000;
const LENGTHS: Readonly<Record<Exclude<Span, 'all'>, number>> = {
  day: MS_PER_DAY,
  week: 7 * MS_PER_DAY,
  month: 30 * MS_PER_DAY,
};
/** Between the first and the last session at least so much is shown. */
const LEAST_MS = 3_600_000;

export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Of a session: until it ended, or was last used. */
export function periodOf({ createdAt, endedAt, lastInteraction }: Session): Period {
  const from = Date.parse(createdAt);
  return { from, to: Math.max(from, Date.parse(endedAt ?? lastInteraction)) };
}

export function shownPeriod(sessions: readonly Session[], span: Span, now: number): Period {
  if (span !== 'all') return { from: now - LENGTHS[span], to: now };
  const first = Math.min(now - LEAST_MS, ...sessions.map((session) => periodOf(session).from));
  return { from: first, to: now };
}

/** From 0 to 100, with what lies outside cut off; undefined where nothing is inside. */
export function barOf(
  { from, to }: Period,
  shown: Period,
): { readonly left: number; readonly width: number } | undefined {
  if (to < shown.from || from > shown.to) return undefined;
  const length = shown.to - shown.from;
  const left = ((Math.max(from, shown.from) - shown.from) / length) * 100;
  return { left, width: ((Math.min(to, shown.to) - shown.from) / length) * 100 - left };
}

export function ticksOf({ from, to }: Period, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));
}

export function plansBySession(plans: readonly Plan[]): ReadonlyMap<string, readonly Plan[]> {
  const groups = new Map<string, Plan[]>();
  for (const plan of plans) {
    if (plan.sessionId === undefined) continue;
    groups.set(plan.sessionId, [...(groups.get(plan.sessionId) ?? []), plan]);
  }
  return groups;
}
