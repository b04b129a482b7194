/** Contract: short-term memory is an agent's own in a session, counts its reads, and is gone the moment its time is over. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { SHORT_TERM_TYPES } from '../domain/short-term.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const SESSION = { sessionId: 'sess-1' };

/** Names that a bad implementation takes for one another. */
const USERS = ['u1', 'u10', 'u1","a1'];
/** The empty one is none. */
const AGENTS = ['', 'a1', 'a10'];
const SESSIONS = ['s1', 's10'];

export function shortTermContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('short-term memory', () => {
    lifeContract(runner, open);
    readsContract(runner, open);
    ownershipContract(runner, open);
  });
}

function lifeContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  const inSeconds = (seconds: number): string => new Date(clock.now() + seconds * 1000).toISOString();
  test(
    'keeps a value for an hour or as told, refreshed by its own time, and is gone at once when that is over',
    async (subject) => {
      const { shortTerm } = subject.as(ALICE);
      const item = await shortTerm.write({ ...SESSION, key: 'k', value: { a: [1, null] } });
      const { version, ...rest } = item;
      assert.deepEqual(rest, {
        ...SESSION,
        key: 'k',
        type: 'observation',
        value: { a: [1, null] },
        ttlSeconds: 3600,
        expiresAt: inSeconds(3600),
        accessCount: 0,
        createdAt: inSeconds(0),
        updatedAt: inSeconds(0),
      });
      const place = { ...SESSION, key: 'short' };
      await shortTerm.write({ ...place, value: 1, ttlSeconds: 60, type: 'tool_result' });
      clock.advance(59_000);
      const refreshed = await shortTerm.refreshTtl(place);
      assert.deepEqual([refreshed.expiresAt, refreshed.value, refreshed.type], [inSeconds(60), 1, 'tool_result']);
      clock.advance(59_999);
      assert.equal((await shortTerm.get(place))?.value, 1);
      clock.advance(1);
      assert.equal(await shortTerm.get(place), null);
      await failure('NOT_FOUND', shortTerm.refreshTtl(place));
      assert.deepEqual(await shortTerm.delete(place), { success: false });
      assert.deepEqual(
        (await shortTerm.list(SESSION)).items.map(({ key }) => key),
        ['k'],
      );
      assert.equal((await shortTerm.stats(SESSION)).count, 1);
      const again = await shortTerm.write({ ...place, value: 2, ifVersion: 0 });
      assert.ok(again.version > version);
      await failure('VERSION_CONFLICT', shortTerm.write({ ...place, value: 3, ifVersion: version }));
      await failure('VERSION_CONFLICT', shortTerm.delete({ ...place, ifVersion: version }));
    },
    { clock },
  );

  test('is listed by pages, deleted, counted and cleared by session', async (subject) => {
    const { shortTerm } = subject.as(ALICE);
    for (const type of SHORT_TERM_TYPES) await shortTerm.write({ ...SESSION, key: type, type, value: 'ü' });
    await shortTerm.write({ sessionId: 'sess-10', key: 'other', value: 1 });
    const first = await shortTerm.list({ ...SESSION, limit: 3 });
    const rest = await shortTerm.list({ ...SESSION, limit: 3, cursor: first.nextCursor ?? '' });
    const listed = [...first.items, ...rest.items];
    assert.deepEqual(
      listed.map(({ key, type }) => [key, type]),
      [...SHORT_TERM_TYPES].toSorted().map((type) => [type, type]),
    );
    assert.deepEqual([first.count, rest.count, rest.nextCursor], [3, 2, null]);
    const { bytes, ...stats } = await shortTerm.stats(SESSION);
    assert.deepEqual(stats, { ...SESSION, count: 5, accesses: 0 });
    assert.ok(bytes > 5 * 4);
    assert.deepEqual(await shortTerm.delete({ ...SESSION, key: 'reflection' }), { success: true });
    assert.deepEqual(await shortTerm.clear(SESSION), { ...SESSION, deletedCount: 4 });
    assert.deepEqual(await shortTerm.clear(SESSION), { ...SESSION, deletedCount: 0 });
    assert.equal((await shortTerm.stats({ sessionId: 'sess-10' })).count, 1);
  });
}

function readsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('counts reads, not looks over the list, and keeps the count when it is written again', async (subject) => {
    const { shortTerm } = subject.as(ALICE);
    const place = { ...SESSION, key: 'k' };
    await shortTerm.write({ ...place, value: 1 });
    for (let read = 0; read < 4; read += 1) assert.equal((await shortTerm.get(place))?.value, 1);
    await shortTerm.list(SESSION);
    await counted(() => shortTerm.stats(SESSION), 4);
    const [item] = (await shortTerm.list(SESSION)).items;
    assert.equal(item?.accessCount, 4);
    assert.ok(item.lastAccessedAt !== undefined);
    assert.equal((await shortTerm.write({ ...place, value: 2 })).accessCount, 4);
  });
}

/** Reads are counted soon, and not before anybody is answered. */
async function counted(stats: () => Promise<{ readonly accesses: number }>, accesses: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if ((await stats()).accesses >= accesses) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.equal((await stats()).accesses, accesses);
}

function ownershipContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test("is never another user's or another agent's, for random agents", async (subject) => {
    const random = new SeededRandom(6001);
    const written = new Map<string, number>();
    const place = (...names: readonly string[]): string => JSON.stringify(names);
    for (let index = 0; index < 24; index += 1) {
      const [userId, agentId, sessionId] = [random.pick(USERS), random.pick(AGENTS), random.pick(SESSIONS)];
      // Half of them by the agent itself, half by its user, who names it.
      const asAgent = agentId !== '' && random.below(2) === 0;
      const { shortTerm } = subject.as({ userId, ...(asAgent && { agentId }) });
      await shortTerm.write({ sessionId, key: 'k', value: index, ...(!asAgent && agentId && { agentId }) });
      written.set(place(userId, agentId, sessionId), index);
    }
    for (const userId of USERS) {
      for (const agentId of AGENTS) {
        const memory = subject.as({ userId, ...(agentId && { agentId }) });
        for (const sessionId of SESSIONS) {
          for (const named of AGENTS) await check(memory, userId, agentId, named, sessionId);
        }
      }
    }

    async function check(
      { shortTerm }: Memory,
      userId: string,
      agentId: string,
      named: string,
      sessionId: string,
    ): Promise<void> {
      const input = { sessionId, key: 'k', ...(named && { agentId: named }) };
      if (agentId !== '' && named !== '' && named !== agentId) {
        await failure('FORBIDDEN', shortTerm.get(input));
        return;
      }
      const expected = written.get(place(userId, named || agentId, sessionId));
      assert.equal((await shortTerm.get(input))?.value, expected);
    }
  });

  test('lets no agent write, list, clear or refresh what is of another', async (subject) => {
    const theirs = { ...SESSION, agentId: 'a10' };
    await subject.as(ALICE).shortTerm.write({ ...theirs, key: 'k', value: 1 });
    const { shortTerm } = subject.as({ ...ALICE, agentId: 'a1' });
    await failure('FORBIDDEN', shortTerm.write({ ...theirs, key: 'k', value: 2 }));
    await failure('FORBIDDEN', shortTerm.list(theirs));
    await failure('FORBIDDEN', shortTerm.stats(theirs));
    await failure('FORBIDDEN', shortTerm.delete({ ...theirs, key: 'k' }));
    await failure('FORBIDDEN', shortTerm.refreshTtl({ ...theirs, key: 'k' }));
    await failure('FORBIDDEN', shortTerm.clear(theirs));
    assert.deepEqual((await shortTerm.clear(SESSION)).deletedCount, 0);
    assert.equal((await subject.as(ALICE).shortTerm.get({ ...theirs, key: 'k' }))?.value, 1);
  });

  test('goes with its session: of all agents, or of the one that deletes it', async (subject) => {
    const alice = subject.as(ALICE);
    const agents = [undefined, 'a1', 'a","x'];
    const fill = async (sessionId: string): Promise<void> => {
      for (const agentId of agents) {
        await alice.shortTerm.write({ sessionId, key: 'k', value: 1, ...(agentId && { agentId }) });
      }
    };
    const left = async (sessionId: string): Promise<number[]> =>
      Promise.all(
        agents.map(async (agentId) => (await alice.shortTerm.list({ sessionId, ...(agentId && { agentId }) })).count),
      );
    for (const sessionId of ['s1', 's10']) {
      await alice.sessions.create({ sessionId });
      await fill(sessionId);
    }
    await alice.sessions.delete({ sessionId: 's1', cascade: true });
    assert.deepEqual(
      [await left('s1'), await left('s10')],
      [
        [0, 0, 0],
        [1, 1, 1],
      ],
    );
    await subject.as({ ...ALICE, agentId: 'a1' }).sessions.delete({ sessionId: 's10', cascade: true });
    assert.deepEqual(await left('s10'), [1, 0, 1]);
  });
}
