/** Contract: items of an agent are forgotten by date, scope and id, alone or together, and nothing is left to find. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { item, itemsOf } from './item-inputs.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const AGENT = { agentId: 'assistant' };
const IDENTIFIERS = { userId: 'alice', ...AGENT, sessionId: 's', projectId: 'p' };
const LAYERS = ['agent', 'session', 'project'] as const;
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

/** One of each tier in every scope. */
async function fill(memory: Memory, name: string): Promise<string[]> {
  const items = (['SemanticMemory', 'EpisodicMemory'] as const).flatMap((tier) => [
    item(`${name} ${tier} everywhere`, { tier }),
    item(`${name} ${tier} in s`, { tier, scope: 'SessionScope', sessionId: 's' }),
    item(`${name} ${tier} in p`, { tier, scope: 'ProjectScope' }),
  ]);
  const { storedIds } = await memory.items.store({ ...AGENT, projectId: 'p', items });
  return storedIds;
}

/** Nobody can find it, by any way that there is. */
async function assertGone(memory: Memory, id: string, content: string): Promise<void> {
  assert.deepEqual(await memory.get({ id }), { memory: null });
  await failure('MEMORY_NOT_FOUND', memory.versions({ id }));
  await failure('MEMORY_NOT_FOUND', memory.update({ id, content: 'Back again' }));
  assert.deepEqual(await memory.delete({ id }), { success: false });
  const where = { ...AGENT, projectId: 'p', query: content, threshold: 0 };
  for (const mode of MODES) {
    const found = await recalled(memory, { query: content, mode, identifiers: IDENTIFIERS, includeArchived: true });
    assert.ok(!found.includes(content), mode);
    const { items } = await memory.items.retrieve({ ...where, mode });
    assert.ok(!items.some(({ memoryItemId }) => memoryItemId === id), mode);
  }
  for (const layer of LAYERS) {
    assert.ok(!(await listed(memory, { layer, identifiers: IDENTIFIERS, status: 'all' })).includes(content));
  }
  assert.ok(!(await itemsOf(memory, { projectId: 'p' })).includes(content));
}

