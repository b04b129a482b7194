/** AgentMemory over the embedded library and over the client: the same helper, the same answers. */

import { describe, expect, it } from 'vitest';
import { AgentMemory as ClientAgentMemory, LaminaClient } from '../src/client/index.ts';
import { AgentMemory, WorkflowState, type Lamina } from '../src/index.ts';
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
])('the working memory of an agent, %s', (_, open) => {
  it('runs the example of the specification', async () => {
    const memory = (await open()).as({ userId: 'local' });
    const wm = new AgentMemory(memory, { agentId: 'advisor', taskId: 'task-1' });
    await wm.store('key', { a: 1 }, { ttlSeconds: 300 });
    expect([await wm.retrieve('key'), await wm.exists('key'), await wm.keys()]).toEqual([{ a: 1 }, true, ['key']]);
    expect([await wm.remove('key'), await wm.remove('key'), await wm.retrieve('key')]).toEqual([true, false, null]);
    await wm.storeTaskState({ phase: 'reading' });
    await wm.storeIntermediateResult('search', [1, 2]);
    await wm.storeConversationContext(['hello']);
    await wm.storeToolState('browser', null);
    await wm.storeScratchPad('first');
    expect(await wm.appendToConversation({ role: 'user' }, 'two')).toEqual(['hello', { role: 'user' }, 'two']);
    expect(await wm.appendToScratchPad('second')).toBe('first\nsecond');
    expect(await wm.taskState()).toEqual({ phase: 'reading' });
    expect(await wm.intermediateResult('search')).toEqual([1, 2]);
    expect(await wm.conversationContext()).toEqual(['hello', { role: 'user' }, 'two']);
    expect([await wm.toolState('browser'), await wm.toolState('shell')]).toEqual([null, null]);
    expect(await wm.persistToDatabase()).toBe(5);
    expect(await wm.clear()).toBe(5);
    expect([await wm.scratchPad(), await wm.conversationContext(), await wm.taskState()]).toEqual(['', [], null]);
    expect(await wm.loadFromDatabase()).toBe(5);
    expect(await wm.scratchPad()).toBe('first\nsecond');
  });

  it('shares with agents of its own user and of others, and takes it back', async () => {
    const lamina = await open();
    const alices = lamina.as({ userId: 'alice' });
    const advisor = new AgentMemory(alices, { agentId: 'advisor' });
    const writer = new AgentMemory(alices, { agentId: 'writer' });
    const critic = new AgentMemory(lamina.as({ userId: 'bob', agentId: 'critic' }), { agentId: 'critic' });
    const bobs = { userId: 'bob', agentId: 'critic' };
    await advisor.shareWithAgent('writer', 'k', { found: 2 });
    expect(await writer.retrieveShared('advisor', 'k')).toEqual({ found: 2 });
    await writer.passOn('advisor', bobs, 'k', { ttlSeconds: 60 });
    expect(await critic.retrieveShared({ userId: 'alice', agentId: 'writer' }, 'k')).toEqual({ found: 2 });
    await expect(writer.passOn('advisor', 'advisor', 'k')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect([await writer.withdraw(bobs, 'k'), await writer.withdraw(bobs, 'k')]).toEqual([true, false]);
    expect(await critic.retrieveShared({ userId: 'alice', agentId: 'writer' }, 'k')).toBeNull();
    await advisor.shareWithAgent({ userId: 'bob' }, 'for bob', 1);
    expect(await critic.retrieveShared({ userId: 'alice', agentId: 'advisor' }, 'for bob')).toBe(1);
  });

  it('has the memory of a workflow at hand, which is that of everyone who works on it', async () => {
    const lamina = await open();
    const wm = new AgentMemory(lamina.as({ userId: 'alice' }), { agentId: 'advisor' });
    await wm.workflowMemory('run-1').set('step', 1);
    expect(await new WorkflowState(lamina.as({ userId: 'bob' }), 'run-1').get('step')).toBe(1);
    expect(await wm.keys()).toEqual([]);
  });
});

it('is the same class for the library and the client', () => {
  expect(ClientAgentMemory).toBe(AgentMemory);
});

it('says over HTTP what is missing as the wire spells it', async () => {
  const { url } = untilTestEnds(await serveLamina(await openEmbedded()));
  const told = async (method: string, path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/memory/${path}`, { method, headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { message: string }).message;
  };
  expect(await told('POST', 'router/write', { key: 'k', value: 1, tier: 'shared' })).toBe(
    'The shared tier requires pool_id.',
  );
  expect(await told('PUT', 'agents/a/shares/k', { value: 1 })).toContain('target_agent_id for an agent of yours');
});
