/** Time as the machine gives it, in Node and in a browser. */

import type { Clock } from '../ports/clock.ts';

export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
