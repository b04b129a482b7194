/** What SQLite reports, as a LaminaError. */

import { LaminaError } from '../../domain/error.ts';

/** Conditions outside the program that can pass: space, locks, permissions, the disk. */
const PASSING = ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether another process is at it just now, so that trying again helps. The second is: both clean up a new file. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY') || codeOf(error) === 'SQLITE_IOERR_DELETE_NOENT';
}

/** SQLite's own errors become `UNAVAILABLE` or `PROVIDER_ERROR`; everything else is passed on as it is. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (!code.startsWith('SQLITE_')) return error;
  return PASSING.some((passing) => code.startsWith(passing))
    ? new LaminaError('UNAVAILABLE', `The database cannot be used at the moment (${code}).`, { cause: error })
    : new LaminaError('PROVIDER_ERROR', `The database refused the operation (${code}).`, { cause: error });
}
