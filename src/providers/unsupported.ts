/** What a provider cannot do is refused, never ignored. */

import { LaminaError } from '../domain/error.ts';
import type { ProviderCapability } from '../domain/provider.ts';

/** `sentence` says what the provider cannot do, and what to do instead. Trying again does not help. */
export function unsupported(capability: ProviderCapability, sentence: string): LaminaError {
  return new LaminaError('PROVIDER_ERROR', sentence, { details: { capability, permanent: true } });
}
