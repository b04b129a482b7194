/** When maintenance is due, by a cron expression in local time. Pure: it is told what time it is. */

import { Cron } from 'croner';
import { LaminaError } from '../../domain/error.ts';

export interface Schedule {
  /** When it was due the last time, at this time or before; undefined for never. Milliseconds. */
  lastDue(at: number): number | undefined;
  /** When it is due next, after this time. */
  nextDue(at: number): number | undefined;
}

const SECOND_MS = 1000;

/** Throws `CONFIGURATION_ERROR` for what is no cron expression, or one that never comes true. */
export function cronSchedule(expression: string): Schedule {
  const cron = parse(expression);
  if (cron === undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', `"${expression}" is no cron expression such as "0 4 * * *".`);
  }
  const before = (at: number): number | undefined => cron.previousRuns(1, new Date(at))[0]?.getTime();
  return {
    lastDue: (at) => {
      // It is asked for what was before, and this very moment counts.
      const due = before(at + SECOND_MS);
      return due === undefined || due <= at ? due : before(due);
    },
    nextDue: (at) => cron.nextRun(new Date(at))?.getTime(),
  };
}

/** Whether it is a cron expression that comes true at all. */
export function isCron(expression: string): boolean {
  return parse(expression) !== undefined;
}

function parse(expression: string): Cron | undefined {
  try {
    const cron = new Cron(expression, { mode: '5-or-6-parts' });
    return cron.nextRun() === null ? undefined : cron;
  } catch {
    return undefined;
  }
}
