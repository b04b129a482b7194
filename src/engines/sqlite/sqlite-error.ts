/** What SQLite reports, as a LaminaError. */

import { LaminaError } from '../../domain/error.ts';

const FULL = 'The disk is full, and nothing was written';
const MAKE_ROOM = 'Make room on it: then it goes on by itself.';
const CLOSED = 'The files of the data folder cannot be opened or written';
const LET_IN = 'Let the user that Lamina runs as read and write them: then it goes on by itself.';

/** Conditions outside the program that can pass: what is the matter, and what to do about it. By how the code begins. */
const PASSING: readonly (readonly [code: string, what: string, advice: string])[] = [
  ['SQLITE_FULL', FULL, MAKE_ROOM],
  ['SQLITE_READONLY', CLOSED, LET_IN],
  ['SQLITE_CANTOPEN', CLOSED, LET_IN],
  ['SQLITE_PERM', CLOSED, LET_IN],
  ['SQLITE_IOERR', 'The disk failed', 'Try again; if it stays, look at the disk and at the log of the system.'],
  ['SQLITE_BUSY', 'The database cannot be used at the moment', 'Try again shortly.'],
  ['SQLITE_LOCKED', 'The database cannot be used at the moment', 'Try again shortly.'],
];

/** A file that is not whole any more, or none of SQLite's. */
const DAMAGED = /^SQLITE_(?:NOTADB|CORRUPT)/;
const BRING_BACK =
  'See which one with lamina doctor --deep. Put the folder aside and bring back a backup with lamina restore.';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether another process is at it just now, so that trying again helps. The second is: both clean up a new file. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY') || codeOf(error) === 'SQLITE_IOERR_DELETE_NOENT';
}

/** Whether nothing could be written, for a reason that other writes meet too. */
export function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(?:FULL|READONLY|CANTOPEN|PERM|IOERR)/.test(codeOf(error)) && !isBusy(error);
}

/** SQLite's own errors become `UNAVAILABLE` or `PROVIDER_ERROR`; everything else is passed on as it is. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (!code.startsWith('SQLITE_')) return error;
  if (DAMAGED.test(code)) return damaged(code, error);
  const passing = PASSING.find(([beginning]) => code.startsWith(beginning));
  if (passing === undefined) {
    return new LaminaError('PROVIDER_ERROR', `The database refused the operation (${code}).`, { cause: error });
  }
  const [, what, advice] = passing;
  return unavailable(what, code, advice, error);
}

/** That does not pass by itself. */
function damaged(code: string, cause: unknown): LaminaError {
  const message = `A file of the database is damaged, or is no SQLite file (${code}).`;
  return new LaminaError('PROVIDER_ERROR', message, { advice: BRING_BACK, details: { permanent: true }, cause });
}

/** A file that the operating system does not let us make or open, by what it says about that. */
export function unopened(error: unknown): LaminaError {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? unavailable(FULL, code, MAKE_ROOM, error)
    : unavailable(CLOSED, code, LET_IN, error);
}

/** A place that we may not look into. That does not pass by waiting a moment. */
export function unseen(error: unknown): LaminaError {
  const advice = 'Let the user that Lamina runs as read and write it.';
  const message = `The folder cannot be opened (${codeOf(error)}). ${advice}`;
  return new LaminaError('UNAVAILABLE', message, { advice, details: { permanent: true }, cause: error });
}

function unavailable(what: string, code: string, advice: string, cause: unknown): LaminaError {
  return new LaminaError('UNAVAILABLE', `${what} (${code}). ${advice}`, { advice, cause });
}
