/** What PostgreSQL and its drivers report: whether trying again helps, and what the caller is told. */

import { LaminaError } from '../../domain/error.ts';

/** Somebody else was in the way; the same transaction from the start may go through. */
const COLLISIONS = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '23505', // unique violation: somebody made the same at the same time
  '23503', // foreign key violation: somebody removed the user, tenant or partition at the same time
  '25P02', // something before it failed, and took the whole transaction with it
]);

/** The connection is gone or was never there. Codes of the driver, of the operating system and of the server. */
const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01', // the administrator shuts down
  '57P02', // crashed
  '57P03', // starting up
  '57P05', // nothing was asked in this session for too long
  '25P03', // nor in this transaction
  '53300', // too many connections
]);

const CANCELLED = '57014';
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const DENIED = '42501';

const OUTDATED = 'LA001';

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function constraintOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { constraint_name: ofServer, constraint } = error as { constraint_name?: unknown; constraint?: unknown };
  return typeof ofServer === 'string' ? ofServer : typeof constraint === 'string' ? constraint : '';
}

export function isCollision(error: unknown): boolean {
  return COLLISIONS.has(codeOf(error));
}

/** A privilege is missing, or a policy is not met. */
export function isDenied(error: unknown): boolean {
  return codeOf(error) === DENIED;
}

/** What `lamina.use_spaces` refuses with; also once it was translated. */
export function isOutdated(error: unknown): boolean {
  return [error, error instanceof Error && error.cause].some((each) => codeOf(each) === OUTDATED);
}

export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return LOST.has(code) || code.startsWith('08');
}

/** What a write is answered with whose connection was lost: it may have been committed. */
export function uncertain(error: unknown): LaminaError {
  return new LaminaError(
    'UNAVAILABLE',
    `The connection to the database was lost before it answered (${codeOf(error)}). Whether it was done is not known.`,
    { details: { outcome: 'unknown' }, cause: error },
  );
}

/** Errors of the database become errors of ours, by what can be done about them; everything else is passed on. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof LaminaError || code === '') return error;
  if (isLost(error)) return unavailable('The database cannot be reached at the moment', code, error);
  if (isCollision(error)) return unavailable('Too many are changing the same thing at the moment', code, error);
  if (code === CANCELLED)
    return unavailable('A statement took longer than LAMINA_DATABASE_TIMEOUT_MS allows', code, error);
  if (code === DISK_FULL) {
    return unavailable('The disk of the database is full, and nothing was written', code, error, 'Make room on it.');
  }
  if (code === READ_ONLY) {
    const advice = 'Let LAMINA_DATABASE_URL name the server that writes, or turn default_transaction_read_only off.';
    return unavailable('The database only lets itself be read at the moment', code, error, advice);
  }
  if (code === DENIED) {
    const advice = 'See docs/postgres.md#roles: the owner migrates, and a member of lamina_service serves.';
    const what = `The role that connects to the database lacks a privilege (${code}). ${advice}`;
    return new LaminaError('CONFIGURATION_ERROR', what, { advice, cause: error });
  }
  switch (code.slice(0, 2)) {
    case '53': // out of disk, memory or connections
    case '55': // not in a state for it, such as a lock that was not granted in time
    case '57': // an administrator intervened
    case '58': // input and output
      return unavailable('The database cannot be used at the moment', code, error);
    case '42': // a table or function is missing
      return new LaminaError('PROVIDER_ERROR', `The database is not set up for Lamina (${code}).`, { cause: error });
    case '28':
      return misconfigured('The database does not accept the user or the password of its address', code, error);
    case '3D':
      return misconfigured('The database that its address names does not exist', code, error);
    default:
      return new LaminaError('PROVIDER_ERROR', `The database refused the operation (${code}).`, { cause: error });
  }
}

function misconfigured(what: string, code: string, cause: unknown): LaminaError {
  return new LaminaError('CONFIGURATION_ERROR', `${what} (${code}).`, { cause });
}

function unavailable(what: string, code: string, cause: unknown, advice?: string): LaminaError {
  if (advice === undefined) return new LaminaError('UNAVAILABLE', `${what} (${code}).`, { cause });
  return new LaminaError('UNAVAILABLE', `${what} (${code}). ${advice}`, { advice, cause });
}
