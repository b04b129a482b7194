/** What embedders fail with. */

import { LaminaError } from '../domain/error.ts';

/** What leaves an embedder is always `EMBEDDING_FAILED`: a caller of ours is not the one who is rate limited. */
export function asEmbeddingFailure(thrown: unknown): LaminaError {
  if (thrown instanceof LaminaError && thrown.code === 'EMBEDDING_FAILED') return thrown;
  if (thrown instanceof LaminaError) {
    const { details, cause } = thrown;
    return new LaminaError('EMBEDDING_FAILED', thrown.message, { ...(details && { details }), cause });
  }
  return new LaminaError('EMBEDDING_FAILED', 'Embedding failed for an unexpected reason.', { cause: thrown });
}
