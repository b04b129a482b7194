/** Contract: what every state store must do, whatever it is built on. */

import assert from 'node:assert/strict';
import { LaminaError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Mutation } from '../domain/state.ts';
import type { StateStore, StateWrite } from '../ports/state-store.ts';
import { failure } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, stateCount, TENANT, type OpenEngine } from './engine-subject.ts';
import { SeededRandom } from './seeded-random.ts';
import { stateAccesses } from './state-accesses.ts';
import { StateModel } from './state-model.ts';

const PLACE = 'a namespace';
const MINUTE = 60_000;

function write(mutation: Mutation, rest: Partial<StateWrite> = {}): StateWrite {
  return { mutation, maxBytes: 1000, ...rest };
}

const set = (value: Json, rest?: Partial<StateWrite>): StateWrite => write({ type: 'set', value }, rest);
const increment = (by = 1): StateWrite => write({ type: 'increment', by });
const append = (...items: Json[]): StateWrite => write({ type: 'append', items });

const valueAt = async (state: StateStore, key: string): Promise<Json | undefined> =>
  (await state.get(TENANT, PLACE, key))?.value;

/** Declares the suite over the state store of an engine. */
export function stateContract(runner: TestRunner, open: OpenEngine): void {
  runner.describe('state', () => {
    stateRaces(runner, open);
    stateTime(runner, open);
    stateOwnership(runner, open);
    stateWithin(runner, open);
    stateAccesses(runner, open);
    stateAgainstModel(runner, open);
  });
}

function stateRaces(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('races', () => {
    test('lose nothing of 300 parallel increments and appends', async ({ engine: { state } }) => {
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      const counted = await Promise.all(numbers.map(() => state.write(TENANT, PLACE, 'n', increment())));
      assert.deepEqual(
        counted.map(({ value }) => Number(value)).toSorted((a, b) => a - b),
        numbers.map((index) => index + 1),
      );
      assert.equal(new Set(counted.map(({ version }) => version)).size, 300);
      const roomy = { maxBytes: 10_000 };
      await Promise.all(numbers.map((item) => state.write(TENANT, PLACE, 'list', { ...append(item), ...roomy })));
      const list = (await valueAt(state, 'list')) as number[];
      assert.deepEqual(
        list.toSorted((a, b) => a - b),
        numbers,
      );
    });

    test('count only as far as every count is a number of its own', async ({ engine: { state } }) => {
      for (const sign of [1, -1]) {
        await state.write(TENANT, PLACE, 'n', set(sign * (Number.MAX_SAFE_INTEGER - 2)));
        const counts = Array.from({ length: 5 }, () => state.write(TENANT, PLACE, 'n', increment(sign)));
        const counted = await Promise.allSettled(counts);
        assert.equal(counted.filter(({ status }) => status === 'fulfilled').length, 2);
        await failure('VALIDATION_FAILED', state.write(TENANT, PLACE, 'n', increment(sign)));
        assert.equal(await valueAt(state, 'n'), sign * Number.MAX_SAFE_INTEGER);
      }
      // A sum of measurements is not exact anyway.
      await state.write(TENANT, PLACE, 'n', set(0.5));
      assert.equal((await state.write(TENANT, PLACE, 'n', increment(2 ** 60))).value, 2 ** 60);
    });

    test('have one winner by version', async ({ engine: { state } }) => {
      for (const ifVersion of [0, undefined]) {
        const expected = ifVersion ?? (await state.get(TENANT, PLACE, 'k'))?.version ?? -1;
        const outcomes = await Promise.allSettled(
          Array.from({ length: 100 }, (_, index) =>
            state.write(TENANT, PLACE, 'k', set(`writer ${index}`, { ifVersion: expected })),
          ),
        );
        const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
        const losers = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
        );
        assert.deepEqual(await state.get(TENANT, PLACE, 'k'), winners[0]);
        assert.equal(winners.length, 1);
        for (const error of losers) {
          assert.ok(error instanceof LaminaError && error.code === 'VERSION_CONFLICT');
          assert.deepEqual(error.details, { currentVersion: winners[0]?.version, expectedVersion: expected });
        }
      }
    });

    test('have one who removes', async ({ engine: { state } }) => {
      const { version } = await state.write(TENANT, PLACE, 'k', set(1));
      const removals = await Promise.all(Array.from({ length: 20 }, () => state.remove(TENANT, PLACE, 'k', version)));
      assert.equal(removals.filter(Boolean).length, 1);
      await state.write(TENANT, PLACE, 'k', set(1));
      await failure('VERSION_CONFLICT', state.remove(TENANT, PLACE, 'k', version));
      assert.equal(await valueAt(state, 'k'), 1);
    });

    test('are not disturbed by those that are refused', async ({ engine: { state } }) => {
      await state.write(TENANT, PLACE, 'text', set('text'));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 90 }, (_, index) => {
          if (index % 3 === 0) return state.write(TENANT, PLACE, 'text', increment());
          if (index % 3 === 1) return state.write(TENANT, PLACE, 'large', set('x'.repeat(1001)));
          return state.write(TENANT, PLACE, 'n', increment());
        }),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 30);
      assert.deepEqual([await valueAt(state, 'text'), await valueAt(state, 'n')], ['text', 30]);
      assert.equal(await state.get(TENANT, PLACE, 'large'), null);
    });

    test('with a clearing end before or after it', async ({ engine: { state } }) => {
      await state.write(TENANT, PLACE, 'n', set(1000));
      const [first, cleared, second] = await Promise.all([
        state.write(TENANT, PLACE, 'n', increment()),
        state.clear(TENANT, PLACE),
        state.write(TENANT, PLACE, 'n', increment()),
      ]);
      assert.equal(cleared, 1);
      const results = [first.value, second.value, (await valueAt(state, 'n')) ?? null];
      // Calls that are under way together may take effect in any order.
      const orders = [
        [1001, 1002, null],
        [1002, 1001, null],
        [1001, 1, 1],
        [1, 1001, 1],
        [1, 2, 2],
        [2, 1, 2],
      ];
      assert.ok(
        orders.some((order) => order.every((value, index) => value === results[index])),
        `no order of events gives ${JSON.stringify(results)}`,
      );
    });
  });
}

