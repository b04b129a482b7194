/** The index in Qdrant: its contract, over a real server where one is named and over the stand-in otherwise, and its failures. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openQdrant } from '../src/compose/qdrant.ts';
import { partitionOf } from '../src/domain/access.ts';
import { scopeOf } from '../src/domain/scope.ts';
import { loadClients } from '../src/engines/qdrant/qdrant-clients.ts';
import { vectorContract, type OpenVectorIndex } from '../src/testing/vector-contract.ts';
import { QdrantServer } from './qdrant-server.ts';

const REAL_URL = process.env['LAMINA_TEST_QDRANT_URL'];
const REAL_KEY = process.env['LAMINA_TEST_QDRANT_API_KEY'];
const TENANT = '0d000000-0000-4000-8000-000000000007';
const SPACE = { model: 'test:small', dimensions: 2 };

let server: QdrantServer;
beforeAll(async () => {
  server = await QdrantServer.start();
});
afterAll(() => server.stop());

/** Each test has collections of its own, which go with it. */
const open: OpenVectorIndex = async () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const address = { url: REAL_URL ?? server.url, apiKey: REAL_KEY };
  const index = await openQdrant({ ...address, prefix });
  return {
    index,
    close: async () => {
      const { work } = await loadClients(address);
      const { collections } = await work.getCollections();
      for (const { name } of collections) if (name.startsWith(prefix)) await work.deleteCollection(name);
    },
  };
};

vectorContract({ describe, it }, REAL_URL === undefined ? 'the stand-in for Qdrant' : 'Qdrant', open);

describe('Qdrant', () => {
  const partition = partitionOf({
    scope: scopeOf('user', { userId: 'alice@example.org' }),
    kind: 'semantic',
    visibility: 'private',
    ownerId: 'alice@example.org',
  });
  const point = {
    id: '018f0000-0000-7000-8000-000000000001',
    partition,
    ownerId: 'alice@example.org',
    vector: Float32Array.of(1, 0),
  };

  it('is told no names but those of the tenant and the entry', async () => {
    const index = await openQdrant({ url: server.url, prefix: 'names' });
    await index.put(SPACE, TENANT, [point]);
    await index.saveProgress(SPACE, TENANT, { position: 'x' });
    const collection = [...server.collections].find(([name]) => name.startsWith('names_'));
    expect(collection?.[0]).toMatch(/^names_test-small_2_[0-9a-f]{8}$/);
    const points = [...(collection?.[1].points.values() ?? [])];
    expect(JSON.stringify(points)).not.toContain('alice');
    const fields = points.map(({ payload }) => Object.keys(payload).join(' '));
    expect(fields).toEqual(['tenant_id entry_id partition owner', 'progress']);
    expect([...(collection?.[1].indexed ?? [])]).toEqual(['tenant_id', 'partition', 'owner']);
  });

  it('makes a collection once, however many begin at once, and anew when somebody has deleted it', async () => {
    const indexes = await Promise.all([1, 2, 3].map(() => openQdrant({ url: server.url, prefix: 'race' })));
    await Promise.all(indexes.map((index) => index.put(SPACE, TENANT, [point])));
    const [index] = indexes;
    expect(await index?.count(SPACE, TENANT)).toBe(1);
    for (const name of server.collections.keys()) if (name.startsWith('race_')) server.collections.delete(name);
    await expect(index?.nearest(SPACE, TENANT, [partition], point.vector, 1)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    await index?.put(SPACE, TENANT, [point]);
    expect(await index?.count(SPACE, TENANT)).toBe(1);
  });

  it('is opened though it cannot be reached, and refused where no time would help', async () => {
    const nowhere = await openQdrant({ url: 'http://127.0.0.1:9' });
    await expect(nowhere.check()).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { component: 'index' } });
    server.apiKey = 'right';
    try {
      const refused = { code: 'CONFIGURATION_ERROR' };
      await expect(openQdrant({ url: server.url, apiKey: 'wrong' })).rejects.toMatchObject(refused);
      await expect(openQdrant({ url: server.url })).rejects.toThrow(/LAMINA_QDRANT_API_KEY/);
      await expect(openQdrant({ url: server.url, apiKey: 'right' })).resolves.toBeDefined();
      await expect(openQdrant({ url: 'qdrant:6333' })).rejects.toMatchObject(refused);
      await expect(openQdrant({ url: server.url, prefix: 'a_b' })).rejects.toMatchObject(refused);
    } finally {
      server.apiKey = undefined;
    }
  });

  it('says what it does not take without quoting it', async () => {
    const index = await openQdrant({ url: server.url, prefix: 'wrong' });
    const long = { ...point, vector: Float32Array.of(1, 0, 0) };
    await expect(index.put(SPACE, TENANT, [long])).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      message: 'Qdrant does not take what Lamina sends (status 400).',
    });
  });
});
