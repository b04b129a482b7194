/** Engine contract: what has expired is removed for good, of whichever user, and said so; and old events go. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import { assertSameMembers, failure, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';

const MINUTE = 60_000;

const ownedBy = (userId: string, content: string, expiresAt?: string): Entry =>
  entryOf({
    content,
    layer: 'user',
    identifiers: { userId },
    ownerId: userId,
    visibility: 'private',
    ...(expiresAt !== undefined && { expiresAt }),
  });

export function engineUpkeep(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('upkeep', () => {
    test('removes what has expired with all that is kept of it, and tells its texts', async ({ engine }, clock) => {
      const { entries: store, upkeep, events, erasure } = engine;
      const expiresAt = new Date(clock.now() + MINUTE).toISOString();
      const shared = entryOf({ content: 'shared for a minute', expiresAt });
      const first = ownedBy('u1', 'private at first', expiresAt);
      const second = nextVersion(first, { content: 'private for a minute' });
      const lasting = ownedBy('u1', 'private for good');
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(shared)]));
      await store.transaction(userOf('u1'), async (tx) => {
        await tx.insert([await writeOf(first), await writeOf(lasting)]);
        await tx.replace([await writeOf(second)]);
      });
      const { tenantId } = TENANT;
      const nothing = { ids: [], texts: [] };
      assert.deepEqual(await upkeep.removeExpired(tenantId, clock.now(), 10), nothing);
      const position = await events.head(userOf('u1'));
      clock.advance(MINUTE);
      assert.deepEqual(await upkeep.removeExpired(OTHER_TENANT.tenantId, clock.now(), 10), nothing);
      const { ids, texts } = await upkeep.removeExpired(tenantId, clock.now(), 10);
      assertSameMembers(ids, [shared.id, first.id]);
      assertSameMembers(texts, ['shared for a minute', 'private at first', 'private for a minute']);
      assert.deepEqual(await upkeep.removeExpired(tenantId, clock.now(), 10), nothing);
      const counts = await erasure.countTenant(TENANT);
      assert.deepEqual([counts.entries, counts.versions, counts.embeddings], [1, 0, 1]);
      const partitions = [partitionOfEntry(lasting)];
      const statistics = await store.textStatistics(userOf('u1'), partitions, ['private', 'minute']);
      assert.deepEqual(statistics, { documents: 1, averageLength: 3, episodes: 0, documentFrequencies: [1, 0] });
      const probe = { ...wordsProbe('private', 'minute'), embedding: await embeddingOf('private for a minute') };
      const found = await store.candidates(userOf('u1'), { partitions }, probe, 10);
      assert.deepEqual(
        found.map(({ id }) => id),
        [lasting.id],
      );
      const { items } = await events.read(userOf('u1'), position, 10);
      assertSameMembers(
        items.map(({ type, memoryId, version }) => `${type} ${memoryId} ${version}`),
        [`deleted ${shared.id} 1`, `deleted ${second.id} 2`],
      );
      // What was not theirs to see was not theirs to hear of.
      const { items: heard } = await events.read(userOf('u2'), position, 10);
      assert.deepEqual(
        heard.map(({ memoryId }) => memoryId),
        [shared.id],
      );
    });

    test('removes no more at a time than it is told, the longest expired first', async ({ engine }, clock) => {
      const { entries: store, upkeep } = engine;
      const brief = Array.from({ length: 7 }, (_, index) =>
        ownedBy('u', `number ${index}`, new Date(clock.now() + (7 - index) * 1000).toISOString()),
      );
      await store.transaction(TENANT, async (tx) => tx.insert(await Promise.all(brief.map(writeOf))));
      clock.advance(MINUTE);
      const { texts } = await upkeep.removeExpired(TENANT.tenantId, clock.now(), 3);
      assertSameMembers(texts, ['number 6', 'number 5', 'number 4']);
      assert.equal((await upkeep.removeExpired(TENANT.tenantId, clock.now(), 3)).ids.length, 3);
      assert.equal((await upkeep.removeExpired(TENANT.tenantId, clock.now(), 3)).ids.length, 1);
      // The same words again are a new entry.
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(ownedBy('u', 'number 3'))]));
      assert.equal(await store.count(TENANT, {}), 1);
    });

    test('takes the oldest events out of the log, and tells whoever has not read them', async ({ engine }, clock) => {
      const { entries: store, upkeep, events } = engine;
      const { tenantId } = TENANT;
      const write = async (content: string): Promise<string> => {
        const entry = entryOf({ content });
        await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(entry)]));
        return entry.id;
      };
      const after = async (position: string | undefined): Promise<string[]> =>
        (await events.read(TENANT, position, 10)).items.map(({ memoryId }) => memoryId);
      await write('before all');
      const before = await events.head(TENANT);
      const ids = [await write('one'), await write('two'), await write('three')];
      const between = await events.head(TENANT);
      clock.advance(MINUTE);
      ids.push(await write('four'));
      const { items } = await events.read(TENANT, before, 10);
      const prune = (limit: number): Promise<number> => upkeep.pruneEvents(tenantId, clock.now(), limit);
      assert.equal(await upkeep.pruneEvents(OTHER_TENANT.tenantId, clock.now(), 10), 0);
      assert.deepEqual(await after(before), ids);
      await untilGone(prune, 3, 3);
      for (const position of [before, nth(items, 0).id]) {
        await failure('VALIDATION_FAILED', events.read(TENANT, position, 10));
        await failure('VALIDATION_FAILED', events.readPool(TENANT, 'p', position, 10));
        assert.equal(await upkeep.changes(tenantId, position, 10), undefined);
      }
      assert.deepEqual(await after(nth(items, 1).id), ids.slice(2));
      await untilGone(prune, 10, 1);
      assert.equal(await prune(10), 0);
      for (const position of [undefined, between, nth(items, 2).id]) assert.deepEqual(await after(position), [ids[3]]);
      clock.advance(MINUTE);
      await untilGone(prune, 10, 1);
      const end = await events.head(TENANT);
      ids.push(await write('five'));
      for (const position of [undefined, end, nth(items, 3).id]) assert.deepEqual(await after(position), [ids[4]]);
      assert.deepEqual(
        (await upkeep.changes(tenantId, end, 10))?.items.map(({ memoryId }) => memoryId),
        [ids[4]],
      );
    });
  });
}

/** Where others write to the same server, what is under way there may put some of it off. */
async function untilGone(prune: (limit: number) => Promise<number>, limit: number, count: number): Promise<void> {
  let gone = 0;
  for (let turn = 0; turn < 500 && gone < count; turn += 1) {
    gone += await prune(limit - gone);
    if (gone < count) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(gone, count);
}
