/** WorkflowState over the embedded library and over the client: the same helper, the same answers. */

import { describe, expect, it } from 'vitest';
import { LaminaClient, WorkflowState as ClientWorkflowState } from '../src/client/index.ts';
import { WorkflowState, type Lamina, type Memory } from '../src/index.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

async function openEmbedded(): Promise<Lamina> {
  return untilTestEnds(await openLamina()).lamina;
}

async function openRemote(): Promise<LaminaClient> {
  const { url } = untilTestEnds(await serveLamina(await openEmbedded()));
  return untilTestEnds(new LaminaClient({ url }));
}

describe.each([
  ['embedded', openEmbedded],
  ['remote', openRemote],
])('a workflow state, %s', (_, open) => {
  const memoryOf = async (): Promise<Memory> => (await open()).as({ userId: 'planner' });

  it('runs the example of the specification', async () => {
    const memory = await memoryOf();
    const state = new WorkflowState(memory, 'plan-123');
    await state.set('research_data', { findings: ['a', 'b'] });
    expect(await state.get('research_data')).toEqual({ findings: ['a', 'b'] });
    await state.recordAction('research.started');
    await state.recordAction('research.completed');
    expect(await state.getActionHistory()).toEqual(['research.started', 'research.completed']);
    await state.set('api_key', 'secret');
    expect([await state.delete('api_key'), await state.delete('api_key')]).toEqual([true, false]);
    expect(await state.cleanup()).toBe(2);
    expect(await state.getActionHistory()).toEqual([]);
    expect(await state.cleanup()).toBe(0);
  });

  it('tells null from nothing', async () => {
    const state = new WorkflowState(await memoryOf(), 'p');
    expect([await state.get('k'), await state.has('k')]).toEqual([undefined, false]);
    await state.set('k', null);
    expect([await state.get('k'), await state.has('k')]).toEqual([null, true]);
  });

  it('counts, appends, extends and updates, from nothing on', async () => {
    const state = new WorkflowState(await memoryOf(), 'p');
    expect([await state.increment('n'), await state.increment('n', 4), await state.increment('n', -0.5)]).toEqual([
      1, 5, 4.5,
    ]);
    expect(await state.append('list', ['one'])).toEqual([['one']]);
    expect(await state.extend('list', ['two', null])).toEqual([['one'], 'two', null]);
    expect(await state.extend('empty', [])).toEqual([]);
    expect(await state.updateDict('dict', { a: 1, b: 1 })).toEqual({ a: 1, b: 1 });
    expect(await state.updateDict('dict', { b: null })).toEqual({ a: 1, b: null });
    await expect(state.increment('list')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await state.get('list')).toEqual([['one'], 'two', null]);
  });

  it('loses no action of many agents at once', async () => {
    const memory = await memoryOf();
    const actions = Array.from({ length: 100 }, (__, index) => `step.${index}`);
    await Promise.all(actions.map((action) => new WorkflowState(memory, 'p').recordAction(action)));
    const history = await new WorkflowState(memory, 'p').getActionHistory();
    expect(history.toSorted()).toEqual(actions.toSorted());
  });

  it('gives everything of a plan, however much that is', async () => {
    const state = new WorkflowState(await memoryOf(), 'a plan/with a name');
    const all = Object.fromEntries(Array.from({ length: 230 }, (__, index) => [`key ${index}`, { index }]));
    await Promise.all(Object.entries(all).map(([key, value]) => state.set(key, value)));
    expect(await state.getAll()).toEqual(all);
    expect(await state.keys()).toEqual(Object.keys(all).toSorted());
    expect(await state.cleanup()).toBe(230);
    expect([await state.getAll(), await state.keys()]).toEqual([{}, []]);
  });

  it('takes a time to live and an expected version', async () => {
    const memory = await memoryOf();
    const state = new WorkflowState(memory, 'p');
    const version = await state.set('k', 1, { ttlSeconds: 60, ifVersion: 0 });
    expect((await memory.working.get({ planId: 'p', key: 'k' }))?.expiresAt).toBeDefined();
    await expect(state.set('k', 2, { ifVersion: version + 1 })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await state.set('k', 3, { ifVersion: version });
    expect(await state.get('k')).toBe(3);
  });
});

it('is the same class for the library and the client', () => {
  expect(ClientWorkflowState).toBe(WorkflowState);
});
