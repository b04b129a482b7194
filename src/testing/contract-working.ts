/** Contract: working memory is any JSON under a key of a plan, shared by a tenant, and no update is ever lost. */

import assert from 'node:assert/strict';
import type { Json } from '../domain/json.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { workingRacesContract } from './contract-working-races.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob', agentId: 'helper' };
const STRANGER: PrincipalInput = { userId: 'alice', tenantId: '00000000-0000-4000-8000-00000000000b' };
const PLAN = { planId: 'plan-1' };
const MEBIBYTE = 1024 * 1024;

/** What a URL, a shell, a file system or SQL might stumble over. */
const ODD_NAMES = [
  'a/b',
  '/',
  '//',
  '...',
  '.hidden',
  'a.b',
  '100%',
  '%2F',
  '%00',
  'a b',
  ' ',
  '?q=1&r',
  '#',
  'a+b',
  "o'clock",
  '"',
  '\\',
  'ключ',
  '用户',
  '🙂',
  'e\u0301',
  '\u00e9',
  '__proto__',
  'constructor',
  'increment',
  'null',
  "'; DROP TABLE state; --",
  'x'.repeat(100),
  '\u{1f600}'.repeat(50),
  '\n',
  '\u007f',
  ':key',
  '*',
  '{key}',
] as const;

const VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1.5,
  1e300,
  '',
  'text',
  [],
  {},
  [null],
  [[], [{}]],
  { snake_case: 1, camelCase: { planId: 2 } },
  { nested: { list: [1, 'two', { three: null }] } },
  'ü\u2028🙂',
  { '': 1, key: 'k', 'a.b': 2 },
  9007199254740991,
];

async function valueOf(memory: Memory, key: string): Promise<Json | undefined> {
  return (await memory.working.get({ ...PLAN, key }))?.value;
}

export function workingContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('working memory', () => {
    valuesContract(runner, open);
    namesContract(runner, open);
    timeContract(runner, open);
    listContract(runner, open);
    sharingContract(runner, open);
    refusalsContract(runner, open);
    workingRacesContract(runner, open);
  });
}

function valuesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('gives back any JSON as it came, null included', async (subject) => {
    const { working } = subject.as(ALICE);
    for (const [index, value] of VALUES.entries()) {
      const item = await working.set({ ...PLAN, key: `k${index}`, value });
      assert.deepEqual(item, { ...PLAN, key: `k${index}`, value, ...pick(item) });
      assert.deepEqual(await working.get({ ...PLAN, key: `k${index}` }), item);
      assert.equal('expiresAt' in item, false);
    }
  });

  test('is absent as null, and deleted once', async (subject) => {
    const { working } = subject.as(ALICE);
    assert.equal(await working.get({ ...PLAN, key: 'k' }), null);
    assert.deepEqual(await working.delete({ ...PLAN, key: 'k' }), { success: false });
    await working.set({ ...PLAN, key: 'k', value: null });
    assert.notEqual(await working.get({ ...PLAN, key: 'k' }), null);
    assert.deepEqual(await working.delete({ ...PLAN, key: 'k' }), { success: true });
    assert.deepEqual(await working.delete({ ...PLAN, key: 'k' }), { success: false });
    assert.equal(await working.get({ ...PLAN, key: 'k' }), null);
  });

  const clock = new ManualClock();
  test(
    'keeps when it was made and when it was changed',
    async (subject) => {
      const { working } = subject.as(ALICE);
      const made = await working.set({ ...PLAN, key: 'k', value: 1 });
      clock.advance(1000);
      const changed = await working.set({ ...PLAN, key: 'k', value: 2 });
      assert.deepEqual([made.createdAt, made.updatedAt], [changed.createdAt, changed.createdAt]);
      assert.equal(changed.updatedAt, new Date(clock.now()).toISOString());
      assert.ok(changed.version > made.version);
    },
    { clock },
  );

  test('adds up, appends and merges', async (subject) => {
    const { working } = subject.as(ALICE);
    assert.equal((await working.increment({ ...PLAN, key: 'n' })).value, 1);
    assert.equal((await working.increment({ ...PLAN, key: 'n', by: -2.5 })).value, -1.5);
    assert.deepEqual((await working.append({ ...PLAN, key: 'list', items: [] })).value, []);
    assert.deepEqual((await working.append({ ...PLAN, key: 'list', items: [null, { a: 1 }] })).value, [null, { a: 1 }]);
    assert.deepEqual((await working.append({ ...PLAN, key: 'list', items: [[2]] })).value, [null, { a: 1 }, [2]]);
    assert.deepEqual((await working.merge({ ...PLAN, key: 'o', fields: { a: 1, planId: 'x' } })).value, {
      a: 1,
      planId: 'x',
    });
    assert.deepEqual((await working.merge({ ...PLAN, key: 'o', fields: { a: null, snake_case: [1] } })).value, {
      a: null,
      planId: 'x',
      snake_case: [1],
    });
  });
}

