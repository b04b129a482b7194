/** Engine contract: what an index beside the store needs of it, and how the store confirms what that index found. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Candidate } from '../ports/entry-store.ts';
import { assertSameMembers } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';

const privateOf = (userId: string, content: string): Entry =>
  entryOf({ content, layer: 'user', identifiers: { userId }, ownerId: userId, visibility: 'private' });

const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

export function engineIndex(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('an index beside it', () => {
    test('is told what happened to the memories of all users, and what they are now', async ({ engine }) => {
      const { entries: store, upkeep } = engine;
      const { tenantId } = TENANT;
      const [first, other] = [privateOf('u1', 'one'), privateOf('u2', 'two')];
      const { space, vector } = await embeddingOf('one again');
      assert.deepEqual((await upkeep.changes(tenantId, undefined, 10))?.items, []);
      await store.transaction(userOf('u1'), async (tx) => tx.insert([await writeOf(first)]));
      await store.transaction(userOf('u2'), async (tx) =>
        tx.insert([{ ...(await writeOf(other)), embedding: undefined }]),
      );
      const { items = [], position } = (await upkeep.changes(tenantId, undefined, 10)) ?? {};
      assert.deepEqual(
        items.map(({ memoryId, type }) => [memoryId, type]),
        [
          [first.id, 'created'],
          [other.id, 'created'],
        ],
      );
      const second = nextVersion(first, { content: 'one again' });
      await store.transaction(userOf('u1'), async (tx) => tx.replace([await writeOf(second)]));
      const page = await upkeep.changes(tenantId, position, 10);
      assert.deepEqual(
        page?.items.map(({ memoryId }) => memoryId),
        [first.id],
      );
      assert.deepEqual((await upkeep.changes(tenantId, page?.position, 10))?.items, []);
      const points = await upkeep.points(tenantId, space, [first.id, other.id, tenantId]);
      assertSameMembers(idsOf(points), [first.id, other.id]);
      const point = points.find(({ id }) => id === first.id);
      assert.deepEqual(point, { id: first.id, version: 2, ownerId: 'u1', partition: partitionOfEntry(second), vector });
      assert.equal(points.find(({ id }) => id === other.id)?.vector, undefined);
      assert.equal(await upkeep.countPoints(tenantId, space), 1);
      assert.deepEqual(await upkeep.points(OTHER_TENANT.tenantId, space, [first.id]), []);
      assert.equal(await upkeep.countPoints(OTHER_TENANT.tenantId, space), 0);
    });

    test('wakes whoever watches all tenants when this process has written', async ({ engine }) => {
      const woken: string[] = [];
      const stop = engine.events.watchAll((tenantId) => woken.push(tenantId));
      const write = async (): Promise<void> => {
        const written = await writeOf(entryOf({ content: `for ${woken.length}` }));
        await engine.entries.transaction(TENANT, (tx) => tx.insert([written]));
      };
      await write();
      assert.ok(woken.includes(TENANT.tenantId));
      stop();
      const before = woken.length;
      await write();
      assert.equal(woken.length, before);
    });

    test('may say where to look, but not what is there', async ({ engine }, clock) => {
      const { entries: store } = engine;
      const expiresAt = new Date(clock.now() + 1000).toISOString();
      const shared = ['red apple', 'green apple', 'blue sea'].map((content) => entryOf({ content, tags: [content] }));
      const brief = entryOf({ content: 'red apple soon gone', expiresAt });
      const hidden = privateOf('u1', 'red apple of mine');
      await store.transaction(TENANT, async (tx) => tx.insert(await Promise.all([...shared, brief].map(writeOf))));
      await store.transaction(userOf('u1'), async (tx) => tx.insert([await writeOf(hidden)]));
      await store.transaction(OTHER_TENANT, async (tx) =>
        tx.insert([await writeOf(entryOf({ content: 'red apple' }))]),
      );
      clock.advance(2000);
      const embedding = await embeddingOf('red apple');
      const partitions = [partitionOfEntry(brief)];
      const near = [...shared, brief, hidden].map(({ id }) => id);
      const asked = (probe: object, limit = 10, reach: object = {}): Promise<Candidate[]> =>
        store.candidates(TENANT, { partitions, ...reach }, { terms: [], embedding, ...probe }, limit);
      // The same as by the store's own index: also everything that is told of them.
      const byId = (a: Candidate, b: Candidate): number => (a.id < b.id ? -1 : 1);
      assert.deepEqual((await asked({ near })).toSorted(byId), (await asked({})).toSorted(byId));
      const [red = '', green = '', blue = ''] = idsOf(shared);
      assertSameMembers(idsOf(await asked({ near: [hidden.id, blue] })), [blue]);
      assertSameMembers(idsOf(await asked({ near: [...near, ...near] }, 2)), [red, green]);
      assertSameMembers(idsOf(await asked({ near }, 10, { filter: { tags: ['blue sea'] } })), [blue]);
      assertSameMembers(idsOf(await asked({ near: [blue], ...wordsProbe('green') })), [green, blue]);
      assert.deepEqual(await asked({ near: [] }), []);
      // Whoever may read it finds it, by the same words of the index.
      const own = { partitions: [partitionOfEntry(hidden)] };
      assert.deepEqual(idsOf(await store.candidates(userOf('u1'), own, { terms: [], embedding, near }, 10)), [
        hidden.id,
      ]);
      const foreign = await store.candidates(
        userOf('u2'),
        { partitions },
        { terms: [], embedding, near: [hidden.id] },
        10,
      );
      assert.deepEqual(foreign, []);
    });
  });
}
