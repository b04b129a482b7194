/** Changing the model with Qdrant beside the database: the database answers until Qdrant has caught up with the new space. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { modelChangeOver } from '../src/compose/model-change.ts';
import { openQdrant } from '../src/compose/qdrant.ts';
import { systemClock } from '../src/compose/system.ts';
import { beginModelChange, cutOver, fillForModel, leaveModel, rollBack } from '../src/core/spaces/model-change.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Embedder, EmbedderSettings } from '../src/ports/embedder.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { QdrantServer } from './qdrant-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const [OLD, NEW] = [64, 128].map((dimensions) => ({ provider: 'test', dimensions })) as [
  { provider: string; dimensions: number },
  { provider: string; dimensions: number },
];
const { signal } = new AbortController();

const make = ({ dimensions = 0 }: EmbedderSettings): Embedder => new HashEmbedder({ dims: dimensions });

let server: QdrantServer;
beforeAll(async () => {
  server = await QdrantServer.start();
});
afterAll(() => server.stop());

it('keeps a collection for each space, and misses nothing in either', { timeout: 20_000 }, async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const qdrant = { url: server.url };
  const engine = (): SqliteEngine => new SqliteEngine({ folder, clock: systemClock });
  const lamina = await Lamina.open({ engine: engine(), embedder: make(OLD), embedderFor: make, qdrant });
  onTestFinished(() => lamina.close());
  const memory = lamina.as({ userId: 'u' });
  const index = await openQdrant(qdrant);
  const change = modelChangeOver(engine(), { configured: make(OLD), make, index });
  onTestFinished(() => change.close());
  const { needs } = change;
  const [former, target] = [change.embedderFor(OLD), change.embedderFor(NEW)];
  const [oldSpace, newSpace] = [await former.space(), await target.space()];

  let count = 0;
  const add = async (): Promise<void> => {
    count += 1;
    await memory.add({ layer: 'user', content: `note ${count} ${(count * 2654435761).toString(36)}` });
  };
  /** Whether a search by meaning finds the last one, and whether Qdrant was asked for it. */
  const isAsked = async (): Promise<boolean> => {
    const before = server.requests.filter((each) => each === 'POST query').length;
    const query = `note ${count} ${(count * 2654435761).toString(36)}`;
    const { results } = await memory.search({ query, mode: 'semantic', threshold: 0, limit: 1 });
    expect(results[0]?.memory.content).toBe(query);
    return server.requests.filter((each) => each === 'POST query').length > before;
  };
  const isIndexed = async (space: typeof oldSpace): Promise<boolean> =>
    (await index.count(space, NIL_TENANT)) === count;
  const dimensionsInUse = async (): Promise<number> => {
    const { results } = await memory.search({ query: 'note', includeEmbeddings: true, threshold: 0 });
    return results[0]?.memory.embedding?.length ?? 0;
  };
  const inUse = async (dimensions: number): Promise<void> => {
    await expect.poll(dimensionsInUse, { timeout: 5000 }).toBe(dimensions);
  };

  for (let turn = 0; turn < 30; turn += 1) await add();
  await expect.poll(isAsked).toBe(true);
  await beginModelChange(needs, change.configured, target);
  await fillForModel(needs, target, { signal });
  await add();
  expect(await isAsked()).toBe(true);
  expect(await index.progress(newSpace, NIL_TENANT)).toBeUndefined();

  await fillForModel(needs, target, { signal });
  await cutOver(needs, target, { signal });
  await inUse(128);
  // Builds the new collection meanwhile.
  for (let turn = 0; turn < 5; turn += 1) {
    await add();
    await isAsked();
  }
  await expect.poll(isAsked, { timeout: 5000 }).toBe(true);
  await expect.poll(() => isIndexed(newSpace), { timeout: 5000 }).toBe(true);

  // Back: the old collection has missed what was written meanwhile, and is told of it.
  await rollBack(needs, former, { signal });
  await inUse(64);
  await add();
  await isAsked();
  await expect.poll(() => isIndexed(oldSpace), { timeout: 5000 }).toBe(true);

  // What the new space lacks is filled without an event; its collection hears of it all the same.
  await needs.spaces.drop(NIL_TENANT, newSpace, 3);
  await fillForModel(needs, target, { signal });
  await cutOver(needs, target, { signal });
  await inUse(128);
  await add();
  await isAsked();
  await expect.poll(() => isIndexed(newSpace), { timeout: 5000 }).toBe(true);
  expect(await leaveModel(needs, 'cut_over', { signal })).toBe(count);
  expect(await index.count(oldSpace, NIL_TENANT)).toBe(0);
  await sleep(200);
  expect(await isAsked()).toBe(true);
});
