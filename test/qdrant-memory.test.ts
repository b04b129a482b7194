/** Memory with Qdrant as index of vectors: the same answers as without it, whatever becomes of Qdrant. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { SearchInput } from '../src/domain/recall.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import type { Memory } from '../src/operations/memory.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { QdrantServer } from './qdrant-server.ts';
import { openLamina, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const OTHER_TENANT = '0d000000-0000-4000-8000-000000000008';

let server: QdrantServer;
beforeAll(async () => {
  server = await QdrantServer.start();
});
afterAll(() => server.stop());

let folder: string;
let opened: OpenLamina;
let lamina: Lamina;
let memory: Memory;
beforeEach(async () => {
  folder = await makeFolder();
  opened = await openLamina({ folder, qdrant: { url: server.url } });
  ({ lamina } = opened);
  memory = lamina.as({ userId: 'alice' });
});
afterEach(async () => {
  Object.assign(server, { isDown: false, before: undefined });
  await opened.close();
  await removeFolder(folder);
  server.collections.clear();
  server.requests.length = 0;
});

/** Waits until it is so. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 400; wait += 1) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error('It did not come to be so.');
}

/** Whether a search uses the index. */
async function isUsed(of: Memory = memory): Promise<boolean> {
  const before = server.requests.filter((each) => each === 'POST query').length;
  const { warnings } = await of.search({ query: 'anything' });
  return warnings === undefined && server.requests.filter((each) => each === 'POST query').length > before;
}

const isIndexed = (id: string): boolean => server.entryIds().includes(id);

const add = async (content: string, of: Memory = memory): Promise<string> =>
  (await of.add({ content, layer: 'user' })).memory.id;

const found = async (query: string, of: Memory = memory): Promise<string[]> =>
  (await of.search({ query, mode: 'semantic', threshold: 0 })).results.map(({ memory: { content } }) => content);

const OUT_OF_REACH = 'The vector index could not be used; the store compared vectors itself.';

