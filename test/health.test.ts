/** How Lamina says that it is well: the store decides whether it serves, the model whether it serves everything. */

import { mkdir, rename, rmdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { caller } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

describe('health', () => {
  it('is degraded while the model fails, and recovers with it', async () => {
    const { lamina, embedder, root } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = caller(url);
    expect((await call('GET', '/health')).json).toMatchObject({
      status: 'healthy',
      components: { store: { status: 'healthy' }, embedder: { status: 'healthy' } },
    });
    embedder.fail = true;
    await expect(root.add({ content: 'Not now', layer: 'user' })).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    const ill = await call('GET', '/health');
    expect([ill.status, ill.json.status, ill.json.components.embedder.status]).toEqual([200, 'degraded', 'degraded']);
    expect((await call('GET', '/ready')).status).toBe(200);
    embedder.fail = false;
    await root.add({ content: 'Now', layer: 'user' });
    expect((await call('GET', '/health')).json.status).toBe('healthy');
  });

  it('is gone once another folder lies where the data is, and back with the right one', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = caller(url);
    await root.add({ content: 'Before', layer: 'user' });
    await rename(folder, `${folder}-aside`);
    await mkdir(folder);
    const ill = await call('GET', '/health');
    expect(ill).toMatchObject({ status: 503, json: { status: 'unhealthy' } });
    expect(ill.json.components.store.message).toContain('moved, replaced or deleted');
    expect((await call('GET', '/ready')).status).toBe(503);
    await rmdir(folder);
    await rename(`${folder}-aside`, folder);
    expect((await call('GET', '/ready')).status).toBe(200);
  });
});