function stateTime(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('time', () => {
    test('ends a value at once, and it does not come back', async ({ engine: { state } }, clock) => {
      const expiresAt = clock.now() + MINUTE;
      const item = await state.write(TENANT, PLACE, 'k', set('soon gone', { expiresAt }));
      assert.equal(item.expiresAt, new Date(expiresAt).toISOString());
      clock.advance(MINUTE - 1);
      assert.deepEqual(await state.get(TENANT, PLACE, 'k'), item);
      assert.deepEqual(await state.list(TENANT, PLACE, 10), [item]);
      clock.advance(1);
      assert.equal(await state.get(TENANT, PLACE, 'k'), null);
      assert.deepEqual(await state.list(TENANT, PLACE, 10), []);
      assert.equal(await state.remove(TENANT, PLACE, 'k'), false);
      assert.equal(await state.clear(TENANT, PLACE), 0);
      // Somebody sets the clock back.
      clock.advance(-MINUTE);
      assert.equal(await state.get(TENANT, PLACE, 'k'), null);
      assert.deepEqual(await state.list(TENANT, PLACE, 10), []);
    });

    test('takes no room for ever', async (subject, clock) => {
      const { state } = subject.engine;
      const expiresAt = clock.now() + MINUTE;
      for (const tenant of [TENANT, OTHER_TENANT]) {
        await state.write(tenant, PLACE, 'stays', set(1));
        for (const key of ['a', 'b', 'c']) await state.write(tenant, PLACE, key, set(key, { expiresAt }));
      }
      clock.advance(MINUTE);
      await state.sweep(new AbortController().signal);
      for (const tenant of [TENANT, OTHER_TENANT]) {
        assert.equal(await stateCount(subject, tenant), 1);
        assert.equal((await state.get(tenant, PLACE, 'stays'))?.value, 1);
      }
    });

    test('makes what follows a new value', async ({ engine: { state } }, clock) => {
      const old = await state.write(TENANT, PLACE, 'n', set(41, { expiresAt: clock.now() + MINUTE }));
      clock.advance(MINUTE);
      await failure('VERSION_CONFLICT', state.write(TENANT, PLACE, 'n', set(0, { ifVersion: old.version })));
      const item = await state.write(TENANT, PLACE, 'n', increment());
      assert.deepEqual([item.value, item.expiresAt], [1, undefined]);
      assert.ok(item.version > old.version && item.createdAt > old.createdAt);
    });

    test('is kept, changed or taken away by a write, as it says', async ({ engine: { state } }, clock) => {
      const expiresAt = clock.now() + MINUTE;
      await state.write(TENANT, PLACE, 'n', set(1, { expiresAt }));
      clock.advance(1000);
      const kept = await state.write(TENANT, PLACE, 'n', increment());
      assert.equal(kept.expiresAt, new Date(expiresAt).toISOString());
      assert.ok(kept.updatedAt > kept.createdAt);
      const later = await state.write(TENANT, PLACE, 'n', set(3, { expiresAt: expiresAt + MINUTE }));
      assert.equal(later.expiresAt, new Date(expiresAt + MINUTE).toISOString());
      assert.equal(later.createdAt, kept.createdAt);
      const forGood = await state.write(TENANT, PLACE, 'n', set(4, { expiresAt: null }));
      clock.advance(10 * MINUTE);
      assert.deepEqual(await state.get(TENANT, PLACE, 'n'), forGood);
    });

    test('and deletion leave nothing behind', async ({ engine: { state }, residue }, clock) => {
      if (!residue) return;
      const secrets = ['expired-secret', 'removed-secret', 'cleared-secret', 'replaced-secret'];
      for (const [index, secret] of secrets.entries()) {
        const rest = index === 0 ? { expiresAt: clock.now() + MINUTE } : {};
        await state.write(TENANT, index === 2 ? 'cleared' : PLACE, secret.slice(0, 3), set(secret, rest));
      }
      await state.remove(TENANT, PLACE, 'rem');
      await state.clear(TENANT, 'cleared');
      await state.write(TENANT, PLACE, 'rep', set('other'));
      clock.advance(MINUTE);
      assert.equal(await state.get(TENANT, PLACE, 'exp'), null);
      assert.deepEqual(await residue(secrets.map((secret) => Buffer.from(secret))), []);
    });
  });
}

