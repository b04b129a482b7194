/** Items of an agent over HTTP as the specification spells them, and requests that were cut short. */

import { describe, expect, it } from 'vitest';
import { openEngine } from '../src/compose/engines.ts';
import { LaminaError } from '../src/domain/error.ts';
import { ScriptedModel } from '../src/testing/scripted-model.ts';
import { caller } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

describe('items over HTTP', () => {
  it('are stored, retrieved, listed and forgotten in snake_case', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = caller(`${url}/v1/memory/agents/support%20desk`, { 'X-User-ID': 'alice' });
    const item = {
      tier: 'SemanticMemory',
      scope: 'SessionScope',
      source: 'UserSource',
      content: 'The user is called Alex',
      metadata_json: '{"from_form":true}',
      generated_by_turn_id: 'turn-1',
      session_id: 's',
      sensitivity: 'Restricted',
    };
    const body = { items: [item], request_id: 'r' };
    const stored = await call('POST', '/store', body);
    expect([stored.status, Object.keys(stored.json)]).toEqual([201, ['stored_ids']]);
    expect((await call('POST', '/store', body)).json).toEqual(stored.json);
    const row = {
      memory_item_id: stored.json.stored_ids[0],
      agent_id: 'support desk',
      ...item,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    const question = { query: 'Alex', tier: 'SemanticMemory', limit: 20, session_id: 's' };
    expect((await call('POST', '/retrieve', question)).json).toEqual({ items: [row], count: 1 });
    const listed = await call('GET', '/items?tier=SemanticMemory&scope=SessionScope&limit=5');
    expect(listed.json).toEqual({ items: [row], count: 1, next_cursor: null });
    const nothing = await call('POST', '/forget', {});
    expect(nothing.json).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.not.stringMatching(/[a-z][A-Z]/),
    });
    const another = await call('GET', '/items', undefined, { 'X-Agent-ID': 'other' });
    expect([another.status, another.json.code]).toEqual([403, 'FORBIDDEN']);
    const missing = await call('POST', '/store', { items: [{ ...item, scope: 'ProjectScope' }] });
    expect([missing.status, missing.json.code]).toEqual([400, 'MISSING_IDENTIFIER']);
    const conditions = { cutoff_date: '2100-01-01T00:00:00Z', scope: 'SessionScope', item_ids: stored.json.stored_ids };
    expect((await call('POST', '/forget', conditions)).json).toEqual({ deleted_count: 1 });
    expect((await call('GET', '/items')).json).toMatchObject({ items: [] });
  });
});

describe('forgetting a turn', () => {
  it('counts the memories and the facts that were made from it', async () => {
    const languageModel = new ScriptedModel(() => ({
      memories: [{ kind: 'semantic', content: 'The user wants window seats', message: 1, quote: 'Window seats only' }],
      facts: [
        {
          factType: 'located_at',
          subject: 'user',
          predicate: 'lives_in',
          object: 'Lisbon',
          message: 1,
          quote: 'I moved to Lisbon',
        },
      ],
    }));
    const { lamina } = untilTestEnds(await openLamina({ languageModel }));
    const memory = lamina.as({ userId: 'alice' });
    const messages = [{ role: 'user' as const, content: 'I moved to Lisbon. Window seats only.' }];
    const { memories, facts } = await memory.remember({ agentId: 'travel', sessionId: 'chat', messages });
    expect([memories.length, facts.length]).toEqual([1, 1]);
    const forgotten = await memory.items.forget({ agentId: 'travel', sessionId: 'chat' });
    expect(forgotten).toEqual({ deletedCount: 3 });
    expect((await memory.facts.list({})).facts).toEqual([]);
    expect((await memory.list({ layer: 'user' })).memories).toEqual([]);
  });
});

describe('a request whose answer could not be written down', () => {
  it('stores once when it comes again, and leaves alone what was changed since', async () => {
    const folder = await makeFolder();
    const engine = await openEngine({ databaseUrl: `sqlite:${folder}` });
    let isFull = true;
    const write = engine.state.write.bind(engine.state);
    engine.state.write = async (...input) => {
      if (isFull) throw new LaminaError('UNAVAILABLE', 'The disk was full for a moment.');
      return write(...input);
    };
    const { lamina } = untilTestEnds(await openLamina({ folder, engine }));
    const memory = lamina.as({ userId: 'alice' });
    const kept = { scope: 'GlobalScope', source: 'AgentSource' } as const;
    const request = {
      agentId: 'a',
      requestId: 'r',
      items: [
        { ...kept, tier: 'EpisodicMemory', content: 'It happened' },
        { ...kept, tier: 'EpisodicMemory', content: 'It happened' },
        { ...kept, tier: 'SemanticMemory', content: 'It is known' },
      ],
    } as const;
    const send = (): Promise<{ storedIds: string[] }> => memory.items.store({ ...request, items: [...request.items] });
    await expect(send()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { items } = await memory.items.list({ agentId: 'a' });
    expect(items).toHaveLength(3);
    const event = items.find(({ tier }) => tier === 'EpisodicMemory')?.memoryItemId ?? '';
    await memory.update({ id: event, content: 'It happened otherwise' });
    isFull = false;
    const { storedIds } = await send();
    expect(storedIds.toSorted()).toEqual(items.map(({ memoryItemId }) => memoryItemId).toSorted());
    const after = await memory.items.list({ agentId: 'a' });
    expect(after.items.map(({ content }) => content).toSorted()).toEqual([
      'It happened',
      'It happened otherwise',
      'It is known',
    ]);
    await removeFolder(folder);
  });
});
