/** Contract: the working memory of agents, by task, with places of its own, shares that can be taken back, and persistence. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { agentSharingContract } from './contract-agent-sharing.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const TASK = { agentId: 'advisor', taskId: 'task-1' };
const AT_ONCE = 40;

export function agentMemoryContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('working memory of agents', () => {
    valuesContract(runner, open);
    placesContract(runner, open);
    persistenceContract(runner, open);
    ownershipContract(runner, open);
    agentSharingContract(runner, open);
  });
}

function valuesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  const inSeconds = (seconds: number): string => new Date(clock.now() + seconds * 1000).toISOString();
  test(
    'stores, finds, lists and removes values by task, each for its time',
    async (subject) => {
      const { agentMemory } = subject.as(ALICE);
      const item = await agentMemory.store({ ...TASK, key: 'k', value: null });
      const { version, ...rest } = item;
      const times = { createdAt: inSeconds(0), updatedAt: inSeconds(0), expiresAt: inSeconds(1800) };
      assert.deepEqual(rest, { ...TASK, key: 'k', value: null, ...times });
      assert.deepEqual(await agentMemory.retrieve({ ...TASK, key: 'k' }), item);
      await agentMemory.store({ agentId: 'advisor', key: 'k', value: 'of no task', ttlSeconds: 60 });
      assert.equal((await agentMemory.retrieve({ agentId: 'advisor', key: 'k' }))?.value, 'of no task');
      // Names of places, and of how they are kept apart, are names like any other.
      const odd = [
        'task_state',
        'conversation',
        'scratch_pad',
        'value:k',
        'result:k',
        'x'.repeat(100),
        'a/b',
        'exists',
      ];
      for (const key of odd) await agentMemory.store({ ...TASK, key, value: key });
      await agentMemory.storeTaskState({ ...TASK, state: 1 });
      await agentMemory.storeResult({ ...TASK, step: 'k', result: 2 });
      await agentMemory.storeToolState({ ...TASK, tool: 'k', state: 3 });
      const first = await agentMemory.keys({ ...TASK, limit: 5 });
      const second = await agentMemory.keys({ ...TASK, limit: 5, cursor: first.nextCursor ?? '' });
      assert.deepEqual([...first.keys, ...second.keys], ['k', ...odd].toSorted());
      assert.deepEqual((await agentMemory.keys({ ...TASK, section: 'results' })).keys, ['k']);
      for (const key of odd) assert.equal((await agentMemory.retrieve({ ...TASK, key }))?.value, key);
      await failure('VERSION_CONFLICT', agentMemory.store({ ...TASK, key: 'k', value: 1, ifVersion: version + 1 }));
      assert.deepEqual(await agentMemory.exists({ ...TASK, key: 'k' }), { exists: true });
      assert.deepEqual(await agentMemory.remove({ ...TASK, key: 'k' }), { success: true });
      assert.deepEqual(await agentMemory.remove({ ...TASK, key: 'k' }), { success: false });
      assert.deepEqual(await agentMemory.exists({ ...TASK, key: 'k' }), { exists: false });
      assert.deepEqual(await agentMemory.remove({ ...TASK, key: 'k', section: 'tools' }), { success: true });
      clock.advance(60_000);
      assert.equal(await agentMemory.retrieve({ agentId: 'advisor', key: 'k' }), null);
      assert.deepEqual(await agentMemory.clear(TASK), { ...TASK, deletedCount: odd.length + 2 });
      assert.equal(await agentMemory.taskState(TASK), null);
    },
    { clock },
  );
}

function placesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  test(
    'has places for task state, results, conversation, tools and notes, and begins their time again with every append',
    async (subject) => {
      const { agentMemory } = subject.as(ALICE);
      await agentMemory.storeTaskState({ ...TASK, state: { phase: 1 } });
      await agentMemory.storeResult({ ...TASK, step: 'search', result: [1] });
      await agentMemory.storeToolState({ ...TASK, tool: 'browser', state: 'open' });
      assert.deepEqual((await agentMemory.taskState(TASK))?.value, { phase: 1 });
      assert.deepEqual((await agentMemory.result({ ...TASK, step: 'search' }))?.value, [1]);
      assert.equal((await agentMemory.toolState({ ...TASK, tool: 'browser' }))?.value, 'open');
      assert.equal(await agentMemory.toolState({ ...TASK, tool: 'search' }), null);
      await agentMemory.storeConversation({ ...TASK, messages: ['hello'], ttlSeconds: 7200 });
      clock.advance(1000);
      const talk = await agentMemory.appendToConversation({ ...TASK, messages: [{ role: 'user' }, null] });
      assert.deepEqual(talk.value, ['hello', { role: 'user' }, null]);
      assert.equal(Date.parse(talk.expiresAt) - clock.now(), 7_200_000);
      const note = await agentMemory.appendToScratchPad({ ...TASK, content: 'one' });
      assert.equal(Date.parse(note.expiresAt) - clock.now(), 1_800_000);
      assert.equal((await agentMemory.appendToScratchPad({ ...TASK, content: 'two' })).value, 'one\ntwo');
      assert.equal((await agentMemory.storeScratchPad({ ...TASK, content: 'anew' })).value, 'anew');
      assert.equal((await agentMemory.scratchPad(TASK))?.value, 'anew');
    },
    { clock },
  );

  test('loses none of many appends at once', async (subject) => {
    const { agentMemory } = subject.as(ALICE);
    const indexes = Array.from({ length: AT_ONCE }, (_, index) => index);
    await Promise.all(
      indexes.flatMap((index) => [
        agentMemory.appendToConversation({ ...TASK, messages: [index] }),
        agentMemory.appendToScratchPad({ ...TASK, content: String(index) }),
      ]),
    );
    const talk = (await agentMemory.conversation(TASK)) ?? assert.fail();
    const notes = (await agentMemory.scratchPad(TASK)) ?? assert.fail();
    const said = (talk.value as number[]).toSorted((a, b) => a - b);
    const noted = (notes.value as string).split('\n').map(Number);
    assert.deepEqual([said, noted.toSorted((a, b) => a - b)], [indexes, indexes]);
  });
}

function persistenceContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  test(
    'is persisted as a whole, and loaded with the time that each value has',
    async (subject) => {
      const { agentMemory } = subject.as(ALICE);
      const valueOf = async (key: string): Promise<unknown> => (await agentMemory.retrieve({ ...TASK, key }))?.value;
      assert.deepEqual(await agentMemory.load(TASK), { ...TASK, loadedCount: 0, expiredCount: 0 });
      await agentMemory.store({ ...TASK, key: 'a', value: { deep: [1] }, ttlSeconds: 60 });
      await agentMemory.store({ ...TASK, key: 'b', value: 'b', ttlSeconds: 600 });
      await agentMemory.appendToScratchPad({ ...TASK, content: 'note' });
      assert.deepEqual(await agentMemory.persist(TASK), { ...TASK, persistedCount: 3 });
      await agentMemory.clear(TASK);
      await agentMemory.store({ ...TASK, key: 'c', value: 'since' });
      clock.advance(61_000);
      assert.deepEqual(await agentMemory.load(TASK), { ...TASK, loadedCount: 2, expiredCount: 1 });
      assert.deepEqual([await valueOf('a'), await valueOf('b'), await valueOf('c')], [undefined, 'b', 'since']);
      assert.equal((await agentMemory.scratchPad(TASK))?.value, 'note');
      // Only what is there now; and for a day, each value then with all of its own time.
      await agentMemory.remove({ ...TASK, key: 'b' });
      assert.deepEqual(await agentMemory.persist({ ...TASK, ttlSeconds: 86_400 }), { ...TASK, persistedCount: 2 });
      clock.advance(80_000_000);
      assert.deepEqual(await agentMemory.load(TASK), { ...TASK, loadedCount: 2, expiredCount: 0 });
      assert.deepEqual([await valueOf('b'), await valueOf('c')], [undefined, 'since']);
      const loaded = await agentMemory.retrieve({ ...TASK, key: 'c' });
      assert.equal(Date.parse(loaded?.expiresAt ?? '') - clock.now(), 1_800_000);
      clock.advance(7_000_000);
      assert.equal((await agentMemory.load(TASK)).loadedCount, 0);
      assert.equal((await agentMemory.load({ agentId: TASK.agentId })).loadedCount, 0);
    },
    { clock },
  );
}

/** Names that a bad implementation takes for one another. */
const USERS = ['u1', 'u10', 'u1","a1'];
const AGENTS = ['a1', 'a10', '","'];
/** The empty one is none. */
const TASKS = ['', 't1', 't10'];

function ownershipContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test("is never another user's or another agent's, for random agents", async (subject) => {
    const random = new SeededRandom(6002);
    const written = new Map<string, number>();
    const place = (...names: readonly string[]): string => JSON.stringify(names);
    for (let index = 0; index < 24; index += 1) {
      const [userId, agentId, taskId] = [random.pick(USERS), random.pick(AGENTS), random.pick(TASKS)];
      const { agentMemory } = subject.as({ userId, ...(random.below(2) === 0 && { agentId }) });
      await agentMemory.store({ agentId, key: 'k', value: index, ...(taskId && { taskId }) });
      written.set(place(userId, agentId, taskId), index);
    }
    const check = async ({ agentMemory }: Memory, userId: string, own?: string): Promise<void> => {
      for (const agentId of AGENTS) {
        for (const taskId of TASKS) {
          const input = { agentId, key: 'k', ...(taskId && { taskId }) };
          if (own !== undefined && own !== agentId) await failure('FORBIDDEN', agentMemory.retrieve(input));
          else {
            const expected = written.get(place(userId, agentId, taskId));
            assert.equal((await agentMemory.retrieve(input))?.value, expected);
          }
        }
      }
    };
    for (const userId of USERS) {
      await check(subject.as({ userId }), userId);
      for (const agentId of AGENTS) await check(subject.as({ userId, agentId }), userId, agentId);
    }
  });
}
