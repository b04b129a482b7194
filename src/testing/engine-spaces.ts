/** Engine contract: which embedding spaces are in use, and that nothing comes to lack a vector while they change. */

import assert from 'node:assert/strict';
import { OutdatedSpaces } from '../domain/outdated-spaces.ts';
import type { Engine } from '../ports/engine.ts';
import type { EntryWrite } from '../ports/entry-store.ts';
import type { SpacesInUse, UsedSpace } from '../ports/space-store.ts';
import { assertSameMembers } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, meaningProbe, nextVersion, partitionOfEntry, writeOf } from './entry-write.ts';

const { tenantId } = TENANT;
const [OLD, NEW] = [64, 128].map(usedOf) as [UsedSpace, UsedSpace];

function usedOf(dimensions: number): UsedSpace {
  return { space: { model: `test:hash-${dimensions}`, dimensions }, settings: { provider: 'test', dimensions } };
}

function stateOf(revision: number, changes: Partial<SpacesInUse> = {}): SpacesInUse {
  const times = { startedAt: 1, changedAt: revision };
  return { revision, phase: 'filling', active: OLD, other: NEW, isSwitching: false, ...times, ...changes };
}

async function inBoth(content: string): Promise<EntryWrite> {
  return { ...(await writeOf(entryOf({ content }))), otherEmbedding: await embeddingOf(content, 128) };
}

async function insert({ entries }: Engine, write: EntryWrite): Promise<void> {
  await entries.transaction(TENANT, (tx) => tx.insert([write]));
}

