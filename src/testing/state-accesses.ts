/** Contract: accesses of state are counted soon, and what is read often can be found again when its time is over. */

import assert from 'node:assert/strict';
import { agentNamespace, SESSION_PREFIX, sessionNamespace } from '../domain/namespace.ts';
import type { Json } from '../domain/json.ts';
import type { Keeping, StatePlace, StateStore, StateWrite } from '../ports/state-store.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, stateCount, TENANT, userOf, type OpenEngine } from './engine-subject.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const KEEPING: Keeping = { accesses: 3, ms: DAY };
const SESSION = sessionNamespace('u', 'helper', 's');

/** Counts come within a second or two; one that does not come at all must not hang a test. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 25;

function set(value: Json, expiresAt?: number): StateWrite {
  return { mutation: { type: 'set', value }, maxBytes: 1000, ...(expiresAt !== undefined && { expiresAt }) };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, 'it was not counted');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Reads that are counted, and the wait until they are: in all of the namespace there are then so many. */
async function read(state: StateStore, key: string, times: number, all = times, namespace = SESSION): Promise<void> {
  for (let count = 0; count < times; count += 1) state.touch(TENANT, namespace, key, KEEPING);
  await until(async () => (await state.measure(TENANT, namespace)).accesses === all);
}

const frequent = async (state: StateStore, accesses = 3, limit = 10, after?: StatePlace): Promise<string[]> =>
  (await state.frequent(TENANT.tenantId, SESSION_PREFIX, accesses, limit, after)).map(({ key }) => key);

