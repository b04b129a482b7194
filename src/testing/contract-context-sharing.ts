/** Contract: who may read, write and manage a context, with random agents held against a model. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { SeededRandom } from './seeded-random.ts';

/** Names that a careless comparison takes for one another. */
const USERS = ['u1', 'u10', 'a1'];
const AGENTS = [undefined, 'a1', 'a10'];
const PEOPLE: PrincipalInput[] = USERS.flatMap((userId) =>
  AGENTS.map((agentId) => ({ userId, ...(agentId && { agentId }) })),
);

/** A context as the model knows it: the rules, written down a second time and as plainly as possible. */
interface Known {
  readonly contextId: string;
  readonly owner: PrincipalInput;
  readonly read: Set<string>;
  readonly write: Set<string>;
  isPublic: boolean;
  content: string;
}

type Standing = 'none' | 'read' | 'write' | 'own';

function standingOf({ userId, agentId }: PrincipalInput, { owner, read, write, isPublic }: Known): Standing {
  if (userId === owner.userId && (agentId === undefined || agentId === owner.agentId)) return 'own';
  const name = userId === owner.userId ? (agentId ?? '') : userId;
  if (write.has(name)) return 'write';
  return read.has(name) || isPublic ? 'read' : 'none';
}

async function assertStanding(memory: Memory, known: Known, standing: Standing, round: number): Promise<void> {
  const { contextId } = known;
  const place = { contextId, key: 'k' };
  const { contexts, contextEntries } = memory;
  const read = await contextEntries.get(place);
  assert.equal(read?.content, standing === 'none' ? undefined : known.content, `${standing} of ${contextId}`);
  const content = `round ${round}`;
  const putting = contextEntries.put({ ...place, content });
  if (standing === 'none') await failure('NOT_FOUND', putting);
  else if (standing === 'read') await failure('FORBIDDEN', putting);
  else known.content = (await putting).entry.content;
  if (standing === 'own') return;
  const absent = standing === 'none';
  await failure(absent ? 'NOT_FOUND' : 'FORBIDDEN', contexts.grant({ contextId, agentId: 'u10x', level: 'write' }));
  const deleting = contexts.delete({ contextId });
  if (absent) assert.deepEqual(await deleting, { success: false });
  else await failure('FORBIDDEN', deleting);
}

/** The owner changes the lists. */
async function share(subject: MemorySubject, random: SeededRandom, known: Known): Promise<void> {
  const { contexts } = subject.as(known.owner);
  const { contextId, owner, read, write } = known;
  const agentId = random.pick([...USERS, 'a10'].filter((id) => id !== owner.userId));
  const dice = random.below(5);
  if (dice === 4) {
    known.isPublic = !known.isPublic;
    const access = { read: [...read], write: [...write], publicRead: known.isPublic };
    await contexts.update({ contextId, access });
  } else if (dice >= 2) {
    for (const list of [read, write]) list.delete(agentId);
    await contexts.revoke({ contextId, agentId });
  } else {
    const level = dice === 0 ? 'read' : 'write';
    for (const list of [read, write]) list.delete(agentId);
    known[level].add(agentId);
    await contexts.grant({ contextId, agentId, level });
  }
}

export function contextSharingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('contexts and access', () => {
    test('random agents get what the lists say, whatever is granted and revoked', async (subject) => {
      const random = new SeededRandom(31);
      const world: Known[] = [];
      for (const [index, owner] of [{ userId: 'u1' }, { userId: 'u1', agentId: 'a1' }, { userId: 'u10' }].entries()) {
        const contextId = `c${index}`;
        const { contexts, contextEntries } = subject.as(owner);
        await contexts.create({ contextId, type: 'shared_context' });
        await contextEntries.put({ contextId, key: 'k', content: contextId });
        world.push({ contextId, owner, read: new Set(), write: new Set(), isPublic: false, content: contextId });
      }
      for (let round = 0; round < 40; round += 1) {
        const known = random.pick(world);
        if (random.below(2) === 0) await share(subject, random, known);
        const person = random.pick(PEOPLE);
        await assertStanding(subject.as(person), known, standingOf(person, known), round);
        const { contexts } = await subject.as(person).contexts.list({});
        const expected = world.filter((each) => standingOf(person, each) !== 'none');
        assert.deepEqual(
          contexts.map(({ contextId }) => contextId).toSorted(),
          expected.map(({ contextId }) => contextId),
        );
      }
      const elsewhere = subject.as({ tenantId: '11111111-1111-4111-8111-111111111111', userId: 'u1' });
      assert.equal((await elsewhere.contexts.list({})).count, 0);
      assert.equal(await elsewhere.contextEntries.get({ contextId: 'c0', key: 'k' }), null);
    });

    test('what everyone may read nobody writes, and others see of the lists themselves', async (subject) => {
      const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((userId) => subject.as({ userId })) as [
        Memory,
        Memory,
        Memory,
      ];
      const contextId = 'open';
      const place = { contextId, key: 'k' };
      const access = { read: ['dan'], write: ['bob'], publicRead: true };
      await alice.contexts.create({ contextId, type: 'knowledge_base', access });
      await bob.contextEntries.put({ ...place, content: 'The gate is open' });
      assert.equal((await carol.contextEntries.get(place))?.editedBy, 'bob');
      const writes = [
        () => carol.contextEntries.put({ ...place, content: 'The gate is shut' }),
        () => carol.contextEntries.boost(place),
        () => carol.contextEntries.archive(place),
        () => carol.contextEntries.delete(place),
        () => carol.contextSnapshots.create({ contextId }),
        () => bob.contexts.update({ contextId, name: 'Mine' }),
        () => bob.contexts.archive({ contextId }),
        () => bob.contexts.accessibleBy({ contextId, agentId: 'dan' }),
      ];
      for (const write of writes) await failure('FORBIDDEN', write());
      assert.deepEqual((await alice.contexts.get({ contextId }))?.access, access);
      assert.deepEqual((await bob.contexts.get({ contextId }))?.access, { ...access, read: [] });
      assert.deepEqual((await carol.contexts.get({ contextId }))?.access, { read: [], write: [], publicRead: true });
      const may = async (agentId: string): Promise<boolean[]> => {
        const { accessible, read, write } = await alice.contexts.accessibleBy({ contextId, agentId });
        return [accessible, read, write];
      };
      assert.deepEqual(await may('bob'), [true, true, true]);
      assert.deepEqual(await may('carol'), [true, true, false]);
      await alice.contexts.update({ contextId, access: { write: ['bob'] } });
      assert.deepEqual(await may('carol'), [false, false, false]);
      assert.equal(await carol.contextEntries.get(place), null);
      await alice.contexts.revoke({ contextId, agentId: 'bob' });
      await failure('NOT_FOUND', bob.contextEntries.put({ ...place, content: 'The gate is mine' }));
      assert.equal(await bob.contexts.get({ contextId }), null);
      await failure('VALIDATION_FAILED', alice.contexts.grant({ contextId, agentId: 'alice', level: 'read' }));
    });
  });
}
