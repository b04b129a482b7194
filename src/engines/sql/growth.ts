/** How memory grew, as the event log tells it. */

import type { DayOfGrowth } from '../../domain/inspection.ts';

const MS_PER_DAY = 86_400_000;

/** So many events of a type on a day, counted from the beginning of the epoch. */
export interface EventTally {
  readonly day: number;
  readonly type: string;
  readonly count: number;
}

export function growthOf(tallies: readonly EventTally[]): DayOfGrowth[] {
  const days = new Map<number, { created: number; deleted: number }>();
  for (const { day, type, count } of tallies) {
    const growth = days.get(day) ?? { created: 0, deleted: 0 };
    if (type === 'created') growth.created += count;
    if (type === 'deleted') growth.deleted += count;
    days.set(day, growth);
  }
  return [...days].map(([day, growth]) => ({ day: new Date(day * MS_PER_DAY).toISOString().slice(0, 10), ...growth }));
}