export function stateAccesses(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('accesses', () => {
    test('are counted soon, and make no new version', async (subject, clock) => {
      const { state } = subject.engine;
      const item = await state.write(TENANT, SESSION, 'k', set('value'));
      assert.deepEqual([item.accessCount, item.lastAccessedAt], [0, undefined]);
      await state.get(TENANT, SESSION, 'k');
      clock.advance(MINUTE);
      state.touch(TENANT, SESSION, 'nothing', KEEPING);
      await read(state, 'k', 2);
      const lastAccessedAt = new Date(clock.now()).toISOString();
      const counted = { ...item, accessCount: 2, lastAccessedAt };
      assert.deepEqual(await state.get(TENANT, SESSION, 'k'), counted);
      assert.deepEqual(await state.list(TENANT, SESSION, 10), [counted]);
      const reopened = (await subject.reopen()).state;
      assert.deepEqual(await reopened.get(TENANT, SESSION, 'k'), counted);
    });

    test('outlast a write, but not the value', async ({ engine: { state } }, clock) => {
      await state.write(TENANT, SESSION, 'k', set(1));
      await read(state, 'k', 2);
      const written = await state.write(TENANT, SESSION, 'k', set(2, clock.now() + MINUTE));
      assert.equal(written.accessCount, 2);
      assert.equal((await state.get(TENANT, SESSION, 'k'))?.accessCount, 2);
      await read(state, 'k', 2, 4);
      clock.advance(MINUTE);
      const anew = await state.write(TENANT, SESSION, 'k', set(3));
      assert.deepEqual([anew.accessCount, anew.lastAccessedAt], [0, undefined]);
      assert.deepEqual(await frequent(state), []);
      await read(state, 'k', 1);
      await state.remove(TENANT, SESSION, 'k');
      assert.equal((await state.write(TENANT, SESSION, 'k', set(4))).accessCount, 0);
    });

    test('are added up with the values and their bytes', async ({ engine: { state } }, clock) => {
      assert.deepEqual(await state.measure(TENANT, SESSION), { count: 0, bytes: 0, accesses: 0 });
      await state.write(TENANT, SESSION, 'a', set('ü'));
      await state.write(TENANT, SESSION, 'b', set({ n: 1 }, clock.now() + MINUTE));
      await state.write(TENANT, sessionNamespace('u', 'helper', 's1'), 'a', set('elsewhere'));
      await read(state, 'a', 1);
      await read(state, 'b', 2, 3);
      assert.deepEqual(await state.measure(TENANT, SESSION), { count: 2, bytes: 4 + 7, accesses: 3 });
      clock.advance(MINUTE);
      assert.deepEqual(await state.measure(TENANT, SESSION), { count: 1, bytes: 4, accesses: 1 });
    });

    test('keep what was read often beyond its time, out of sight', async (subject, clock) => {
      const { state } = subject.engine;
      const expiresAt = clock.now() + MINUTE;
      for (const key of ['often', 'rarely']) await state.write(TENANT, SESSION, key, set(key, expiresAt));
      await read(state, 'often', 3);
      await read(state, 'rarely', 2, 5);
      clock.advance(MINUTE);
      await state.sweep(new AbortController().signal);
      assert.equal(await stateCount(subject, TENANT), 1);
      assert.equal(await state.get(TENANT, SESSION, 'often'), null);
      assert.deepEqual(await state.list(TENANT, SESSION, 10), []);
      assert.equal((await state.measure(TENANT, SESSION)).count, 0);
      const [kept] = await state.frequent(TENANT.tenantId, SESSION_PREFIX, 3, 10);
      assert.deepEqual([kept?.namespace, kept?.key, kept?.value, kept?.accessCount], [SESSION, 'often', 'often', 3]);
      assert.equal(kept?.expiresAt, new Date(expiresAt).toISOString());
      clock.advance(DAY);
      assert.deepEqual(await frequent(state), []);
      await state.sweep(new AbortController().signal);
      assert.equal(await stateCount(subject, TENANT), 0);
    });

    test('keep it as long beyond a new time, and no longer than it is wanted', async ({ engine: { state } }, clock) => {
      await state.write(TENANT, SESSION, 'k', set(1, clock.now() + MINUTE));
      await read(state, 'k', 3);
      await state.write(TENANT, SESSION, 'k', set(2, clock.now() + 10 * MINUTE));
      clock.advance(DAY + 5 * MINUTE);
      assert.equal(await state.get(TENANT, SESSION, 'k'), null);
      assert.deepEqual(await frequent(state), ['k']);
      // What has expired is not there to be removed, but clearing takes everything.
      assert.equal(await state.remove(TENANT, SESSION, 'k'), false);
      assert.equal(await state.clear(TENANT, SESSION), 0);
      assert.deepEqual(await frequent(state), []);
    });

    test('are searched in all namespaces of a kind, of whichever user, page by page', async ({ engine: { state } }) => {
      const places = [
        sessionNamespace('u', '', 's'),
        sessionNamespace('u', '', 's1'),
        sessionNamespace('u1', '', 's'),
        // Of another kind.
        agentNamespace('u', 'session', 's'),
      ];
      for (const namespace of places) {
        const owner = userOf(namespace.includes('"u1"') ? 'u1' : 'u');
        for (const key of ['a', 'b']) {
          await state.write(owner, namespace, key, set(key));
          for (let count = 0; count < (key === 'a' ? 3 : 4); count += 1) state.touch(owner, namespace, key);
        }
        await until(async () => (await state.measure(owner, namespace)).accesses === 7);
      }
      await state.write(OTHER_TENANT, SESSION, 'a', set('elsewhere'));
      const all = await state.frequent(TENANT.tenantId, SESSION_PREFIX, 3, 10);
      const expected = places
        .slice(0, 3)
        .toSorted()
        .flatMap((place) => [`${place} a`, `${place} b`]);
      const named = all.map(({ namespace, key }) => `${namespace} ${key}`);
      assert.deepEqual(named, expected);
      assert.deepEqual(await frequent(state, 4), ['b', 'b', 'b']);
      const paged: string[] = [];
      let after: StatePlace | undefined;
      for (;;) {
        const page = await state.frequent(TENANT.tenantId, SESSION_PREFIX, 3, 4, after);
        paged.push(...page.map(({ namespace, key }) => `${namespace} ${key}`));
        after = page.at(-1);
        if (page.length < 4) break;
      }
      assert.deepEqual(paged, expected);
      assert.deepEqual(await state.frequent(OTHER_TENANT.tenantId, SESSION_PREFIX, 1, 10), []);
    });
  });
}
