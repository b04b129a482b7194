/** Engine contract: what happens to the values of a pool can be followed, once, in order, and beside no other stream. */

import assert from 'node:assert/strict';
import { poolNamespace } from '../domain/namespace.ts';
import type { PoolChange } from '../domain/pool.ts';
import type { Engine } from '../ports/engine.ts';
import type { StateWrite } from '../ports/state-store.ts';
import { failure } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { entryOf, writeOf } from './entry-write.ts';
import { poolDraft } from './record-drafts.ts';

const MINUTE = 60_000;
const POOL = poolNamespace('p');

const set = (value: number, rest: Partial<StateWrite> = {}): StateWrite => ({
  mutation: { type: 'set', value },
  maxBytes: 1000,
  ...rest,
});

async function changesOf({ events }: Engine, poolId = 'p', after?: string): Promise<readonly PoolChange[]> {
  return (await events.readPool(TENANT, poolId, after, 1000)).items;
}

const told = (changes: readonly PoolChange[]): string[] => changes.map(({ type, key }) => `${type} ${key}`);

async function makePools({ records: { pools } }: Engine): Promise<void> {
  for (const poolId of ['p', 'p1', '"%_\\']) assert.ok(await pools.create(TENANT, poolDraft(poolId)));
}

export function enginePools(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('pools', () => {
    test('tell what was written, removed and cleared, with its version', async ({ engine }) => {
      const { state } = engine;
      await makePools(engine);
      const created = await state.write(TENANT, POOL, 'a', set(1));
      const updated = await state.write(TENANT, POOL, 'a', { ...set(0), mutation: { type: 'increment', by: 1 } });
      await state.write(TENANT, POOL, 'b', set(1));
      await state.remove(TENANT, POOL, 'a');
      const again = await state.write(TENANT, POOL, 'a', set(1));
      await state.clear(TENANT, POOL);
      const changes = await changesOf(engine);
      const expected = ['created a', 'updated a', 'created b', 'deleted a', 'created a'];
      assert.deepEqual(told(changes).slice(0, 5), expected);
      // What is cleared goes in any order.
      assert.deepEqual(told(changes).slice(5).toSorted(), ['deleted a', 'deleted b']);
      const versions = changes.filter(({ key }) => key === 'a').map(({ version }) => version);
      const { version } = updated;
      assert.deepEqual(versions, [created.version, version, version, again.version, again.version]);
      assert.equal(new Set(changes.map(({ id }) => id)).size, 7);
      for (const { poolId, at } of changes) assert.ok(poolId === 'p' && Date.parse(at) > 0);
    });

    test('tell nothing of what was refused, only counted, or is not there', async ({ engine }) => {
      const { state } = engine;
      await makePools(engine);
      const { version } = await state.write(TENANT, POOL, 'a', set(1));
      await failure('VERSION_CONFLICT', state.write(TENANT, POOL, 'a', set(2, { ifVersion: version + 1 })));
      await failure(
        'VALIDATION_FAILED',
        state.write(TENANT, POOL, 'a', { ...set(0), mutation: { type: 'append', items: [] } }),
      );
      state.touch(TENANT, POOL, 'a');
      await state.measure(TENANT, POOL);
      await state.remove(TENANT, POOL, 'none');
      await state.get(TENANT, POOL, 'a');
      assert.deepEqual(told(await changesOf(engine)), ['created a']);
    });

    test('tell when something expires, at the latest when it is swept away', async ({ engine }, clock) => {
      const { state } = engine;
      await makePools(engine);
      const expiresAt = clock.now() + MINUTE;
      for (const key of ['a', 'b']) await state.write(TENANT, POOL, key, set(1, { expiresAt }));
      clock.advance(MINUTE);
      const anew = await state.write(TENANT, POOL, 'a', set(2));
      await state.sweep(new AbortController().signal);
      const changes = await changesOf(engine);
      // A value that takes the place of one that has expired is a new one.
      const ofA = changes.filter(({ key }) => key === 'a');
      assert.deepEqual(told(ofA), ['created a', 'deleted a', 'created a']);
      assert.equal(ofA.at(-1)?.version, anew.version);
      assert.deepEqual(told(changes.filter(({ key }) => key === 'b')), ['created b', 'deleted b']);
    });

    test('are followed from any place, each apart from the others and from memories', async (subject) => {
      const { engine } = subject;
      const { state, entries, events } = engine;
      await makePools(engine);
      const before = await events.head(TENANT);
      const entry = entryOf({ content: 'beside the pools' });
      await state.write(TENANT, POOL, 'a', set(1));
      await state.write(TENANT, poolNamespace('p1'), 'b', set(1));
      await entries.transaction(TENANT, async (tx) => tx.insert([await writeOf(entry)]));
      await state.write(TENANT, poolNamespace('"%_\\'), 'c', set(1));
      await state.write(TENANT, 'no pool at all', 'd', set(1));
      await state.write(TENANT, POOL, 'e', set(1));
      const plain = await events.read(TENANT, before, 10);
      assert.deepEqual(
        plain.items.map(({ memoryId }) => memoryId),
        [entry.id],
      );
      assert.deepEqual(told(await changesOf(engine, 'p1', before)), ['created b']);
      assert.deepEqual(told(await changesOf(engine, '"%_\\')), ['created c']);
      assert.deepEqual(await changesOf(engine, ''), []);
      assert.deepEqual((await events.readPool(OTHER_TENANT, 'p', undefined, 10)).items, []);
      const first = await events.readPool(TENANT, 'p', before, 1);
      assert.deepEqual(told(first.items), ['created a']);
      const reopened = await subject.reopen();
      const rest = await reopened.events.readPool(TENANT, 'p', first.position, 10);
      assert.deepEqual(told(rest.items), ['created e']);
      assert.deepEqual(await changesOf(reopened, 'p', rest.position), []);
      await reopened.state.remove(TENANT, POOL, 'a');
      assert.deepEqual(told(await changesOf(reopened, 'p', rest.position)), ['deleted a']);
      await failure('VALIDATION_FAILED', reopened.events.readPool(TENANT, 'p', 'nonsense', 10));
    });

    test('tell every change of many who write at once', async ({ engine }) => {
      await makePools(engine);
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          engine.state.write(TENANT, POOL, `k${index % 5}`, { mutation: { type: 'increment', by: 1 }, maxBytes: 99 }),
        ),
      );
      const changes = await changesOf(engine);
      assert.equal(changes.length, 60);
      for (const key of ['k0', 'k1', 'k2', 'k3', 'k4']) {
        const own = changes.filter((change) => change.key === key);
        assert.deepEqual(told(own), [`created ${key}`, ...Array.from({ length: 11 }, () => `updated ${key}`)]);
        const versions = own.map(({ version }) => version);
        assert.deepEqual(
          versions,
          versions.toSorted((a, b) => a - b),
        );
      }
    });

    test('wake those who wait for something new', async ({ engine }) => {
      await makePools(engine);
      const woken = new Promise<void>((resolve, reject) => {
        const stop = engine.events.watch(TENANT.tenantId, () => {
          stop();
          resolve();
        });
        setTimeout(() => reject(new Error('nobody was woken')), 5000).unref();
      });
      await engine.state.write(TENANT, POOL, 'a', set(1));
      await woken;
    });

    test('take what was told of them along when they go', async ({ engine }) => {
      await makePools(engine);
      await engine.state.write(TENANT, POOL, 'a', set(1));
      await engine.state.clear(TENANT, POOL);
      await engine.records.pools.remove(TENANT, 'p');
      assert.equal((await engine.erasure.countTenant(TENANT)).events, 0);
      // Somebody else may have the name now.
      assert.ok(await engine.records.pools.create(userOf('u1'), poolDraft('p', { ownerId: 'u1' })));
      assert.deepEqual((await engine.events.readPool(userOf('u1'), 'p', undefined, 10)).items, []);
    });
  });
}
