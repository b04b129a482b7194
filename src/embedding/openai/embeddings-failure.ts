/** What can go wrong with an embedding endpoint, as errors that say whether trying again helps. */

import { LaminaError } from '../../domain/error.ts';
import { fieldOf } from './embeddings-answer.ts';

/** Statuses below 500 that another attempt can change. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A short machine-readable reason, such as `model_not_found`: unlike prose, it cannot quote a key or a text. */
const REASON = /^[a-z0-9_.-]{1,64}$/i;

/** The `code` or `type` in an OpenAI error body, where there is one. */
function reasonIn(body: string): string | undefined {
  try {
    const error = fieldOf(JSON.parse(body), 'error');
    const reasons = [fieldOf(error, 'code'), fieldOf(error, 'type')].filter((reason) => typeof reason === 'string');
    return reasons.find((reason) => REASON.test(reason));
  } catch {
    return undefined;
  }
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Check the API key.';
  if (status === 404) return 'Check the base URL and the name of the model.';
  if (status === 429) return 'Its rate limit or quota is used up.';
  if (status >= 300 && status < 400) return 'It redirects; set the base URL to where it really is.';
  if (status >= 500) return 'The provider has a problem.';
  return 'Check the name of the model, and whether the text is longer than it takes.';
}

/**
 * The error for an answer that is not a success. The provider's own words may quote the key or somebody's text,
 * so they are only in the cause, and there without the key.
 */
export function failureOfStatus(
  answer: { readonly status: number; readonly body: string; readonly retryAfterMs: number | undefined },
  apiKey: string | undefined,
): LaminaError {
  const { status, body } = answer;
  const reason = reasonIn(body);
  // OpenAI answers 429 also when the account has no money left, which no waiting cures.
  const canRetry = (status >= 500 || RETRYABLE_STATUSES.has(status)) && reason !== 'insufficient_quota';
  const shown = reason === undefined ? `${status}` : `${status} (${reason})`;
  const words = body.slice(0, 1000);
  return new LaminaError(
    status === 429 && canRetry ? 'RATE_LIMITED' : 'EMBEDDING_FAILED',
    `The embedding endpoint answered ${shown}. ${adviceFor(status)}`,
    {
      details: {
        status,
        ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
        ...(!canRetry && { permanent: true }),
      },
      cause: new Error(apiKey === undefined ? words : words.replaceAll(apiKey, '[API key]')),
    },
  );
}

/** The error for a request that got no answer, or whose answer broke off. */
export function failureOfConnection(cause: unknown): LaminaError {
  if (cause instanceof LaminaError) return cause;
  return new LaminaError(
    'EMBEDDING_FAILED',
    'The embedding endpoint could not be reached, or broke off its answer. Check the base URL and the network.',
    { cause },
  );
}
