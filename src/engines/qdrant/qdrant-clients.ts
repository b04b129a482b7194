/** The official client, loaded on demand: one with a short timeout for searches, and one with a long timeout. */

import type { QdrantClient, QdrantClientParams } from '@qdrant/js-client-rest';
import { LaminaError } from '../../domain/error.ts';
import type { QdrantAddress } from './qdrant-address.ts';

/** A search does not wait longer: the store can answer it too. */
const QUESTION_TIMEOUT_MS = 2000;
const WORK_TIMEOUT_MS = 30_000;

const DEFAULT_PORT = 6333;

export interface QdrantClients {
  readonly questions: QdrantClient;
  readonly work: QdrantClient;
}

/** Throws `CONFIGURATION_ERROR` if the client is not installed. Does not connect yet. */
export async function loadClients(address: QdrantAddress): Promise<QdrantClients> {
  const { QdrantClient: Client } = await import('@qdrant/js-client-rest').catch((cause: unknown) => {
    const message = 'Qdrant needs the package "@qdrant/js-client-rest": npm install @qdrant/js-client-rest';
    throw new LaminaError('CONFIGURATION_ERROR', message, { cause });
  });
  const params = paramsOf(address);
  return {
    questions: new Client({ ...params, timeout: QUESTION_TIMEOUT_MS }),
    work: new Client({ ...params, timeout: WORK_TIMEOUT_MS }),
  };
}

/** Spelled so that the client writes nothing to the console: it would about versions, and about keys without TLS. */
function paramsOf({ url, apiKey }: QdrantAddress): QdrantClientParams {
  const { protocol, hostname, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  return {
    url: `${protocol}//${hostname}`,
    port: portOf(url),
    checkCompatibility: false,
    ...(prefix !== '' && { prefix }),
    ...(apiKey !== undefined && { headers: { 'api-key': apiKey } }),
  };
}

/** Also 80 and 443, which a parsed URL does not distinguish from no port. */
function portOf(url: string): number {
  return Number(/^https?:\/\/[^/]*:(\d+)(?:\/|$)/.exec(url)?.[1] ?? DEFAULT_PORT);
}
