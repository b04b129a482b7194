/** Contract: writers of one value at the same moment lose nothing, and compare-and-set has exactly one winner. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { LaminaError } from '../domain/error.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';

const PEOPLE: readonly PrincipalInput[] = [{ userId: 'alice' }, { userId: 'bob' }, { userId: 'carol', agentId: 'a' }];
const PLACE = { planId: 'plan-1', key: 'k' };
const AT_ONCE = 100;

/** The same call by many, in turn one of each user. */
function byMany<T>(
  subject: MemorySubject,
  call: (memory: Memory, index: number) => Promise<T>,
  count = AT_ONCE,
): Promise<T>[] {
  const memories = PEOPLE.map((person) => subject.as(person));
  return Array.from({ length: count }, (_, index) => {
    const memory = memories[index % memories.length];
    assert.ok(memory);
    return call(memory, index);
  });
}

const INDEXES = Array.from({ length: AT_ONCE }, (_, index) => index);
const ascending = (numbers: readonly unknown[]): number[] => numbers.map(Number).toSorted((a, b) => a - b);

export function workingRacesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  test('keeps one whole value of 100 parallel writes, and no version twice', async (subject) => {
    const written = await Promise.all(byMany(subject, ({ working }, value) => working.set({ ...PLACE, value })));
    assert.deepEqual(ascending(written.map(({ value }) => value)), INDEXES);
    assert.equal(new Set(written.map(({ version }) => version)).size, AT_ONCE);
    const last = written.toSorted((a, b) => a.version - b.version).at(-1);
    assert.deepEqual(await subject.as({ userId: 'x' }).working.get(PLACE), last);
  });

  test('counts 100 parallel increments, and gives every sum once', async (subject) => {
    const counted = await Promise.all(byMany(subject, ({ working }) => working.increment(PLACE)));
    assert.deepEqual(
      ascending(counted.map(({ value }) => value)),
      INDEXES.map((index) => index + 1),
    );
  });

  test('keeps every item of 100 parallel appends, and every field of as many merges', async (subject) => {
    const { working } = subject.as({ userId: 'x' });
    await Promise.all(byMany(subject, (memory, index) => memory.working.append({ ...PLACE, items: [index] })));
    assert.deepEqual(ascending((await working.get(PLACE))?.value as number[]), INDEXES);
    const fields = { ...PLACE, key: 'fields' };
    await Promise.all(
      byMany(subject, (memory, index) => memory.working.merge({ ...fields, fields: { [`f${index}`]: index } })),
    );
    const merged = (await working.get(fields))?.value;
    assert.deepEqual(merged, Object.fromEntries(INDEXES.map((index) => [`f${index}`, index])));
  });

  test('has exactly one winner by version', async (subject) => {
    const { working } = subject.as({ userId: 'x' });
    for (let round = 0; round < 3; round += 1) {
      const ifVersion = (await working.get(PLACE))?.version ?? 0;
      const outcomes = await Promise.allSettled(
        byMany(subject, (memory, value) => memory.working.set({ ...PLACE, value, ifVersion })),
      );
      const winners = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.equal(winners.length, 1);
      assert.deepEqual(await working.get(PLACE), winners[0]);
      for (const each of outcomes) {
        if (each.status === 'fulfilled') continue;
        assert.ok(each.reason instanceof LaminaError);
        assert.equal(each.reason.code, 'VERSION_CONFLICT');
      }
    }
  });

  test('loses no update to read, change and compare-and-set again', async (subject) => {
    const add = async ({ working }: Memory): Promise<void> => {
      for (;;) {
        const item = await working.get(PLACE);
        const value = Number(item?.value ?? 0) + 1;
        try {
          await working.set({ ...PLACE, value, ifVersion: item?.version ?? 0 });
          return;
        } catch (error) {
          if (!(error instanceof LaminaError && error.code === 'VERSION_CONFLICT')) throw error;
        }
      }
    };
    await Promise.all(byMany(subject, add, 12));
    assert.equal((await subject.as({ userId: 'x' }).working.get(PLACE))?.value, 12);
  });

  test('is not fooled by a value that was deleted and written again', async (subject) => {
    const { working } = subject.as({ userId: 'x' });
    const first = await working.set({ ...PLACE, value: 'same' });
    await working.delete({ ...PLACE, ifVersion: first.version });
    const second = await working.set({ ...PLACE, value: 'same', ifVersion: 0 });
    assert.ok(second.version > first.version);
    const error = await failure('VERSION_CONFLICT', working.set({ ...PLACE, value: 'late', ifVersion: first.version }));
    assert.deepEqual(error.details, { currentVersion: second.version, expectedVersion: first.version });
    await failure('VERSION_CONFLICT', working.delete({ ...PLACE, ifVersion: first.version }));
    await failure('VERSION_CONFLICT', working.set({ ...PLACE, value: 'late', ifVersion: 0 }));
    await working.clear({ planId: PLACE.planId });
    await failure('VERSION_CONFLICT', working.set({ ...PLACE, value: 'late', ifVersion: second.version }));
    assert.deepEqual(await working.delete({ ...PLACE, ifVersion: second.version }), { success: false });
    assert.equal(await working.get(PLACE), null);
  });
}