describe('searching with Qdrant', () => {
  it('answers exactly as the store alone does, for everyone, by every filter', async () => {
    const plain = await openLamina({ folder });
    const random = new SeededRandom(11);
    const words = Array.from({ length: 12 }, () => random.word());
    const people = [{ userId: 'alice' }, { userId: 'bob' }, { userId: 'alice', tenantId: OTHER_TENANT }];
    for (const person of people) {
      await lamina.as(person).addMany(
        Array.from({ length: 90 }, () => ({
          content: `${random.pick(words)} ${random.pick(words)} ${random.words(2)}`,
          layer: random.pick(['user', 'project'] as const),
          identifiers: { userId: person.userId, projectId: 'p' },
          visibility: random.pick(['private', 'shared'] as const),
          tags: [random.pick(['a', 'b'])],
        })),
      );
    }
    for (const person of people) await until(() => isUsed(lamina.as(person)));
    server.requests.length = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      const person = random.pick(people);
      const input: SearchInput = {
        query: `${random.pick(words)} ${random.pick(words)}`,
        identifiers: { userId: person.userId, projectId: 'p' },
        mode: random.pick(['hybrid', 'semantic'] as const),
        threshold: random.pick([0, 0.5]),
        limit: random.pick([1, 5, 30]),
        ...(random.next() < 0.5 && { filter: { tags: [random.pick(['a', 'b'])] } }),
      };
      const [withIndex, without] = [await lamina.as(person).search(input), await plain.lamina.as(person).search(input)];
      // Time goes on between the two, and with it recency.
      const shape = ({ results }: typeof without): unknown =>
        results.map(({ memory: { id }, score, similarity }) => [id, score.toFixed(4), similarity?.toFixed(6)]);
      expect(shape(withIndex)).toEqual(shape(without));
      expect({ ...withIndex, results: [] }).toEqual({ ...without, results: [] });
    }
    expect(server.requests.filter((each) => each === 'POST query').length).toBeGreaterThanOrEqual(30);
    await plain.close();
  });

  it('finds by a filter what is far behind what is nearer, asking for more', async () => {
    await memory.addMany(
      Array.from({ length: 700 }, (_, number) => ({ content: `red apple ${number}`, layer: 'user' as const })),
    );
    await memory.add({ content: 'blue sea', layer: 'user', tags: ['rare'] });
    await until(() => isUsed());
    server.requests.length = 0;
    const { results, warnings } = await memory.search({ query: 'red apple', threshold: 0, filter: { tags: ['rare'] } });
    expect(results.map(({ memory: { content } }) => content)).toEqual(['blue sea']);
    expect(warnings).toBeUndefined();
    expect(server.requests.filter((each) => each === 'POST query')).toHaveLength(2);
  });

  it('knows at once what was written, moved and deleted, before the index does', async () => {
    const moved = await add('a red apple');
    const deleted = await add('a green apple');
    await until(() => isUsed());
    // From now on Qdrant is told nothing: what it is told waits.
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    server.before = (request) => (request === 'PUT points' ? gate : undefined);
    await add('a yellow apple');
    await memory.archive({ id: moved });
    await memory.delete({ id: deleted });
    const { results, warnings } = await memory.search({ query: 'apple', mode: 'semantic', threshold: 0 });
    expect(results.map(({ memory: { content } }) => content)).toEqual(['a yellow apple']);
    expect(warnings).toBeUndefined();
    const archived = await memory.search({ query: 'apple', mode: 'semantic', threshold: 0, includeArchived: true });
    expect(archived.results).toHaveLength(2);
    // Also in another process, which has written nothing.
    const second = await openLamina({ folder, qdrant: { url: server.url } });
    expect(await found('apple', second.lamina.as({ userId: 'alice' }))).toEqual(['a yellow apple']);
    release();
    await second.close();
    await until(() => !isIndexed(deleted) && server.entryIds().length === 2);
  });

  it('shows nothing because a point says so', async () => {
    const bob = lamina.as({ userId: 'bob' });
    const stranger = lamina.as({ userId: 'alice', tenantId: OTHER_TENANT });
    const secrets = [await add('the secret apple of alice'), await add('the secret apple of a stranger', stranger)];
    const own = await add('the apple of bob', bob);
    await until(
      async () => (await isUsed(bob)) && (await isUsed(stranger)) && secrets.every(isIndexed) && isIndexed(own),
    );
    const [collection] = server.collections.values();
    const bobs = server.points().find(({ payload }) => payload['entry_id'] === own);
    // Whatever has found its way into bob's partition there.
    for (const [index, entry_id] of [...secrets, 'no id', undefined].entries()) {
      const id = `0d000000-0000-4000-8000-00000000010${index}`;
      collection?.points.set(id, { id, vector: bobs?.vector ?? [], payload: { ...bobs?.payload, entry_id } });
    }
    expect(await found('the secret apple', bob)).toEqual(['the apple of bob']);
    expect(await isUsed(bob)).toBe(true);
  });
});