/** What is not known beforehand. */
function pick({ version, createdAt, updatedAt }: { version: number; createdAt: string; updatedAt: string }): object {
  return { version, createdAt, updatedAt };
}

function namesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('takes any name for a key and for a plan', async (subject) => {
    const { working } = subject.as(ALICE);
    for (const name of ODD_NAMES) {
      const place = { planId: name, key: name };
      await working.set({ ...place, value: name });
      assert.equal((await working.increment({ ...place, key: `${name.slice(0, 90)}#` })).value, 1);
    }
    for (const name of ODD_NAMES) {
      const place = { planId: name, key: name };
      assert.equal((await working.get(place))?.value, name);
      assert.equal((await working.list({ planId: name })).count, 2);
      assert.deepEqual(await working.delete(place), { success: true });
      assert.deepEqual(await working.clear({ planId: name }), { planId: name, deletedCount: 1 });
    }
  });

  test('keeps apart plans and keys whose names look alike', async (subject) => {
    const { working } = subject.as(ALICE);
    const places = [
      { planId: 'a', key: 'b/c' },
      { planId: 'a/b', key: 'c' },
      { planId: 'a"', key: ',"b' },
      { planId: 'u1', key: 'k' },
      { planId: 'u10', key: 'k' },
      { planId: 'U1', key: 'k' },
      { planId: 'e\u0301', key: 'k' },
      { planId: '\u00e9', key: 'k' },
    ];
    for (const [index, place] of places.entries()) await working.set({ ...place, value: index });
    for (const [index, place] of places.entries()) assert.equal((await working.get(place))?.value, index);
    await working.clear({ planId: 'u1' });
    assert.equal((await working.get({ planId: 'u10', key: 'k' }))?.value, 4);
  });

  test('refuses names that no path can hold', async (subject) => {
    const { working } = subject.as(ALICE);
    for (const name of ['', '.', '..', 'x'.repeat(101), 'a\0b', '\ud800']) {
      await failure('VALIDATION_FAILED', working.set({ ...PLAN, key: name, value: 1 }));
      await failure('VALIDATION_FAILED', working.get({ planId: name, key: 'k' }));
      await failure('VALIDATION_FAILED', working.list({ planId: name }));
    }
  });
}

function timeContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  test(
    'ends when its time has come, unless a later write gives it more',
    async (subject) => {
      const { working } = subject.as(ALICE);
      const item = await working.set({ ...PLAN, key: 'k', value: 1, ttlSeconds: 60 });
      assert.equal(item.expiresAt, new Date(clock.now() + 60_000).toISOString());
      await working.set({ ...PLAN, key: 'kept', value: 1, ttlSeconds: 60 });
      clock.advance(59_999);
      assert.equal((await working.increment({ ...PLAN, key: 'k' })).expiresAt, item.expiresAt);
      await working.set({ ...PLAN, key: 'kept', value: 2 });
      clock.advance(1);
      assert.equal(await working.get({ ...PLAN, key: 'k' }), null);
      assert.deepEqual(
        (await working.list(PLAN)).items.map(({ key }) => key),
        ['kept'],
      );
      assert.deepEqual(await working.delete({ ...PLAN, key: 'k' }), { success: false });
      assert.deepEqual(await working.clear(PLAN), { ...PLAN, deletedCount: 1 });
      assert.equal((await working.increment({ ...PLAN, key: 'k' })).value, 1);
    },
    { clock },
  );

  test('refuses times that are none', async (subject) => {
    const { working } = subject.as(ALICE);
    for (const ttlSeconds of [0, -1, 1.5, 1e12, '60' as never]) {
      await failure('VALIDATION_FAILED', working.set({ ...PLAN, key: 'k', value: 1, ttlSeconds }));
    }
    assert.equal(await working.get({ ...PLAN, key: 'k' }), null);
  });
}

function listContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('is listed by key, page by page, stable while others write', async (subject) => {
    const { working } = subject.as(ALICE);
    const keys = Array.from({ length: 25 }, (_, index) => `key ${String(index).padStart(2, '0')}`);
    for (const key of keys) await working.set({ ...PLAN, key, value: key });
    assert.deepEqual(
      (await working.list(PLAN)).items.map(({ value }) => value),
      keys,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof working.list>> = await working.list({
        ...PLAN,
        limit: 4,
        ...(cursor !== null && { cursor }),
      });
      assert.equal(page.count, page.items.length);
      seen.push(...page.items.map(({ key }) => key));
      cursor = page.nextCursor;
      await working.set({ ...PLAN, key: `before ${seen.length}`, value: 1 });
      await working.delete({ ...PLAN, key: nth(seen, -1) });
    } while (cursor !== null);
    assert.deepEqual(seen, keys);
    assert.deepEqual(await working.list({ planId: 'empty' }), {
      planId: 'empty',
      items: [],
      count: 0,
      nextCursor: null,
    });
  });

  test('refuses the cursor of another plan, broken ones, and pages of no size', async (subject) => {
    const { working } = subject.as(ALICE);
    const long = '\u0001'.repeat(100);
    for (const key of ['a', 'b', long, `${long.slice(1)}b`]) await working.set({ planId: long, key, value: 1 });
    const { nextCursor } = await working.list({ planId: long, limit: 1 });
    assert.ok(nextCursor !== null);
    assert.equal((await working.list({ planId: long, limit: 4, cursor: nextCursor })).count, 3);
    for (const cursor of [
      nextCursor,
      'x',
      '',
      '[]',
      Buffer.from('["a","b"]').toString('base64url'),
      'a'.repeat(2000),
    ]) {
      await failure('VALIDATION_FAILED', working.list({ ...PLAN, cursor }));
    }
    for (const limit of [0, -1, 101, 1.5]) await failure('VALIDATION_FAILED', working.list({ ...PLAN, limit }));
  });

  test('is cleared by plan', async (subject) => {
    const { working } = subject.as(ALICE);
    for (let index = 0; index < 70; index += 1) await working.set({ ...PLAN, key: `k${index}`, value: index });
    await working.set({ planId: 'other', key: 'k', value: 1 });
    assert.deepEqual(await working.clear(PLAN), { ...PLAN, deletedCount: 70 });
    assert.deepEqual(await working.clear(PLAN), { ...PLAN, deletedCount: 0 });
    assert.deepEqual([await valueOf(subject.as(ALICE), 'k1'), (await working.list(PLAN)).count], [undefined, 0]);
    assert.equal((await working.list({ planId: 'other' })).count, 1);
  });
}

function sharingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('is shared by all users of a tenant, and by nobody else', async (subject) => {
    const [alice, bob, stranger] = [subject.as(ALICE), subject.as(BOB), subject.as(STRANGER)];
    const item = await alice.working.set({ ...PLAN, key: 'k', value: 'ours' });
    assert.deepEqual(await bob.working.get({ ...PLAN, key: 'k' }), item);
    await bob.working.set({ ...PLAN, key: 'k', value: 'changed', ifVersion: item.version });
    assert.equal(await valueOf(alice, 'k'), 'changed');
    assert.equal(await stranger.working.get({ ...PLAN, key: 'k' }), null);
    assert.deepEqual((await stranger.working.list(PLAN)).items, []);
    assert.deepEqual(await stranger.working.delete({ ...PLAN, key: 'k' }), { success: false });
    assert.deepEqual(await stranger.working.clear(PLAN), { ...PLAN, deletedCount: 0 });
    assert.equal((await stranger.working.increment({ ...PLAN, key: 'k' })).value, 1);
    assert.equal(await valueOf(bob, 'k'), 'changed');
    assert.deepEqual(await bob.working.clear(PLAN), { ...PLAN, deletedCount: 1 });
    assert.equal(await valueOf(alice, 'k'), undefined);
  });
}

function refusalsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('refuses changes that do not go with what is there, and changes nothing', async (subject) => {
    const memory = subject.as(ALICE);
    const { working } = memory;
    const changes = {
      number: () => working.increment({ ...PLAN, key: 'k' }),
      list: () => working.append({ ...PLAN, key: 'k', items: [1] }),
      object: () => working.merge({ ...PLAN, key: 'k', fields: { a: 1 } }),
    };
    const values: readonly Json[] = [null, 'text', true, 5, [1], { a: 2 }];
    for (const value of values) {
      const kind = Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
      for (const [fitting, change] of Object.entries(changes)) {
        if (fitting === kind) continue;
        const item = await working.set({ ...PLAN, key: 'k', value });
        await failure('VALIDATION_FAILED', change());
        assert.deepEqual(await working.get({ ...PLAN, key: 'k' }), item);
      }
    }
    const largest = await working.set({ ...PLAN, key: 'k', value: Number.MAX_VALUE });
    await failure('VALIDATION_FAILED', working.increment({ ...PLAN, key: 'k', by: Number.MAX_VALUE }));
    assert.deepEqual(await working.get({ ...PLAN, key: 'k' }), largest);
  });

  test('refuses what is no JSON or no input', async (subject) => {
    const { working } = subject.as(ALICE);
    const place = { ...PLAN, key: 'k' };
    const inputs = [
      place,
      { ...place, value: undefined },
      { ...place, value: Number.NaN },
      { ...place, value: () => 1 },
      { ...place, value: new Date(0) },
      { ...place, value: { a: 'x\0' } },
      { ...place, value: 1, extra: 1 },
    ];
    for (const input of inputs) await failure('VALIDATION_FAILED', working.set(input as never));
    for (const by of ['1', null, Number.POSITIVE_INFINITY]) {
      await failure('VALIDATION_FAILED', working.increment({ ...place, by: by as never }));
    }
    for (const items of [undefined, 'x', { 0: 1 }]) {
      await failure('VALIDATION_FAILED', working.append({ ...place, items: items as never }));
    }
    for (const fields of [undefined, 'x', [1], null]) {
      await failure('VALIDATION_FAILED', working.merge({ ...place, fields: fields as never }));
    }
    assert.equal(await working.get(place), null);
  });

  test('refuses more than a mebibyte, at once and in portions', async (subject) => {
    const { working } = subject.as(ALICE);
    const place = { ...PLAN, key: 'k' };
    // As JSON a text has two quotes, and this letter two bytes.
    const largest = 'ü'.repeat(MEBIBYTE / 2 - 1);
    await working.set({ ...place, value: largest });
    const error = await failure('LIMIT_EXCEEDED', working.set({ ...place, value: `${largest}x` }));
    assert.deepEqual(error.details, { limit: MEBIBYTE, actual: MEBIBYTE + 1 });
    assert.equal((await working.get(place))?.value, largest);
    const list = await working.set({ ...place, value: [largest.slice(10)] });
    await failure('LIMIT_EXCEEDED', working.append({ ...place, items: ['x'.repeat(20)] }));
    assert.deepEqual(await working.get(place), list);
    const object = await working.set({ ...place, value: { a: largest.slice(10) } });
    await failure('LIMIT_EXCEEDED', working.merge({ ...place, fields: { b: 'x'.repeat(20) } }));
    assert.deepEqual(await working.get(place), object);
  });
}