export function forgettingItems(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('leave nothing to find, in any version', async (subject) => {
    const memory = subject.as(ALICE);
    const [everywhere = '', session = ''] = await fill(memory, 'heron');
    const before = 'heron SemanticMemory everywhere';
    await memory.update({ id: everywhere, content: 'The heron flew south' });
    await memory.archive({ id: session });
    const itemIds = [everywhere, session, everywhere];
    assert.deepEqual(await memory.items.forget({ ...AGENT, itemIds }), { deletedCount: 2 });
    const { texts } = subject.embedder;
    await memory.search({ query: 'The heron flew south' });
    assert.equal(subject.embedder.texts, texts + 1, 'its vector was still cached');
    await assertGone(memory, everywhere, before);
    await assertGone(memory, everywhere, 'The heron flew south');
    await assertGone(memory, session, 'heron SemanticMemory in s');
    assert.equal((await itemsOf(memory, { projectId: 'p' })).length, 4);
    assert.deepEqual(await memory.items.forget({ ...AGENT, itemIds }), { deletedCount: 0 });
  });

  const clock = new ManualClock();
  test(
    'are those that meet all conditions',
    async (subject) => {
      const [memory, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const old = await fill(memory, 'old');
      await fill(bob, 'old');
      await memory.add({ content: 'a note of the user', layer: 'user' });
      await memory.items.store({ agentId: 'reviewer', items: [item('of another agent')] });
      clock.advance(1000);
      const cutoffDate = new Date(clock.now()).toISOString();
      const young = await fill(memory, 'young');
      const forget = async (input: object): Promise<number> =>
        (await memory.items.forget({ ...AGENT, ...input })).deletedCount;
      assert.equal(await forget({ itemIds: young, cutoffDate }), 0);
      assert.equal(await forget({ itemIds: [...old, ...young], cutoffDate, scope: 'SessionScope', sessionId: 't' }), 0);
      assert.equal(await forget({ itemIds: [nth(old), ...young], cutoffDate, scope: 'SessionScope' }), 0);
      assert.equal(await forget({ itemIds: [...old, ...young], cutoffDate, scope: 'SessionScope' }), 2);
      assert.equal(await forget({ scope: 'ProjectScope', projectId: 'q' }), 0);
      assert.equal(await forget({ scope: 'ProjectScope', projectId: 'p', cutoffDate }), 2);
      assert.equal(await forget({ cutoffDate }), 2);
      assert.equal(await forget({ cutoffDate }), 0);
      assert.equal((await itemsOf(memory, { projectId: 'p' })).length, 6);
      assert.equal(await forget({ scope: 'GlobalScope' }), 2);
      assert.equal(await forget({ scope: 'SessionScope', sessionId: 's' }), 2);
      assertSameMembers(await itemsOf(memory, { projectId: 'p' }), [
        'young SemanticMemory in p',
        'young EpisodicMemory in p',
      ]);
      assert.equal((await itemsOf(bob, { projectId: 'p' })).length, 6);
      assert.deepEqual(await itemsOf(memory, { agentId: 'reviewer' }), ['of another agent']);
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['a note of the user']);
    },
    { clock },
  );

  test('of a session are those that name it, in every scope, and what a read of it shows', async (subject) => {
    const memory = subject.as(ALICE);
    const items = ['s', 't'].flatMap((sessionId) => [
      item(`known since ${sessionId}`, { sessionId }),
      item(`only in ${sessionId}`, { scope: 'SessionScope', sessionId }),
      item(`of p since ${sessionId}`, { scope: 'ProjectScope', sessionId }),
    ]);
    const others = [item('of no session'), item('of p and no session', { scope: 'ProjectScope' })];
    await memory.items.store({ ...AGENT, projectId: 'p', items: [...items, ...others] });
    for (const sessionId of ['s', 't']) {
      await memory.episodic.log({ ...AGENT, role: 'user', content: `said in ${sessionId}`, sessionId });
    }
    const shown = async (where: object): Promise<string[]> => {
      const all = { ...AGENT, projectId: 'p', ...where };
      const found = await memory.items.retrieve({ ...all, query: 'since s or said in t', threshold: 0, limit: 100 });
      const contents = found.items.map(({ content }) => content).toSorted();
      assert.deepEqual((await itemsOf(memory, all)).toSorted(), contents);
      return contents;
    };
    const forget = async (input: object): Promise<number> =>
      (await memory.items.forget({ ...AGENT, ...input })).deletedCount;
    assert.deepEqual(await shown({ sessionId: 's' }), ['known since s', 'of p since s', 'only in s', 'said in s']);
    assert.deepEqual(await shown({ sessionId: 's', scope: 'GlobalScope' }), ['known since s', 'said in s']);
    assert.deepEqual(await shown({ sessionId: 's', scope: 'SessionScope' }), ['only in s']);
    assert.equal(await forget({ sessionId: 's', scope: 'SessionScope' }), 1);
    assert.equal(await forget({ sessionId: 's', scope: 'GlobalScope' }), 2);
    assert.deepEqual(await shown({ sessionId: 's' }), ['of p since s']);
    assert.equal(await forget({ sessionId: 's' }), 1);
    assert.equal(await forget({ sessionId: 't', cutoffDate: '2999-01-01T00:00:00Z' }), 4);
    assert.deepEqual(await shown({}), ['of no session', 'of p and no session']);
  });

  test('need a condition, and one that can hold', async (subject) => {
    const { items } = subject.as(ALICE);
    await items.store({ ...AGENT, items: [item('still here')] });
    for (const nothing of [{}, { projectId: 'p' }, { scope: undefined }]) {
      const { message } = await failure('VALIDATION_FAILED', items.forget({ ...AGENT, ...nothing }));
      assert.doesNotMatch(message, /[a-z][A-Z]|_/, 'in the spelling of one side of the wire');
    }
    await failure('VALIDATION_FAILED', items.forget({ ...AGENT, itemIds: [] }));
    await failure('VALIDATION_FAILED', items.forget({ ...AGENT, itemIds: ['not an id'] }));
    await failure('VALIDATION_FAILED', items.forget({ ...AGENT, cutoffDate: 'yesterday' }));
    await failure('VALIDATION_FAILED', items.forget({ ...AGENT, scope: 'AllScopes' as never }));
    await failure('MISSING_IDENTIFIER', items.forget({ ...AGENT, scope: 'ProjectScope' }));
    const itemIds = Array.from({ length: 1001 }, () => '11111111-1111-4111-8111-111111111111');
    await failure('LIMIT_EXCEEDED', items.forget({ ...AGENT, itemIds }));
    assert.equal((await items.list(AGENT)).count, 1);
  });

  test('are forgotten once for a request, also by many at the same time', async (subject) => {
    const memory = subject.as(ALICE);
    await fill(memory, 'leaf');
    const request = { ...AGENT, scope: 'GlobalScope', requestId: 'one' } as const;
    const answers = await Promise.all(Array.from({ length: 4 }, () => memory.items.forget(request)));
    assert.ok(answers.some(({ deletedCount }) => deletedCount === 2));
    await memory.items.store({ ...AGENT, items: [item('came later')] });
    assert.deepEqual(await memory.items.forget(request), { deletedCount: 2 });
    assert.deepEqual(await itemsOf(memory, { scope: 'GlobalScope' }), ['came later']);
    assert.deepEqual(await memory.items.forget({ ...request, requestId: 'two' }), { deletedCount: 1 });
  });
}