export function engineSpaces(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('spaces in use', () => {
    test('are written down one after the other, and found again', async (subject) => {
      const { spaces } = subject.engine;
      assert.equal(await spaces.read(), undefined);
      assert.equal(await spaces.change(stateOf(2)), false);
      assert.deepEqual(
        await Promise.all([spaces.change(stateOf(1)), spaces.change(stateOf(1))]).then((all) => all.filter(Boolean)),
        [true],
      );
      assert.equal(await spaces.change(stateOf(3)), false);
      const settled = stateOf(2, { phase: 'settled', active: NEW, other: undefined });
      assert.equal(await spaces.change(settled), true);
      const reopened = await subject.reopen();
      const { other: _none, ...expected } = settled;
      assert.deepEqual(await reopened.spaces.read(), expected);
    });

    test('are filled page by page with what still says the same', async ({ engine }) => {
      const { spaces, entries, upkeep } = engine;
      const [first, second, third] = (await Promise.all(['a b', 'b c', 'c d'].map(inBoth))) as [
        EntryWrite,
        EntryWrite,
        EntryWrite,
      ];
      for (const write of [first, second]) await insert(engine, { ...write, otherEmbedding: undefined });
      await insert(engine, third);
      await spaces.open(NEW.space);
      const page = await spaces.unembedded(tenantId, NEW.space, 1);
      assert.deepEqual(
        page.entries.map(({ id }) => id),
        [first.entry.id],
      );
      const rest = await spaces.unembedded(tenantId, NEW.space, 10, page.next);
      assert.deepEqual(
        rest.entries.map(({ id }) => id),
        [second.entry.id],
      );
      assert.equal(await spaces.countUnembedded(tenantId, NEW.space), 2);
      assert.equal(await spaces.countUnembedded(OTHER_TENANT.tenantId, NEW.space), 0);
      const next = nextVersion(first.entry, { content: 'x y' });
      await entries.transaction(TENANT, async (tx) => tx.replace([await writeOf(next)]));
      const fill = async ({ entry }: EntryWrite) => ({
        id: entry.id,
        version: 1,
        embedding: await embeddingOf(entry.content, 128),
      });
      const fills = await Promise.all([first, second, third].map(fill));
      await spaces.fill(tenantId, fills);
      await spaces.fill(tenantId, fills);
      const points = await upkeep.points(
        tenantId,
        NEW.space,
        [first, second, third].map(({ entry }) => entry.id),
      );
      assertSameMembers(
        points.flatMap(({ id, vector }) => (vector ? [id] : [])),
        [second.entry.id, third.entry.id],
      );
      const probe = { terms: [], embedding: await embeddingOf('b c', 128) };
      const [nearest] = await entries.candidates(TENANT, { partitions: [second.partition] }, probe, 1);
      assert.equal(nearest?.id, second.entry.id);
    });

    test('are dropped in pages, and only they', async ({ engine }) => {
      const { spaces, entries, upkeep } = engine;
      const write = await inBoth('a b');
      await insert(engine, write);
      await insert(engine, await inBoth('b c'));
      assert.equal(await spaces.drop(tenantId, OLD.space, 1), 1);
      assert.equal(await spaces.drop(tenantId, OLD.space, 10), 1);
      assert.equal(await spaces.drop(tenantId, OLD.space, 10), 0);
      assert.equal(await spaces.drop(OTHER_TENANT.tenantId, NEW.space, 10), 0);
      assert.deepEqual(
        [await upkeep.countPoints(tenantId, OLD.space), await upkeep.countPoints(tenantId, NEW.space)],
        [0, 2],
      );
      const reach = { partitions: [partitionOfEntry(write.entry)] };
      assert.deepEqual(await entries.candidates(TENANT, reach, await meaningProbe('a b'), 5), []);
    });

    test('refuse a write that lacks a vector which is needed, and leave nothing of it', async ({ engine }) => {
      const { spaces, entries, upkeep } = engine;
      const both = await inBoth('a b');
      const { otherEmbedding: _none, ...former } = await inBoth('b c');
      await insert(engine, both);
      await spaces.change(stateOf(1));
      await insert(engine, former);
      await spaces.change(stateOf(2, { isSwitching: true }));
      const late = await writeOf(entryOf({ content: 'c d' }));
      await assert.rejects(insert(engine, late), OutdatedSpaces);
      const changed = nextVersion(both.entry, { content: 'a c' });
      await assert.rejects(
        entries.transaction(TENANT, async (tx) => tx.replace([await writeOf(changed)])),
        OutdatedSpaces,
      );
      // What says the same keeps what it has.
      const tagged = { ...(await writeOf(nextVersion(both.entry, { tags: ['t'] }))), embedding: undefined };
      await entries.transaction(TENANT, (tx) => tx.replace([tagged]));
      assert.deepEqual(await entries.find(TENANT, [late.entry.id]), []);
      await insert(engine, { ...late, otherEmbedding: await embeddingOf('c d', 128) });
      await spaces.change(stateOf(3, { phase: 'dropping', active: NEW, other: OLD }));
      await assert.rejects(insert(engine, await writeOf(entryOf({ content: 'd e' }))), OutdatedSpaces);
      await insert(engine, await inBoth('e f'));
      assert.deepEqual(
        [await upkeep.countPoints(tenantId, OLD.space), await upkeep.countPoints(tenantId, NEW.space)],
        [3, 3],
      );
    });

    test('change only when those who write by what was before are done', async ({ engine }) => {
      const { spaces, entries } = engine;
      await spaces.change(stateOf(1));
      const hold = Promise.withResolvers<void>();
      const inside = Promise.withResolvers<void>();
      const writing = entries.transaction(TENANT, async (tx) => {
        await tx.insert([await writeOf(entryOf({ content: 'a b' }))]);
        // Asked, so that all of it has arrived in the database.
        await tx.list({}, 1);
        inside.resolve();
        await hold.promise;
      });
      await inside.promise;
      let isChanged = false;
      const changing = spaces.change(stateOf(2, { isSwitching: true })).then((value) => (isChanged = value));
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(isChanged, false);
      hold.resolve();
      await Promise.all([writing, changing]);
      assert.deepEqual([isChanged, await spaces.countUnembedded(tenantId, NEW.space)], [true, 1]);
    });
  });
}
