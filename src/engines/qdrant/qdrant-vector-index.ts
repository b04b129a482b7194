/** The vector index in Qdrant: a collection for each embedding space; every call is restricted to one tenant. */

import type { Schemas } from '@qdrant/js-client-rest';
import type { Partition } from '../../domain/access.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Nearest } from '../../ports/entry-store.ts';
import type { IndexedPoint, IndexProgress, PointPage, VectorIndex } from '../../ports/vector-index.ts';
import type { QdrantClients } from './qdrant-clients.ts';
import { QdrantCollections } from './qdrant-collections.ts';
import { isMissing, translated } from './qdrant-error.ts';
import { ownerHash, partitionHash, pointId, progressId } from './qdrant-names.ts';

/** Vectors in one request: of the largest models these are some megabytes, of which Qdrant takes 32. */
const BATCH = 128;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Filter = Schemas['Filter'];

export class QdrantVectorIndex implements VectorIndex {
  readonly #clients: QdrantClients;
  readonly #collections: QdrantCollections;

  constructor(clients: QdrantClients, prefix: string) {
    this.#clients = clients;
    this.#collections = new QdrantCollections(clients, prefix);
  }

  async nearest(
    space: EmbeddingSpace,
    tenantId: string,
    partitions: readonly Partition[],
    vector: Float32Array,
    limit: number,
  ): Promise<Nearest[]> {
    if (partitions.length === 0) return [];
    const { points } = await told(
      this.#clients.questions.query(this.#collections.nameOf(space), {
        query: [...vector],
        filter: reachOf(tenantId, partitions),
        limit,
        with_payload: ['entry_id'],
        with_vector: false,
      }),
    );
    return points.flatMap(({ payload, score }) => entryIdsIn(payload).map((id) => ({ id, similarity: score })));
  }

  async put(space: EmbeddingSpace, tenantId: string, points: readonly IndexedPoint[]): Promise<void> {
    await this.#collections.use(space, async (name) => {
      for (let start = 0; start < points.length; start += BATCH) {
        const batch = points.slice(start, start + BATCH).map((point) => structOf(tenantId, point));
        await this.#clients.work.upsert(name, { wait: true, points: batch });
      }
    });
  }

  async remove(tenantId: string, ids: readonly string[], space?: EmbeddingSpace): Promise<void> {
    if (ids.length === 0) return;
    const points = ids.map((id) => pointId(tenantId, id));
    const names = space ? [this.#collections.nameOf(space)] : await told(this.#collections.names());
    for (const name of names) await unlessMissing(this.#clients.work.delete(name, { wait: true, points }));
  }

  async list(space: EmbeddingSpace, tenantId: string, limit: number, after?: string): Promise<PointPage> {
    const page = await unlessMissing(
      this.#clients.work.scroll(this.#collections.nameOf(space), {
        filter: tenantOf(tenantId),
        limit,
        with_payload: ['entry_id'],
        with_vector: false,
        ...(after !== undefined && { offset: after }),
      }),
    );
    const { points = [], next_page_offset: next } = page ?? {};
    const ids = points.flatMap(({ payload }) => entryIdsIn(payload));
    return { ids, next: typeof next === 'string' ? next : undefined };
  }

  count(space: EmbeddingSpace, tenantId: string): Promise<number> {
    return this.#countIn(this.#collections.nameOf(space), tenantOf(tenantId));
  }

  async progress(space: EmbeddingSpace, tenantId: string): Promise<IndexProgress | undefined> {
    const found = await unlessMissing(
      this.#clients.questions.retrieve(this.#collections.nameOf(space), {
        ids: [progressId(tenantId)],
        with_payload: true,
        with_vector: false,
      }),
    );
    const progress = found?.[0]?.payload?.['progress'];
    return typeof progress === 'string' ? (JSON.parse(progress) as IndexProgress) : undefined;
  }

  /** Stored as a point that no search finds, because it is in no partition. Its vector is a dummy. */
  async saveProgress(space: EmbeddingSpace, tenantId: string, progress: IndexProgress): Promise<void> {
    const vector = Array.from({ length: space.dimensions }, (_, index) => (index === 0 ? 1 : 0));
    const point = { id: progressId(tenantId), vector, payload: { progress: JSON.stringify(progress) } };
    await this.#collections.use(space, (name) => this.#clients.work.upsert(name, { wait: true, points: [point] }));
  }

  async countOwned(tenantId: string, userId?: string): Promise<number> {
    const filter = ownedBy(tenantId, userId);
    const counts = (await told(this.#collections.names())).map((name) => this.#countIn(name, filter));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async erase(tenantId: string, userId?: string): Promise<number> {
    const count = await this.countOwned(tenantId, userId);
    const filter = ownedBy(tenantId, userId);
    for (const name of await told(this.#collections.names())) {
      await unlessMissing(this.#clients.work.delete(name, { wait: true, filter }));
      if (userId !== undefined) continue;
      await unlessMissing(this.#clients.work.delete(name, { wait: true, points: [progressId(tenantId)] }));
    }
    return count;
  }

  async check(): Promise<undefined> {
    await told(this.#clients.questions.getCollections());
  }

  async #countIn(name: string, filter: Filter): Promise<number> {
    return (await unlessMissing(this.#clients.work.count(name, { filter, exact: true })))?.count ?? 0;
  }
}

function structOf(tenantId: string, { id, partition, ownerId, vector }: IndexedPoint): Schemas['PointStruct'] {
  const payload = {
    tenant_id: tenantId,
    entry_id: id,
    partition: partitionHash(tenantId, partition),
    ...(ownerId !== null && { owner: ownerHash(tenantId, ownerId) }),
  };
  return { id: pointId(tenantId, id), vector: [...vector], payload };
}

function tenantOf(tenantId: string): Filter {
  return { must: [{ key: 'tenant_id', match: { value: tenantId } }] };
}

/** The hash of a partition includes the tenant; filtering by both is defence in depth. */
function reachOf(tenantId: string, partitions: readonly Partition[]): Filter {
  const hashes = partitions.map((partition) => partitionHash(tenantId, partition));
  return {
    must: [
      { key: 'tenant_id', match: { value: tenantId } },
      { key: 'partition', match: { any: hashes } },
    ],
  };
}

function ownedBy(tenantId: string, userId: string | undefined): Filter {
  const tenant = { key: 'tenant_id', match: { value: tenantId } };
  if (userId === undefined) return { must: [tenant] };
  return { must: [tenant, { key: 'owner', match: { value: ownerHash(tenantId, userId) } }] };
}

/** One, or none if the point belongs to another. */
function entryIdsIn(payload: unknown): string[] {
  const id = (payload as { readonly entry_id?: unknown } | null | undefined)?.entry_id;
  return typeof id === 'string' && UUID.test(id) ? [id] : [];
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw translated(error);
  }
}

/** A missing collection is empty. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw translated(error);
  }
}
