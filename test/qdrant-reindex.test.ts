/** Building the index anew: strays go, an interrupted one goes on, both sides are counted; and `lamina reindex qdrant` as a process. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openQdrant } from '../src/compose/qdrant.ts';
import { systemClock, systemIds } from '../src/compose/system.ts';
import type { IndexNeeds } from '../src/core/indexing/index-needs.ts';
import { reindex, type ReindexInput } from '../src/core/indexing/reindex.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { EmbeddingSpace } from '../src/ports/embedder.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { runLamina } from './lamina-process.ts';
import { QdrantServer } from './qdrant-server.ts';
import { openLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const OTHER_TENANT = '0d000000-0000-4000-8000-000000000009';
const ENTRIES = 600;

/** Takes itself for the model of the service. */
class LocalEmbedder extends HashEmbedder {
  constructor() {
    super({ dims: 384 });
  }

  override async space(): Promise<EmbeddingSpace> {
    return { model: 'local:minilm-l6-v2', dimensions: 384 };
  }
}

let server: QdrantServer;
let folder: string;
let engine: SqliteEngine;
let needs: ReindexInput['needs'];
const { signal } = new AbortController();

beforeAll(async () => {
  server = await QdrantServer.start();
  folder = await makeFolder();
  const { lamina, close } = await openLamina({ folder, embedder: new LocalEmbedder() });
  const batch = Array.from({ length: ENTRIES }, (_, number) => ({
    content: `number ${number}`,
    layer: 'user' as const,
  }));
  await lamina.as({ userId: 'alice' }).addMany(batch);
  await lamina.as({ userId: 'alice', tenantId: OTHER_TENANT }).add({ content: 'alone', layer: 'user' });
  await close();
});
beforeEach(async () => {
  engine = new SqliteEngine({ folder, clock: systemClock });
  const { upkeep, events, archive } = engine;
  const index = await openQdrant({ url: server.url });
  needs = { index, embedder: new LocalEmbedder(), upkeep, events, archive, clock: systemClock, ids: systemIds };
});
afterEach(async () => {
  await engine.close();
  server.collections.clear();
  server.isForgetful = false;
});
afterAll(async () => {
  await server.stop();
  await removeFolder(folder);
});

const spaceOf = (of: IndexNeeds): Promise<EmbeddingSpace> => of.embedder.space();

describe('reindexing', () => {
  it('writes every vector, removes what the store does not have, and tells how far it is', async () => {
    const shown: number[] = [];
    const first = await reindex({ needs, signal, progress: ({ done, total }) => shown.push(done / total) });
    expect(first).toMatchObject({ tenants: 2, vectors: ENTRIES + 1 });
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(shown.at(-1)).toBe(1);
    const space = await spaceOf(needs);
    const [point] = await engine.upkeep.points(
      OTHER_TENANT,
      space,
      (await needs.index.list(space, OTHER_TENANT, 1)).ids,
    );
    const strays = [1, 2, 3].map((number) => `018f0000-0000-7000-8000-00000000000${number}`);
    const { partition, ownerId, vector = new Float32Array(384) } = point ?? {};
    if (partition === undefined || ownerId === undefined) throw new Error('There is no point.');
    await needs.index.put(
      space,
      NIL_TENANT,
      strays.map((id) => ({ id, partition, ownerId, vector })),
    );
    expect(await needs.index.count(space, NIL_TENANT)).toBe(ENTRIES + 3);
    expect(await reindex({ needs, signal })).toMatchObject({ vectors: ENTRIES + 1 });
    expect(server.entryIds()).not.toEqual(expect.arrayContaining([strays[0]]));
    expect(await needs.index.progress(space, NIL_TENANT)).toEqual({ position: expect.any(String) });
  });

  it('goes on where it was cut short, and takes it over from whoever seems to be at it', async () => {
    const space = await spaceOf(needs);
    const kill = new AbortController();
    const cut = reindex({
      needs,
      tenantId: NIL_TENANT,
      signal: kill.signal,
      progress: ({ done }) => done > 0 && kill.abort(),
    });
    await expect(cut).rejects.toThrow();
    const begun = await needs.index.progress(space, NIL_TENANT);
    expect(begun?.rebuild?.done).toBeGreaterThan(0);
    expect(begun?.rebuild?.done).toBeLessThan(ENTRIES);
    expect(begun?.position).toBeUndefined();
    const pages: number[] = [];
    await reindex({ needs, tenantId: NIL_TENANT, signal, progress: ({ done }) => pages.push(done) });
    expect(pages[0]).toBe(begun?.rebuild?.done);
    expect(new Set(server.entryIds()).size).toBe(ENTRIES);
  });

  it('says so where the index does not hold in the end what the store does', async () => {
    server.isForgetful = true;
    const hasty = { ...needs, clock: { now: () => Date.now(), sleep: async () => {} } };
    await expect(reindex({ needs: hasty, tenantId: OTHER_TENANT, signal })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      details: { stored: 1, indexed: 0 },
    });
    const nobody = '0d000000-0000-4000-8000-0000000000ff';
    await expect(reindex({ needs, tenantId: nobody, signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(server.points()).not.toContainEqual(expect.objectContaining({ payload: { tenant_id: nobody } }));
  });

  it('is a command', async () => {
    const environment = { LAMINA_DATABASE_URL: `sqlite:${folder}`, LAMINA_QDRANT_URL: server.url };
    const done = await runLamina(['reindex', 'qdrant'], environment);
    expect(done.stderr).toContain('100%');
    expect(done.stdout).toContain(
      `${ENTRIES + 1} vectors of local:minilm-l6-v2 of 2 tenants, both counts are the same.`,
    );
    expect(done.code).toBe(0);
    expect(new Set(server.entryIds()).size).toBe(ENTRIES + 1);
    const none = await runLamina(['reindex', 'qdrant'], { LAMINA_DATABASE_URL: `sqlite:${folder}` });
    expect(none.stderr).toContain('LAMINA_QDRANT_URL is not set');
    expect(none.code).not.toBe(0);
  });
});
