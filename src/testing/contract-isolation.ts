/** Contract: nothing crosses tenants, and within one everybody sees and changes exactly what they may. */

import assert from 'node:assert/strict';
import { LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import {
  canChange,
  canSee,
  isNamedBy,
  mayDo,
  principals,
  someDeed,
  someIdentifiers,
  type Known,
} from './isolation-model.ts';
import { SeededRandom } from './seeded-random.ts';

const ABSENT = '00000000-0000-4000-8000-000000000000';
const DEEDS = 90;

/** Lets random principals write; whether they may is up to the model. */
async function populate(subject: MemorySubject, random: SeededRandom): Promise<Known[]> {
  const known: Known[] = [];
  for (let count = 0; count < DEEDS; count += 1) {
    const deed = someDeed(random);
    const { principal, ...input } = deed;
    const adding = subject.as(principal).add(input);
    if (mayDo(deed)) known.push({ ...deed, id: (await adding).memory.id });
    else await failure('FORBIDDEN', adding);
  }
  return known;
}

const contents = (known: readonly { content: string }[]): string[] => known.map(({ content }) => content);

export function isolationContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('isolation of random principals', () => {
    test('search and list show what the model shows', async (subject) => {
      const random = new SeededRandom(11);
      const known = await populate(subject, random);
      for (const principal of principals()) {
        const memory = subject.as(principal);
        for (const identifiers of [someIdentifiers(random, principal.userId), someIdentifiers(random)]) {
          const visible = known.filter((one) => isNamedBy(identifiers, one) && canSee(principal, one));
          for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
            assertSameMembers(await recalled(memory, { query: 'memo', identifiers, mode }), contents(visible), mode);
          }
          for (const layer of ['agent', 'user', 'session', 'project', 'team'] as const) {
            const expected = visible.filter((one) => one.layer === layer);
            const { memories, totalCount } = await memory.list({ layer, identifiers, limit: 100 });
            assertSameMembers(contents(memories), contents(expected), layer);
            assert.equal(totalCount, expected.length);
          }
        }
      }
    });

    test('get and versions show what the model shows', async (subject) => {
      const known = await populate(subject, new SeededRandom(12));
      for (const [turn, principal] of principals().entries()) {
        const memory = subject.as(principal);
        // Each looks at a third, in turn, so that every memory is looked at by principals of every sort.
        for (const one of known.filter((_, index) => index % 3 === turn % 3)) {
          const read = (await memory.get({ id: one.id })).memory;
          assert.equal(read?.content, canSee(principal, one) ? one.content : undefined);
        }
        for (const one of known.filter((_, index) => index % 13 === turn % 13)) {
          if (canSee(principal, one)) assert.equal((await memory.versions({ id: one.id })).versions.length, 1);
          else await failure('MEMORY_NOT_FOUND', memory.versions({ id: one.id }));
        }
      }
    });

    test('update, delete and forget change what the model allows, and nothing else', async (subject) => {
      const random = new SeededRandom(13);
      const known = await populate(subject, random);
      const left = new Map(known.map((one) => [one.id, one]));
      for (let count = 0; count < 400; count += 1) {
        const principal = random.pick(principals());
        const one = random.pick(known);
        const memory = subject.as(principal);
        const isThere = left.has(one.id) && canSee(principal, one);
        const mayChange = isThere && canChange(principal, one);
        const refusal = isThere ? 'FORBIDDEN' : 'MEMORY_NOT_FOUND';
        const dice = random.below(10);
        if (dice < 7) {
          const updating = memory.update({ id: one.id, metadata: { seen: count } });
          if (mayChange) assert.equal((await updating).memory.metadata['seen'], count);
          else await failure(refusal, updating);
        } else if (dice < 9) {
          const { deletedCount } = await memory.forget({ ids: [one.id, ABSENT] });
          assert.equal(deletedCount, mayChange ? 1 : 0);
          if (mayChange) left.delete(one.id);
        } else {
          const deleting = memory.delete({ id: one.id });
          if (isThere && !mayChange) await failure('FORBIDDEN', deleting);
          else assert.equal((await deleting).success, mayChange);
          if (mayChange) left.delete(one.id);
        }
      }
      for (const one of known) {
        const { memory } = await subject.as(one.principal).get({ id: one.id });
        assert.equal(memory?.content, left.get(one.id)?.content);
      }
    });

    test('forgetting a scope or everything takes only what is theirs', async (subject) => {
      const random = new SeededRandom(14);
      const known = await populate(subject, random);
      let left = known;
      for (const principal of principals()) {
        const identifiers = someIdentifiers(random);
        const { deletedCount } = await subject.as(principal).forget({ identifiers });
        const gone = left.filter((one) => isNamedBy(identifiers, one) && canChange(principal, one));
        assert.equal(deletedCount, gone.length);
        left = left.filter((one) => !gone.includes(one));
      }
      for (const principal of principals()) {
        const { deletedCount } = await subject.as(principal).forget({ cutoffDate: '2999-01-01T00:00:00Z' });
        const gone = left.filter((one) => canChange(principal, one) && !isOfLayer(one));
        assert.equal(deletedCount, gone.length);
        left = left.filter((one) => !gone.includes(one));
      }
      for (const one of left) assert.ok((await subject.as(one.principal).get({ id: one.id })).memory);
    });
  });

  runner.describe('isolation', () => {
    test('naming another user narrows and never widens', async (subject) => {
      const [u1, u10] = [subject.as({ userId: 'u1' }), subject.as({ userId: 'u10' })];
      await u1.add({ content: 'memo of one', layer: 'user' });
      await u10.add({ content: 'memo of ten', layer: 'user' });
      await u10.add({ content: 'memo of ten for all', layer: 'user', visibility: 'shared' });
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        const search = (memory: Memory, userId: string): Promise<string[]> =>
          recalled(memory, { query: 'memo', mode, identifiers: { userId } });
        assert.deepEqual(await search(u1, 'u10'), ['memo of ten for all']);
        assert.deepEqual(await search(u1, 'u'), []);
        assert.deepEqual(await search(u1, 'u1'), ['memo of one']);
        assert.deepEqual(await search(u10, 'u1'), []);
      }
      assert.deepEqual(await listed(u1, { layer: 'user', identifiers: { userId: 'u10' } }), ['memo of ten for all']);
      await failure('FORBIDDEN', u1.add({ content: 'Forged', layer: 'user', identifiers: { userId: 'u10' } }));
    });

    test('what is shared in a personal layer is read by all and changed by its owner', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const { memory } = await alice.add({ content: 'My hours', layer: 'user', visibility: 'shared' });
      const { id } = memory;
      assert.deepEqual((await bob.get({ id })).memory, memory);
      await failure('FORBIDDEN', bob.update({ id, content: 'Your hours' }));
      await failure('FORBIDDEN', bob.delete({ id }));
      assert.deepEqual(await bob.forget({ ids: [id] }), { deletedCount: 0 });
      assert.equal((await alice.update({ id, visibility: 'private' })).memory.visibility, 'private');
      assert.deepEqual(await bob.get({ id }), { memory: null });
      assert.deepEqual(await recalled(bob, { query: 'hours', identifiers: { userId: 'alice' } }), []);
      assert.deepEqual(await recalled(alice, { query: 'hours' }), ['My hours']);
    });

    test('what belongs to a layer is changed by everyone in it, but made private by no one', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const identifiers = { projectId: 'p' };
      const { id, ownerId } = (await alice.add({ content: 'We use tabs', layer: 'project', identifiers })).memory;
      assert.equal(ownerId, null);
      assert.equal((await bob.update({ id, content: 'We use spaces' })).memory.version, 2);
      await failure('FORBIDDEN', bob.update({ id, visibility: 'private' }));
      assert.deepEqual(await recalled(alice, { query: 'spaces', identifiers }), ['We use spaces']);
    });

    test('an agent is kept to its own memory', async (subject) => {
      const [a1, a10] = ['a1', 'a10'].map((agentId) => subject.as({ userId: 'u', agentId })) as [Memory, Memory];
      const person = subject.as({ userId: 'u' });
      const { id } = (await a1.add({ content: 'memo of agent one', layer: 'agent' })).memory;
      await a10.add({ content: 'memo of agent ten', layer: 'agent' });
      const ofOne = { userId: 'u', agentId: 'a1' };
      assert.deepEqual(await recalled(a10, { query: 'memo', identifiers: ofOne, layers: ['agent'] }), []);
      assert.deepEqual(await a10.get({ id }), { memory: null });
      await failure('MEMORY_NOT_FOUND', a10.update({ id, content: 'Taken' }));
      await failure('FORBIDDEN', a10.add({ content: 'Forged', layer: 'agent', identifiers: ofOne }));
      assert.deepEqual(await a10.forget({ ids: [id] }), { deletedCount: 0 });
      assert.deepEqual(await recalled(person, { query: 'memo', identifiers: ofOne }), ['memo of agent one']);
      assert.equal((await person.update({ id, content: 'memo of agent one, revised' })).memory.version, 2);
    });

    test('ids of others answer exactly as ids that never were', async (subject) => {
      const { id } = (await subject.as({ userId: 'alice' }).add({ content: 'Secret', layer: 'user' })).memory;
      const strangers: PrincipalInput[] = [{ userId: 'bob' }, { userId: 'alice', tenantId: ABSENT }];
      for (const principal of strangers) {
        const memory = subject.as(principal);
        for (const call of calls(memory)) {
          const [foreign, absent] = [await outcome(call(id)), await outcome(call(ABSENT))];
          assert.equal(foreign.replaceAll(id, ABSENT), absent);
        }
      }
    });

    test('tenants are worlds of their own', async (subject) => {
      const tenants = [ABSENT, '11111111-1111-4111-8111-111111111111'];
      const [one, two] = tenants.map((tenantId) => subject.as({ tenantId, userId: 'u' })) as [Memory, Memory];
      const company = { layer: 'company', identifiers: { companyId: 'c' } } as const;
      const { id } = (await one.add({ content: 'memo', ...company, externalId: 'x' })).memory;
      assert.equal((await two.add({ content: 'memo', ...company, externalId: 'x' })).status, 'created');
      assert.deepEqual(await two.forget({ ids: [id] }), { deletedCount: 0 });
      assert.deepEqual(await two.forget(company), { deletedCount: 1 });
      assert.deepEqual(await listed(one, company), ['memo']);
      // The same tenant, however its id is spelled.
      const shouting = subject.as({ tenantId: nth(tenants).toUpperCase(), userId: 'u' });
      assert.deepEqual(await listed(shouting, company), ['memo']);
    });

    test('other people’s words do not shift a score', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      await alice.addMany(
        ['The umbrella is red', 'The ladder is long', 'The kettle is loud'].map((content) => ({
          content,
          layer: 'user',
        })),
      );
      const signals = async (): Promise<unknown> =>
        (await alice.search({ query: 'umbrella', threshold: 0, mode: 'keyword' })).results.map(
          (one) => one.signals.text,
        );
      const before = await signals();
      await bob.addMany(Array.from({ length: 50 }, (_, n) => ({ content: `umbrella number ${n}`, layer: 'user' })));
      assert.deepEqual(await signals(), before);
    });
  });
}

function isOfLayer({ layer, kind, visibility }: Known): boolean {
  return ['project', 'team'].includes(layer) && kind === 'semantic' && visibility === 'shared';
}

function calls(memory: Memory): ((id: string) => Promise<unknown>)[] {
  return [
    (id) => memory.get({ id }),
    (id) => memory.get({ id, includeEmbedding: true }),
    (id) => memory.versions({ id }),
    (id) => memory.update({ id, content: 'Mine now' }),
    (id) => memory.update({ id, expectedVersion: 7, visibility: 'private' }),
    (id) => memory.delete({ id }),
    (id) => memory.forget({ ids: [id] }),
  ];
}

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await call);
  } catch (error) {
    assert.ok(error instanceof LaminaError);
    return JSON.stringify({ ...error.toJSON(), requestId: undefined });
  }
}
