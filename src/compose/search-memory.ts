/** How much memory searches may take for what they have read, where nobody says: a part of what the machine or the container has. */

import { totalmem } from 'node:os';
import { LaminaError } from '../domain/error.ts';

const MIB = 1024 * 1024;

export const MIN_SEARCH_MIB = 16;
export const MAX_SEARCH_MIB = 65_536;
export const SEARCH_MIB = `a whole number from ${MIN_SEARCH_MIB} to ${MAX_SEARCH_MIB}`;

/** Most of the rest belongs to the program, the model and the system's cache of files. */
const SHARE = 32;
/** Enough for a million memories in one scope, and for the memory of a hundred users. */
const LEAST = 256 * MIB;
/** Beyond it hardly anybody would notice. */
const MOST = 1024 * MIB;
/** Where even the least would be much. */
const MOST_SHARE = 4;

/** In bytes, for all tenants together. Throws `CONFIGURATION_ERROR` for what is no such number. */
export function searchMemoryBytes(mib: number | undefined, memory: number = ownMemory()): number {
  if (mib !== undefined) {
    if (Number.isInteger(mib) && mib >= MIN_SEARCH_MIB && mib <= MAX_SEARCH_MIB) return mib * MIB;
    throw new LaminaError('CONFIGURATION_ERROR', `searchMemoryMib accepts ${SEARCH_MIB}.`);
  }
  return Math.floor(Math.min(Math.max(memory / SHARE, LEAST), MOST, memory / MOST_SHARE));
}

/** What this process may have: of a container less than what the machine has. */
function ownMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
