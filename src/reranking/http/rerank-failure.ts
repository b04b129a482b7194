/** What can go wrong with a rerank endpoint, as errors that say whom it concerns: this input, the configuration, or all. */

import { LaminaError } from '../../domain/error.ts';

/** Refused for what was sent: a text too long, a word that a filter does not like. */
const OF_INPUT: ReadonlySet<number> = new Set([400, 413, 422]);

/** Statuses below 500 that another attempt can change. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/** Without the provider's own words: they may quote the key or somebody's text. */
export function failureOfStatus(status: number, waitMs: number | undefined): LaminaError {
  const message = `The reranker answered ${status}. ${adviceFor(status)}`;
  const details = { status, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  if (OF_INPUT.has(status)) return new LaminaError('VALIDATION_FAILED', message, { details });
  if (status === 429) return new LaminaError('RATE_LIMITED', message, { details });
  const canRetry = status >= 500 || RETRYABLE.has(status);
  return new LaminaError(canRetry ? 'PROVIDER_ERROR' : 'CONFIGURATION_ERROR', message, { details });
}

/** No answer, or one that broke off. */
export function unreachable(cause: unknown): LaminaError {
  return new LaminaError('PROVIDER_ERROR', 'The reranker could not be reached, or broke off its answer.', { cause });
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Check its API key.';
  if (status === 429) return 'Its rate limit or quota is used up.';
  if (status >= 300 && status < 400) return 'It redirects; set its address to where it really is.';
  if (status >= 500) return 'The provider has a problem.';
  if (OF_INPUT.has(status)) return 'Check the name of its model, and whether a text is longer than it takes.';
  return 'Check its address and the name of its model.';
}
