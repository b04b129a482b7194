/** What the leader does in the background, as it is configured. */

import { cronSchedule } from '../core/maintenance/schedule.ts';
import type { UpkeepOptions } from '../core/upkeep/keep-up.ts';
import type { Configuration } from './configuration.ts';

type UpkeepSettings = Pick<Configuration, 'maintenanceSchedule' | 'expiryIntervalSeconds'>;

export function upkeepOf({ maintenanceSchedule, expiryIntervalSeconds }: UpkeepSettings): UpkeepOptions {
  const schedule = maintenanceSchedule === 'off' ? undefined : cronSchedule(maintenanceSchedule);
  return { schedule, roundMs: expiryIntervalSeconds * 1000 };
}