function stateOwnership(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('values', () => {
    test('are taken as they are at the call, and given as the caller’s own', async ({ engine: { state } }) => {
      const value = { list: [1] };
      const item = { n: 1 };
      const setting = state.write(TENANT, PLACE, 'k', set(value));
      const appending = state.write(TENANT, PLACE, 'list', append(item));
      const merging = state.write(TENANT, PLACE, 'fields', write({ type: 'merge', fields: { item } }));
      value.list.push(2);
      item.n = 2;
      const [result] = await Promise.all([setting, appending, merging]);
      assert.deepEqual(result.value, { list: [1] });
      assert.deepEqual(await valueAt(state, 'list'), [{ n: 1 }]);
      assert.deepEqual(await valueAt(state, 'fields'), { item: { n: 1 } });
      for (const held of [result.value, await valueAt(state, 'k')]) (held as unknown as typeof value).list.push(3);
      assert.deepEqual(await valueAt(state, 'k'), { list: [1] });
    });

    test('come by key in the order of code points', async ({ engine: { state } }) => {
      const keys = ['Z', 'a', 'aa', 'ä', '\u{ff5e}', '\u{1f600}', ' ', '%', 'a/b'];
      for (const key of keys) await state.write(TENANT, PLACE, key, set(key));
      const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(
        (await state.list(TENANT, PLACE, 100)).map(({ key }) => key),
        sorted,
      );
      assert.deepEqual(
        (await state.list(TENANT, PLACE, 2, sorted[2])).map(({ key }) => key),
        sorted.slice(3, 5),
      );
    });

    test('are apart by tenant and namespace, however alike the names', async ({ engine: { state } }) => {
      await state.write(TENANT, 'n', 'k', set('one'));
      await state.write(TENANT, 'nk', '', set('two'));
      await state.write(TENANT, '', 'nk', set('three'));
      await state.write(OTHER_TENANT, 'n', 'k', set('four'));
      const values = await Promise.all([
        state.get(TENANT, 'n', 'k'),
        state.get(TENANT, 'nk', ''),
        state.get(TENANT, '', 'nk'),
        state.get(OTHER_TENANT, 'n', 'k'),
      ]);
      assert.deepEqual(
        values.map((each) => each?.value),
        ['one', 'two', 'three', 'four'],
      );
      assert.equal(await state.clear(TENANT, 'n'), 1);
      assert.equal((await state.get(OTHER_TENANT, 'n', 'k'))?.value, 'four');
      assert.equal((await state.get(TENANT, 'nk', ''))?.value, 'two');
    });
  });
}

