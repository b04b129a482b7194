/** Qdrant as it is configured. Loaded only where it is. */

import { LaminaError } from '../domain/error.ts';
import { loadClients } from '../engines/qdrant/qdrant-clients.ts';
import { isRefused } from '../engines/qdrant/qdrant-error.ts';
import { QdrantVectorIndex } from '../engines/qdrant/qdrant-vector-index.ts';
import type { VectorIndex } from '../ports/vector-index.ts';
import { DEFAULT_NAME_PREFIX, isNamePrefix, NAME_PREFIX } from './name-prefix.ts';
import { isQdrantAddress, QDRANT_ADDRESS } from './qdrant-address.ts';
import type { QdrantOptions } from './qdrant-options.ts';

/**
 * Also when Qdrant cannot be reached: the store can do without it, and the index catches up later. Throws
 * `CONFIGURATION_ERROR` for permanent problems.
 */
export async function openQdrant({ prefix = DEFAULT_NAME_PREFIX, ...address }: QdrantOptions): Promise<VectorIndex> {
  if (!isQdrantAddress(address.url)) {
    throw new LaminaError('CONFIGURATION_ERROR', `The address of Qdrant is none: it accepts ${QDRANT_ADDRESS}.`);
  }
  if (!isNamePrefix(prefix)) {
    throw new LaminaError('CONFIGURATION_ERROR', `The prefix of Qdrant's collections accepts ${NAME_PREFIX}.`);
  }
  const index = new QdrantVectorIndex(await loadClients(address), prefix);
  const failure = await index.check().catch((error: unknown) => error);
  if (!isRefused(failure)) return index;
  const wrong = address.apiKey === undefined ? 'wants an API key: set LAMINA_QDRANT_API_KEY' : 'refuses the API key';
  throw new LaminaError('CONFIGURATION_ERROR', `Qdrant at ${address.url} ${wrong}.`, { cause: failure });
}
