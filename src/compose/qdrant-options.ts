/** What is to be known of Qdrant to use it, and where the configuration says it. */

import type { QdrantAddress } from '../engines/qdrant/qdrant-address.ts';
import type { Configuration } from './configuration.ts';

export interface QdrantOptions extends QdrantAddress {
  /** What the names of its collections begin with. Databases that share a Qdrant need different ones. Default `lamina`. */
  readonly prefix?: string | undefined;
}

/** Undefined where none is configured. */
export function qdrantOf({
  qdrantUrl: url,
  qdrantApiKey: apiKey,
  qdrantPrefix: prefix,
}: Configuration): QdrantOptions | undefined {
  return url === undefined ? undefined : { url, apiKey, prefix };
}