function stateWithin(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('a part of a value', () => {
    test('is changed without losing what others change beside it', async ({ engine: { state } }) => {
      const names = Array.from({ length: 40 }, (_, index) => `part ${index % 4}`);
      const counting = names.map((name) =>
        state.write(TENANT, PLACE, 'k', write({ type: 'increment', by: 1, path: ['deep', name] })),
      );
      await Promise.all(counting);
      const deep = Object.fromEntries(names.map((name) => [name, 10]));
      assert.deepEqual(await valueAt(state, 'k'), { deep });
      await state.write(TENANT, PLACE, 'k', write({ type: 'unset', path: ['deep', 'part 0'] }));
      await state.write(TENANT, PLACE, 'k', write({ type: 'set', value: null, path: ['other'] }));
      const { 'part 0': _gone, ...rest } = deep;
      assert.deepEqual(await valueAt(state, 'k'), { deep: rest, other: null });
    });

    test('is not reached through what is no object, and nothing is changed by trying', async ({
      engine: { state },
    }) => {
      const before = await state.write(TENANT, PLACE, 'k', set({ list: [1], text: 'x', none: null }));
      for (const name of ['list', 'text', 'none']) {
        const inner = write({ type: 'set', value: 1, path: [name, '0'] });
        await failure('VALIDATION_FAILED', state.write(TENANT, PLACE, 'k', inner));
        await failure('NOT_FOUND', state.write(TENANT, PLACE, 'k', write({ type: 'unset', path: [name, '0'] })));
      }
      const merge = write({ type: 'merge', fields: { a: 1 }, path: ['list'] });
      await failure('VALIDATION_FAILED', state.write(TENANT, PLACE, 'k', merge));
      const large = write({ type: 'set', value: 'x'.repeat(1000), path: ['more'] });
      await failure('LIMIT_EXCEEDED', state.write(TENANT, PLACE, 'k', large));
      assert.deepEqual(await state.get(TENANT, PLACE, 'k'), before);
      await failure('NOT_FOUND', state.write(TENANT, PLACE, 'none', write({ type: 'unset', path: ['a'] })));
      assert.equal(await state.get(TENANT, PLACE, 'none'), null);
    });

    test('and all else stay when only the time is new', async ({ engine: { state } }, clock) => {
      const expiresAt = clock.now() + MINUTE;
      const before = await state.write(TENANT, PLACE, 'k', set({ a: 1 }, { expiresAt }));
      clock.advance(MINUTE - 1);
      const keep = write({ type: 'keep' }, { expiresAt: expiresAt + MINUTE });
      const kept = await state.write(TENANT, PLACE, 'k', keep);
      assert.deepEqual([kept.value, kept.createdAt], [before.value, before.createdAt]);
      clock.advance(MINUTE);
      assert.deepEqual(await state.get(TENANT, PLACE, 'k'), kept);
      clock.advance(1);
      await failure('NOT_FOUND', state.write(TENANT, PLACE, 'k', keep));
    });
  });
}

function stateAgainstModel(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('any order of calls', () => {
    for (const seed of [1, 2, 3]) {
      test(`gives what a plain map would give (seed ${seed})`, async (subject, clock) => {
        const random = new SeededRandom(seed);
        const model = new StateModel();
        let { state } = subject.engine;
        for (let step = 0; step < 400; step += 1) {
          if (random.below(100) === 0) ({ state } = await subject.reopen());
          if (random.below(4) === 0) clock.advance(random.below(MINUTE / 2));
          await model.step(state, random, clock.now());
        }
        assert.ok(model.outcomes.size >= 4, `too little happened: ${[...model.outcomes].join()}`);
      });
    }
  });
}
