/** Errors for callers when Qdrant fails. */

import { LaminaError } from '../../domain/error.ts';

/** Which part of Lamina failed, as its health names it. */
const COMPONENT = 'index';

/** The status of a response; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' ? status : undefined;
}

/** There is no such collection. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** Whether Qdrant refuses the credentials, even if already {@link translated}: retrying does not help. */
export function isRefused(error: unknown): boolean {
  const answer = error instanceof LaminaError ? error.cause : error;
  return [401, 403].includes(statusOf(answer) ?? 0);
}

/** Nothing was lost: the index can be updated again later. */
function unavailable(reason: string, cause?: unknown): LaminaError {
  const message = `Qdrant, the index of vectors, cannot be used at the moment: ${reason}.`;
  return new LaminaError('UNAVAILABLE', message, { details: { component: COMPONENT }, cause });
}

/** An error of the client as a LaminaError. Its messages may quote the request, and are not passed on. */
export function translated(error: unknown): LaminaError {
  if (error instanceof LaminaError) return error;
  const status = statusOf(error);
  if (status === undefined) return unavailable(silenceOf(error), error);
  if (isRefused(error)) return unavailable('it refuses the API key', error);
  if (isMissing(error)) return unavailable('it has no collection for this embedding model yet', error);
  // 409, 429 and server errors are temporary.
  if (status >= 500 || status === 409 || status === 429) return unavailable(`it answers with status ${status}`, error);
  return new LaminaError('PROVIDER_ERROR', `Qdrant does not take what Lamina sends (status ${status}).`, {
    details: { component: COMPONENT },
    cause: error,
  });
}

function silenceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer';
  if (error.name === 'QdrantClientTimeoutError') return 'it does not answer in time';
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined ? 'it cannot be reached' : `it cannot be reached (${code})`;
}
