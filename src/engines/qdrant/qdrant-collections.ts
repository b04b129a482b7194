/** The collections of Lamina: one for each embedding space, created with the first vector. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { QdrantClients } from './qdrant-clients.ts';
import { isMissing, statusOf, translated } from './qdrant-error.ts';
import { collectionName, collectionPrefix } from './qdrant-names.ts';

/**
 * No graph over all points, but one for each tenant and each partition that is large enough: no search spans more than
 * that. See https://qdrant.tech/documentation/guides/multiple-partitions/
 */
const HNSW = { m: 0, payload_m: 16 };

/** The fields that searches and erasures filter by. */
const INDEXED_FIELDS = {
  tenant_id: { type: 'keyword', is_tenant: true },
  partition: { type: 'keyword' },
  owner: { type: 'keyword' },
} as const;

/** Before 1.8 that was the answer to creating what already exists. */
const OLD_CONFLICT = 400;

export class QdrantCollections {
  readonly #clients: QdrantClients;
  readonly #prefix: string;
  readonly #made = new Map<string, Promise<void>>();

  constructor(clients: QdrantClients, prefix: string) {
    this.#clients = clients;
    this.#prefix = prefix;
  }

  nameOf(space: EmbeddingSpace): string {
    return collectionName(this.#prefix, space);
  }

  /** Of all spaces, also of those that are no longer used. */
  async names(): Promise<string[]> {
    const { collections } = await this.#clients.work.getCollections();
    return collections.map(({ name }) => name).filter((name) => name.startsWith(collectionPrefix(this.#prefix)));
  }

  /** Runs work on an existing collection. If it was deleted meanwhile, it is created and the work retried once. */
  async use<T>(space: EmbeddingSpace, work: (name: string) => Promise<T>): Promise<T> {
    const name = this.nameOf(space);
    try {
      await this.#ensure(name, space);
      return await work(name);
    } catch (error) {
      if (!isMissing(error)) throw translated(error);
      this.#made.delete(name);
    }
    try {
      await this.#ensure(name, space);
      return await work(name);
    } catch (error) {
      throw translated(error);
    }
  }

  /** Once for each, as long as it succeeds. */
  #ensure(name: string, space: EmbeddingSpace): Promise<void> {
    const making = this.#made.get(name) ?? this.#make(name, space);
    this.#made.set(name, making);
    making.catch(() => {
      if (this.#made.get(name) === making) this.#made.delete(name);
    });
    return making;
  }

  async #make(name: string, { dimensions }: EmbeddingSpace): Promise<void> {
    const { work } = this.#clients;
    if (!(await work.collectionExists(name)).exists) {
      const vectors = { size: dimensions, distance: 'Cosine' } as const;
      await work.createCollection(name, { vectors, hnsw_config: HNSW }).catch((error: unknown) => {
        // Another process was faster.
        if (statusOf(error) !== 409 && statusOf(error) !== OLD_CONFLICT) throw error;
      });
    }
    // The process that created it may have died before this; existing indexes stay as they are.
    for (const [field_name, field_schema] of Object.entries(INDEXED_FIELDS)) {
      await work.createPayloadIndex(name, { wait: true, field_name, field_schema });
    }
  }
}
