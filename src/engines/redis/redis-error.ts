/** Errors for callers when Redis fails. */

import { LaminaError } from '../../domain/error.ts';

/** Which part of Lamina failed, as its health names it. */
const COMPONENT = 'hot';

/** Redis cannot be reached, or answers that it cannot serve: nothing was done, unless the outcome is unknown. */
export function unreachable(reason: string, cause?: unknown, isOutcomeKnown = true): LaminaError {
  const message = `Redis, where working and short-term memory lie, cannot be used at the moment: ${reason}.`;
  const details = { component: COMPONENT, ...(!isOutcomeKnown && { outcome: 'unknown' }) };
  return new LaminaError('UNAVAILABLE', message, { details, cause });
}

/** Whether it is an error of {@link unreachable}. */
export function isUnreachable(error: unknown): error is LaminaError {
  return error instanceof LaminaError && error.details?.['component'] === COMPONENT;
}

/** The same, and nothing was done: so that it may be done elsewhere. */
export function isUndone(error: unknown): error is LaminaError {
  return isUnreachable(error) && error.details?.['outcome'] === undefined;
}

/** Errors by which Redis says that it cannot serve right now; by their first word. */
const PASSING: Readonly<Record<string, string>> = {
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it has lost the server that it copies',
  READONLY: 'it is a copy that cannot be written',
  CLUSTERDOWN: 'its cluster is down',
  TRYAGAIN: 'its cluster is being rearranged',
  BUSY: 'it is busy with a script',
};

/** The first word of an error answer; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? /^[A-Z]+(?= |$)/.exec(error.message)?.[0] : undefined;
}

/** Whether Redis refuses the credentials: retrying does not help. */
export function isRefused(error: unknown): boolean {
  if (['WRONGPASS', 'NOAUTH', 'NOPERM'].includes(codeOf(error) ?? '')) return true;
  return error instanceof Error && /invalid password|AUTH <password> called/i.test(error.message);
}

/** Whether Redis has no database of the requested number. A cluster has only the first. */
export function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && /DB index|SELECT is not allowed/i.test(error.message);
}

/** An error answer of Redis as a LaminaError. */
export function answered(error: Error): LaminaError {
  const code = codeOf(error) ?? '';
  const passing = PASSING[code];
  if (passing !== undefined) return unreachable(passing, error);
  if (isRefused(error) && code !== 'NOPERM') return unreachable('it refuses the user or the password', error);
  const failed = (reason: string): LaminaError =>
    new LaminaError('UNAVAILABLE', `Redis, where working and short-term memory lie, ${reason}.`, { cause: error });
  // Not unreachable: stored values can still be read, so the fallback must not be used.
  if (code === 'NOPERM') return failed('does not let its user do what Lamina needs');
  if (code === 'OOM') return failed('has no room left, and keeps what it has');
  if (code === 'MISCONF') return failed('cannot write to its disk, and takes nothing more');
  return new LaminaError('PROVIDER_ERROR', 'Redis failed.', { cause: error });
}