describe('while Qdrant is away', () => {
  it('goes on with the store alone, says so, and catches up afterwards', async () => {
    await add('a red apple');
    await until(() => isUsed());
    server.isDown = true;
    const written = await add('a green apple');
    const { results, warnings } = await memory.search({ query: 'green apple' });
    expect(results[0]?.memory.id).toBe(written);
    expect(warnings).toEqual([OUT_OF_REACH]);
    const { status, components } = await lamina.health();
    expect(status).toBe('degraded');
    expect(components['index']).toMatchObject({ status: 'unhealthy', message: expect.stringContaining('Qdrant') });
    server.isDown = false;
    await until(() => isIndexed(written));
    await until(() => isUsed());
    expect((await lamina.health()).status).toBe('healthy');
  });

  it('builds anew by itself what it has lost', async () => {
    const ids = [await add('a red apple'), await add('a green apple')];
    await until(() => isUsed());
    server.collections.clear();
    const { results, warnings } = await memory.search({ query: 'apple', threshold: 0 });
    expect([results.length, warnings]).toEqual([2, [OUT_OF_REACH]]);
    await until(async () => ids.every(isIndexed) && (await isUsed()));
  });

  it('leaves to whoever leads what the process that wrote it could not tell', async () => {
    await add('a red apple');
    await until(() => isUsed());
    server.isDown = true;
    const written = await add('a green apple');
    await opened.close();
    server.isDown = false;
    opened = await openLamina({ folder, qdrant: { url: server.url } });
    const leading = new AbortController();
    const upkeep = opened.lamina.keepUp({ roundMs: 60_000 }, leading.signal);
    await until(() => isIndexed(written));
    leading.abort();
    await upkeep;
  });

  it('is built anew where the event log does not reach back to what it was told last', async () => {
    const gone = await add('a red apple');
    await until(() => isUsed());
    server.isDown = true;
    await memory.delete({ id: gone });
    const written = await add('a green apple');
    await opened.close();
    const engine = new SqliteEngine({ folder, clock: systemClock });
    expect(await engine.upkeep.pruneEvents(NIL_TENANT, Date.now() + 1, 10)).toBe(3);
    await engine.close();
    server.isDown = false;
    opened = await openLamina({ folder, qdrant: { url: server.url } });
    const again = opened.lamina.as({ userId: 'alice' });
    expect(await found('apple', again)).toEqual(['a green apple']);
    await until(() => isIndexed(written) && !isIndexed(gone));
    await until(() => isUsed(again));
  });

  it('is not left with a vector of what was deleted while it was told of it', async () => {
    await add('a red apple');
    await until(() => isUsed());
    const plain = await openLamina({ folder });
    let id = '';
    let puts = 0;
    server.before = async (request) => {
      if (request !== 'PUT points' || id === '') return;
      puts += 1;
      if (puts === 1) await plain.lamina.as({ userId: 'alice' }).delete({ id });
    };
    id = await add('a brief apple');
    await until(() => puts > 1);
    await until(() => server.entryIds().length === 1 && !isIndexed(id));
    await plain.close();
  });
});

describe('erasing with Qdrant', () => {
  const rootOf = (of: Lamina): Memory => of.as({ userId: 'root', roles: ['admin'] });

  it('takes the vectors of a user with it, and counts them', async () => {
    const bob = lamina.as({ userId: 'bob' });
    await add('an apple of alice');
    await memory.add({
      content: 'an apple that alice gives',
      layer: 'project',
      identifiers: { projectId: 'p' },
      kind: 'episodic',
      visibility: 'shared',
    });
    const left = await add('an apple of bob', bob);
    await until(async () => (await isUsed()) && server.entryIds().length === 3);
    const receipt = await rootOf(lamina).admin.eraseUser({ userId: 'alice' });
    // Once in the store and once in the index.
    expect(receipt.counts).toMatchObject({ entries: 2, embeddings: 4 });
    expect(server.entryIds()).toEqual([left]);
    const { erasureId } = receipt;
    const verify = () => rootOf(lamina).admin.verifyErasure({ erasureId, userId: 'alice' });
    expect(await verify()).toMatchObject({ verified: true });
    expect(await found('apple', bob)).toEqual(['an apple of bob']);
    // A vector that somebody has put back is told.
    await add('an apple again');
    await until(() => server.entryIds().length === 2);
    expect(await verify()).toMatchObject({ verified: false, remaining: { embeddings: 2 } });
  });

  it('fails as a whole while Qdrant is away', async () => {
    await add('an apple of alice');
    await until(() => isUsed());
    server.isDown = true;
    await expect(rootOf(lamina).admin.eraseUser({ userId: 'alice' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await memory.list({ layer: 'user' })).memories).toHaveLength(1);
    server.isDown = false;
    expect((await rootOf(lamina).admin.eraseUser({ userId: 'alice' })).counts.entries).toBe(1);
    expect(server.entryIds()).toEqual([]);
  });

  it('leaves nothing of a tenant', async () => {
    const admin = lamina.as({ userId: 'alice', tenantId: OTHER_TENANT, roles: ['admin'] });
    const left = await add('an apple');
    await add('an apple', admin);
    await until(async () => (await isUsed(admin)) && (await isUsed()) && server.entryIds().length === 2);
    await admin.admin.eraseTenant({ tenantId: OTHER_TENANT });
    expect(JSON.stringify(server.points())).not.toContain(OTHER_TENANT);
    expect(server.entryIds()).toEqual([left]);
    expect(server.points().every(({ payload }) => payload['tenant_id'] === NIL_TENANT || 'progress' in payload)).toBe(
      true,
    );
  });
});
