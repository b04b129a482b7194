/** Contract: procedures are what an agent of a user goes by, found by when they apply. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { assertSameMembers, failure, listed, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const ABSENT = '00000000-0000-4000-8000-000000000000';

async function all(memory: Memory, input: OperationInput<'procedural.list'> = {}): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.procedural.list({ limit: 5, ...input, ...(cursor && { cursor }) });
    assert.equal(page.count, page.procedures.length);
    contents.push(...page.procedures.map(({ content }) => content));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return contents;
}

async function applying(memory: Memory, input: Partial<OperationInput<'procedural.context'>> = {}): Promise<string[]> {
  const answer = await memory.procedural.context({ query: 'memo', threshold: 0, limit: 100, ...input });
  assert.equal(answer.count, answer.procedures.length);
  return answer.procedures.map(({ content }) => content);
}

export function proceduralContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('procedures', () => keeping(runner, open));
  runner.describe('procedures of random principals', () => randomPrincipals(runner, open));
  runner.describe('the context of a situation', () => applyingContract(runner, open));
}

function keeping(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('are added once, revised, listed and deleted', async (subject) => {
    const memory = subject.as(ALICE);
    const input = {
      agentId: 'billing',
      content: 'Check Stripe first.',
      triggerCondition: 'The user asks about billing',
      procedureType: 'system_prompt',
      metadata: { by: 'ops' },
    } as const;
    const { status, id, createdAt, updatedAt, ...procedure } = await memory.procedural.add(input);
    assert.equal(status, 'created');
    const given = { tags: [], sensitivity: 'internal', trust: 'user', version: 1 };
    assert.deepEqual(procedure, { ...input, userId: 'alice', ...given });
    assert.equal(createdAt, updatedAt);
    assert.equal((await memory.procedural.add(input)).status, 'unchanged');
    const { texts } = subject.embedder;
    const revised = await memory.procedural.add({ ...input, triggerCondition: 'The user asks about a refund' });
    assert.deepEqual([revised.status, revised.id, revised.version], ['updated', id, 2]);
    assert.equal(subject.embedder.texts, texts + 1);
    assert.equal((await memory.procedural.add({ ...input, agentId: 'sales' })).status, 'created');
    assert.deepEqual(await all(memory, { agentId: 'billing' }), ['Check Stripe first.']);
    assert.equal((await all(memory)).length, 2);
    assert.deepEqual(await memory.procedural.delete({ id }), { success: true });
    assert.deepEqual(await memory.procedural.delete({ id }), { success: false });
    assert.deepEqual(await all(memory, { agentId: 'billing' }), []);
  });

  test('are deleted by their user alone, and nothing else is deleted by that', async (subject) => {
    const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
    const { id } = await alice.procedural.add({ agentId: 'a', content: 'Rule', procedureType: 'system_prompt' });
    const fact = await alice.semantic.store({ content: 'A fact, not a rule', userId: 'alice' });
    assert.deepEqual(await bob.procedural.delete({ id }), { success: false });
    assert.deepEqual(await subject.as({ userId: 'alice', agentId: 'b' }).procedural.delete({ id }), { success: false });
    assert.deepEqual(await alice.procedural.delete({ id: fact.id }), { success: false });
    assert.deepEqual(await alice.procedural.delete({ id: ABSENT }), { success: false });
    await failure('VALIDATION_FAILED', alice.procedural.delete({ id: 'not-a-uuid' }));
    assert.ok((await alice.get({ id })).memory);
    assert.ok((await alice.get({ id: fact.id })).memory);
  });

  test('are one with the layered operations', async (subject) => {
    const memory = subject.as(ALICE);
    const identifiers = { userId: 'alice', agentId: 'a' };
    const { id } = await memory.procedural.add({
      agentId: 'a',
      content: 'memo one',
      procedureType: 'few_shot_example',
    });
    await memory.add({ content: 'memo two', layer: 'agent', kind: 'procedural', identifiers });
    const again = await memory.add({ content: 'memo one', layer: 'agent', kind: 'procedural', identifiers });
    assert.deepEqual([again.status, again.memory.id], ['unchanged', id]);
    assert.deepEqual([again.memory.visibility, again.memory.ownerId], ['private', 'alice']);
    assertSameMembers(await all(memory), ['memo one', 'memo two']);
    assert.deepEqual(await all(memory, { procedureType: 'few_shot_example' }), ['memo one']);
    assertSameMembers(await listed(memory, { layer: 'agent', identifiers }), ['memo one', 'memo two']);
    const { results } = await memory.search({ query: 'memo one', kinds: ['procedural'], identifiers, threshold: 0 });
    assert.equal(nth(results).memory.id, id);
    await memory.delete({ id });
    assert.deepEqual(await applying(memory), ['memo two']);
  });

  test('are embedded together when their triggers change, and not when nothing does', async (subject) => {
    const memory = subject.as({ ...ALICE, agentId: 'a' });
    const rules = (when?: string): OperationInput<'addMany'>['memories'] =>
      Array.from({ length: 20 }, (_, n) => ({
        content: `rule ${n}`,
        kind: 'procedural',
        layer: 'agent',
        ...(when !== undefined && { triggerCondition: `${when} ${n}` }),
      }));
    await memory.addMany(rules('before noon'));
    const { calls, texts } = subject.embedder;
    const changed = await memory.addMany(rules('after midnight'));
    assert.ok(changed.every(({ status, embeddingGenerated }) => status === 'updated' && embeddingGenerated));
    assert.deepEqual([subject.embedder.calls, subject.embedder.texts], [calls + 1, texts + 20]);
    // What leaves the trigger out leaves it as it is.
    const same = await memory.addMany(rules());
    assert.ok(same.every(({ status }) => status === 'unchanged'));
    assert.equal(subject.embedder.texts, texts + 20);
    const found = await memory.procedural.context({ query: 'after midnight 7', limit: 1 });
    assert.deepEqual(
      found.procedures.map(({ content }) => content),
      ['rule 7'],
    );
  });

  test('refuse what they cannot understand, and store nothing', async (subject) => {
    const memory = subject.as(ALICE);
    const good = { agentId: 'a', content: 'x', procedureType: 'system_prompt' };
    const bad: unknown[] = [
      { ...good, procedureType: 'spell' },
      { ...good, procedureType: undefined },
      { ...good, content: ' ' },
      { ...good, triggerCondition: '' },
      { ...good, agentId: 'a'.repeat(101) },
      { ...good, userId: 'bob' },
      { ...good, role: 'user' },
    ];
    for (const input of bad) await failure('VALIDATION_FAILED', memory.procedural.add(input as never));
    await failure('MISSING_IDENTIFIER', memory.procedural.add({ content: 'x', procedureType: 'system_prompt' }));
    const bound = subject.as({ userId: 'alice', agentId: 'b' });
    await failure('FORBIDDEN', bound.procedural.add({ agentId: 'a', content: 'x', procedureType: 'system_prompt' }));
    for (const input of [{ procedureType: 'spell' }, { limit: 0 }, { cursor: 'broken' }, { query: 'x' }]) {
      await failure('VALIDATION_FAILED', memory.procedural.list(input as never));
    }
    for (const input of [{}, { query: '' }, { query: 'x', procedureType: 'spell' }, { query: 'x', threshold: -1 }]) {
      await failure('VALIDATION_FAILED', memory.procedural.context(input as never));
    }
    assert.equal(subject.embedder.texts, 0);
    assert.deepEqual(await all(memory), []);
  });
}

function randomPrincipals(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('show each principal its own, by agent and type', async (subject) => {
    const random = new SeededRandom(61);
    const users = ['u1', 'u10', '%', 'Ünï🦊 cödé'];
    const types = ['system_prompt', 'few_shot_example'] as const;
    const added = [];
    for (let count = 0; count < 50; count += 1) {
      const [userId, agentId] = [random.pick(users), random.pick(['a1', 'a10'])];
      const input = { agentId, content: `memo ${random.words(3)}`, procedureType: random.pick(types) };
      await subject.as({ userId }).procedural.add(input);
      added.push({ userId, ...input });
    }
    for (const userId of [...users, 'u']) {
      for (const agentId of [undefined, 'a1', 'a']) {
        for (const procedureType of [undefined, ...types]) {
          const expected = added.filter(
            (one) =>
              one.userId === userId &&
              (agentId === undefined || one.agentId === agentId) &&
              (procedureType === undefined || one.procedureType === procedureType),
          );
          const contents = expected.map(({ content }) => content);
          const which = { ...(agentId && { agentId }), ...(procedureType && { procedureType }) };
          assertSameMembers(await all(subject.as({ userId }), which), contents);
          assertSameMembers(await applying(subject.as({ userId }), which), contents);
        }
      }
    }
  });
}

function applyingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('is what matches the trigger, best first, ready for a prompt', async (subject) => {
    const memory = subject.as({ userId: 'alice', agentId: 'a' });
    const [rule, example] = ['Look at the payment provider first.', 'Q: It failed. A: Let me look.'];
    const trigger = 'user asks why billing failed';
    await memory.procedural.add({ content: rule, triggerCondition: trigger, procedureType: 'system_prompt' });
    await memory.procedural.add({
      content: example,
      triggerCondition: 'billing failed',
      procedureType: 'few_shot_example',
    });
    await memory.procedural.add({ content: 'Answer in verse.', procedureType: 'system_prompt' });
    const context = await memory.procedural.context({ query: 'user asks why billing failed' });
    assert.deepEqual(
      context.procedures.map(({ content }) => content),
      [rule, example],
    );
    assert.deepEqual([context.systemPrompts, context.fewShotExamples], [[rule], [example]]);
    const best = nth(context.procedures);
    assert.deepEqual([best.triggerCondition, best.procedureType], [trigger, 'system_prompt']);
    assert.ok(best.score >= nth(context.procedures, 1).score);
    assert.ok((best.similarity ?? 0) > 0.9);
    assert.deepEqual(await applying(memory, { query: trigger, limit: 1 }), [rule]);
    assert.deepEqual(await memory.procedural.context({ query: 'zebra crossing' }), {
      procedures: [],
      count: 0,
      systemPrompts: [],
      fewShotExamples: [],
    });
  });
}
