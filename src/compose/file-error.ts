/** An error of the operating system about a file or folder, as one sentence that says what to do next. */

import { LaminaError } from '../domain/error.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk can only be read',
  EEXIST: 'something of that name is there already',
  ENOTDIR: 'something above it is no folder',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};

const ADVICE = 'Name another place, or let the user that Lamina runs as read and write there.';

/** Everything else is passed on as it is. */
export function asFileError(thrown: unknown): unknown {
  if (thrown instanceof LaminaError || !isOfFile(thrown)) return thrown;
  const { code, path } = thrown;
  const reason = REASONS[code];
  const told = reason === undefined ? code : `${reason} (${code})`;
  return new LaminaError('UNAVAILABLE', `"${path}" cannot be read or written: ${told}.`, { advice: ADVICE });
}

function isOfFile(thrown: unknown): thrown is Error & { readonly code: string; readonly path: string } {
  if (!(thrown instanceof Error) || !('syscall' in thrown)) return false;
  return 'code' in thrown && typeof thrown.code === 'string' && 'path' in thrown && typeof thrown.path === 'string';
}
