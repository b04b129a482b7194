/** Contract: what an agent shares is read by its target alone, taken back at once, and never goes in a circle. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

interface Party {
  readonly userId: string;
  readonly agentId: string;
}

const PARTIES: readonly Party[] = ['u1', 'u10', 'u1","a1'].flatMap((userId) =>
  ['a1', 'a10'].map((agentId) => ({ userId, agentId })),
);
const [ADVISOR, WRITER, CRITIC] = ['advisor', 'writer', 'critic'] as const;
const ALICE: PrincipalInput = { userId: 'alice' };

async function got(memory: Memory, agentId: string, from: Party, key = 'k'): Promise<unknown> {
  const source = { sourceUserId: from.userId, sourceAgentId: from.agentId };
  return (await memory.agentMemory.retrieveShared({ agentId, key, ...source }))?.value;
}

export function agentSharingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  test(
    'shares a value for its time, passes it on, and refuses circles',
    async (subject) => {
      const { agentMemory } = subject.as(ALICE);
      const bob = subject.as({ userId: 'bob', agentId: CRITIC });
      const shared = await agentMemory.share({ agentId: ADVISOR, key: 'k', value: [null], targetAgentId: WRITER });
      assert.equal(Date.parse(shared.expiresAt) - clock.now(), 1_800_000);
      const { version: _, ...item } =
        (await agentMemory.retrieveShared({ agentId: WRITER, key: 'k', sourceAgentId: ADVISOR })) ?? assert.fail();
      const now = new Date(clock.now()).toISOString();
      const alices = { userId: 'alice', agentId: ADVISOR };
      assert.deepEqual(item, {
        key: 'k',
        value: [null],
        sourceUserId: 'alice',
        sourceAgentId: ADVISOR,
        chain: [alices],
        sharedAt: now,
        expiresAt: shared.expiresAt,
      });
      const onward = { agentId: WRITER, key: 'k', from: { agentId: ADVISOR } };
      const passed = await agentMemory.share({
        ...onward,
        targetUserId: 'bob',
        targetAgentId: CRITIC,
        ttlSeconds: 86_400,
      });
      // Nobody gives for longer than they have.
      assert.equal(passed.expiresAt, shared.expiresAt);
      const theirs = await bob.agentMemory.retrieveShared({
        agentId: CRITIC,
        key: 'k',
        sourceUserId: 'alice',
        sourceAgentId: WRITER,
      });
      assert.deepEqual(theirs?.chain, [alices, { userId: 'alice', agentId: WRITER }]);
      for (const targetAgentId of [ADVISOR, WRITER]) {
        const from = { userId: 'alice', agentId: WRITER };
        const circle = { agentId: CRITIC, key: 'k', from, targetUserId: 'alice', targetAgentId };
        await failure('VALIDATION_FAILED', bob.agentMemory.share(circle));
        assert.equal(await got(subject.as(ALICE), targetAgentId, { userId: 'bob', agentId: CRITIC }), undefined);
      }
      await failure('VALIDATION_FAILED', agentMemory.share({ ...onward, targetAgentId: ADVISOR }));
      await failure('VALIDATION_FAILED', agentMemory.share({ ...onward, targetAgentId: WRITER }));
      await failure('NOT_FOUND', agentMemory.share({ ...onward, key: 'other', targetAgentId: CRITIC }));
      await failure('NOT_FOUND', agentMemory.share({ ...onward, agentId: CRITIC, targetAgentId: 'x' }));
      // With a user as such: all agents of theirs read it.
      await agentMemory.share({ agentId: ADVISOR, key: 'all', value: 1, targetUserId: 'bob', ttlSeconds: 60 });
      assert.equal(await got(bob, CRITIC, alices, 'all'), 1);
      clock.advance(60_000);
      assert.equal(await got(bob, CRITIC, alices, 'all'), undefined);
    },
    { clock },
  );

  test('knows that what a user as such has, all agents of that user have', async (subject) => {
    const [alice, bob] = [subject.as(ALICE).agentMemory, subject.as({ userId: 'bob' }).agentMemory];
    const alices = (agentId: string): Party => ({ userId: 'alice', agentId });
    const key = 'k';
    await alice.share({ agentId: 'a', key, value: 1, targetAgentId: 'b' });
    await alice.share({ agentId: 'b', key, from: alices('a'), targetAgentId: 'c' });
    await failure('VALIDATION_FAILED', alice.share({ agentId: 'c', key, from: alices('b'), targetUserId: 'alice' }));
    // The same through another user; an agent who never had it gets it, though.
    await alice.share({ agentId: 'c', key, from: alices('b'), targetUserId: 'bob' });
    const back = { agentId: 'z', key, from: alices('c'), targetUserId: 'alice' };
    await failure('VALIDATION_FAILED', bob.share(back));
    await failure('VALIDATION_FAILED', bob.share({ ...back, targetAgentId: 'b' }));
    await bob.share({ ...back, targetAgentId: 'd' });
    const item = await alice.retrieveShared({ agentId: 'd', key, sourceUserId: 'bob', sourceAgentId: 'z' });
    assert.deepEqual(item?.chain, [...['a', 'b', 'c'].map(alices), { userId: 'bob', agentId: 'z' }]);
    // Of bob's agents all have it, also the one through whose hands it did not come.
    const toBob = { agentId: 'd', key, from: { userId: 'bob', agentId: 'z' }, targetUserId: 'bob' };
    await failure('VALIDATION_FAILED', alice.share({ ...toBob, targetAgentId: 'y' }));
    await failure('VALIDATION_FAILED', bob.share({ ...back, targetUserId: undefined, targetAgentId: 'y' }));
    assert.equal(await got(subject.as({ userId: 'bob' }), 'y', alices('d')), undefined);
  });

  test('is read by the target alone, written and withdrawn by the source alone, for random agents', async (subject) => {
    const random = new SeededRandom(6003);
    /** Who gave what to whom. */
    const model = new Map<string, number>();
    const pair = (source: Party, target: Party): string => JSON.stringify([source, target]);
    for (let step = 0; step < 30; step += 1) {
      const [source, target] = [random.pick(PARTIES), random.pick(PARTIES)];
      if (source === target) continue;
      const { agentMemory } = subject.as(source);
      const input = {
        agentId: source.agentId,
        key: 'k',
        targetUserId: target.userId,
        targetAgentId: target.agentId,
      };
      if (random.below(3) > 0) {
        await agentMemory.share({ ...input, value: step });
        model.set(pair(source, target), step);
      } else {
        // Also where somebody else shared with that target: theirs stays.
        const { success } = await agentMemory.withdraw(input);
        assert.equal(success, model.delete(pair(source, target)));
        assert.equal(await got(subject.as(target), target.agentId, source), undefined);
      }
    }
    for (const target of PARTIES) await checkInbox(subject, target, (source) => model.get(pair(source, target)));
  });
}

/** As the agent itself, as its user, and as others, who get to nothing by naming it. */
async function checkInbox(
  subject: MemorySubject,
  target: Party,
  expected: (source: Party) => number | undefined,
): Promise<void> {
  const { userId, agentId } = target;
  const [own, user] = [subject.as(target), subject.as({ userId })];
  const other = subject.as({ userId, agentId: agentId === 'a1' ? 'a10' : 'a1' });
  for (const source of PARTIES) {
    assert.equal(await got(own, agentId, source), expected(source));
    assert.equal(await got(user, agentId, source), expected(source));
  }
  await failure('FORBIDDEN', got(other, agentId, target));
  await failure('FORBIDDEN', other.agentMemory.share({ agentId, key: 'k', value: 1, targetAgentId: 'x' }));
}
