/** Whether something lies in the data folder. A place that we may not look into is no place where nothing is. */

import { readdirSync, statSync } from 'node:fs';
import { unseen } from './sqlite-error.ts';

/** Throws `UNAVAILABLE` where that cannot be told. */
export function isThere(path: string): boolean {
  return told(() => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** The names in it: none where there is no such folder. Throws `UNAVAILABLE` where it cannot be read. */
export function namesIn(folder: string): string[] {
  return isThere(folder) ? told(() => readdirSync(folder)) : [];
}

function told<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw unseen(error);
  }
}
