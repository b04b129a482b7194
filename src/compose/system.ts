/** Time and names as the machine gives them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports/clock.ts';

export const systemClock: Clock = { now: () => Date.now(), sleep: (ms) => sleep(ms) };

export const systemIds: Ids = { next: () => v7() };
