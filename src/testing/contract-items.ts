/** Contract: the items of an agent are entries, its own in every scope, stored once for each request, and forgotten for good. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { forgettingItems } from './contract-items-forgetting.ts';
import { storingItemsOnce } from './contract-items-once.ts';
import { item, itemsOf, type StoreItem } from './item-inputs.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const AGENT = { agentId: 'assistant' };

async function retrieved(memory: Memory, input: Partial<OperationInput<'items.retrieve'>>): Promise<string[]> {
  const { items, count } = await memory.items.retrieve({ ...AGENT, query: 'note', threshold: 0, limit: 100, ...input });
  assert.equal(count, items.length);
  return items.map(({ content }) => content);
}

export function itemsContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('items of an agent', () => reading(runner, open));
  runner.describe('items that are stored once', () => storingItemsOnce(runner, open));
  runner.describe('items that are forgotten', () => forgettingItems(runner, open));
}

function reading(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('are rows with every column, and entries that other operations find', async (subject) => {
    const memory = subject.as(ALICE);
    const { storedIds } = await memory.items.store({
      ...AGENT,
      projectId: 'p',
      items: [
        item('The user is called Alex', { metadataJson: '{"b":[1,{"c":null}],"a":"ä"}', generatedByTurnId: 'turn-1' }),
        item('The user asked for tea', {
          tier: 'EpisodicMemory',
          scope: 'SessionScope',
          source: 'AgentSource',
          sessionId: 's',
          sensitivity: 'Confidential',
        }),
        item('The build takes long', { scope: 'ProjectScope', source: 'SystemSource', sensitivity: 'Public' }),
      ],
    });
    const { items } = await memory.items.list({ ...AGENT, projectId: 'p' });
    const rows = storedIds.map((id) => nth(items.filter(({ memoryItemId }) => memoryItemId === id)));
    const { createdAt } = nth(rows);
    const common = { agentId: 'assistant', metadataJson: null, generatedByTurnId: null, sessionId: null };
    const times = { createdAt, updatedAt: createdAt };
    assert.deepEqual(
      rows.map(({ metadataJson, ...row }) => ({ ...row, metadata: JSON.parse(metadataJson ?? 'null') as unknown })),
      [
        {
          ...withoutJson(common),
          memoryItemId: storedIds[0],
          tier: 'SemanticMemory',
          scope: 'GlobalScope',
          source: 'UserSource',
          content: 'The user is called Alex',
          generatedByTurnId: 'turn-1',
          sensitivity: 'Internal',
          ...times,
          metadata: { a: 'ä', b: [1, { c: null }] },
        },
        {
          ...withoutJson(common),
          memoryItemId: storedIds[1],
          tier: 'EpisodicMemory',
          scope: 'SessionScope',
          source: 'AgentSource',
          content: 'The user asked for tea',
          sessionId: 's',
          sensitivity: 'Confidential',
          ...times,
          metadata: null,
        },
        {
          ...withoutJson(common),
          memoryItemId: storedIds[2],
          tier: 'SemanticMemory',
          scope: 'ProjectScope',
          source: 'SystemSource',
          content: 'The build takes long',
          sensitivity: 'Public',
          ...times,
          metadata: null,
        },
      ],
    );
    const identifiers = { userId: 'alice', agentId: 'assistant', sessionId: 's', projectId: 'p' };
    assertSameMembers(
      await recalled(memory, { query: 'user tea build', identifiers }),
      rows.map(({ content }) => content),
    );
    const entry = (await memory.get({ id: nth(storedIds, 1) }))?.memory;
    assert.deepEqual(
      [entry?.layer, entry?.kind, entry?.visibility, entry?.sensitivity],
      ['session', 'episodic', 'private', 'confidential'],
    );
  });

  test('are also what the agent came to remember in other ways', async (subject) => {
    const memory = subject.as({ userId: 'alice', ...AGENT });
    await memory.add({
      content: 'a note by add',
      layer: 'agent',
      source: { type: 'tool_result', reference: 'call-1' },
    });
    await memory.add({
      content: 'a note of the session',
      layer: 'session',
      identifiers: { ...AGENT, userId: 'alice', sessionId: 's' },
    });
    await memory.episodic.log({ role: 'assistant', content: 'a note by log', sessionId: 's' });
    await memory.add({ content: 'a note of the user', layer: 'user' });
    await memory.add({
      content: 'a note of nobody',
      layer: 'session',
      identifiers: { userId: 'alice', sessionId: 's' },
    });
    await memory.procedural.add({
      content: 'a note on how',
      triggerCondition: 'always',
      procedureType: 'system_prompt',
    });
    const { items } = await memory.items.list(AGENT);
    assertSameMembers(
      items.map(({ content, scope, tier, source, generatedByTurnId }) =>
        [content, scope, tier, source, generatedByTurnId].join('|'),
      ),
      [
        'a note by add|GlobalScope|SemanticMemory|SystemSource|',
        'a note of the session|SessionScope|SemanticMemory|AgentSource|',
        'a note by log|GlobalScope|EpisodicMemory|AgentSource|',
      ],
    );
    const { storedIds } = await memory.items.store({ ...AGENT, items: [item('a note by add')] });
    assert.deepEqual(
      storedIds,
      items.filter(({ content }) => content === 'a note by add').map(({ memoryItemId }) => memoryItemId),
    );
  });

  test('are found by tier, scope, session and project, best first', async (subject) => {
    const memory = subject.as(ALICE);
    const store = (projectId: string, ...items: StoreItem[]): Promise<unknown> =>
      memory.items.store({ ...AGENT, projectId, items });
    await store(
      'p',
      item('note one'),
      item('note two', { tier: 'EpisodicMemory' }),
      item('note of p', { scope: 'ProjectScope' }),
    );
    await store('q', item('note of q', { scope: 'ProjectScope' }));
    await store(
      'q',
      ...['s', 't'].map((sessionId) => item(`note of ${sessionId}`, { scope: 'SessionScope', sessionId })),
    );
    for (const found of [retrieved, itemsOf]) {
      assertSameMembers(await found(memory, {}), ['note one', 'note two', 'note of s', 'note of t']);
      assertSameMembers(await found(memory, { sessionId: 's', projectId: 'p' }), ['note of s']);
      assertSameMembers(await found(memory, { scope: 'ProjectScope', projectId: 'p' }), ['note of p']);
      assertSameMembers(await found(memory, { tier: 'EpisodicMemory' }), ['note two']);
      assertSameMembers(await found(memory, { scope: 'GlobalScope', tier: 'SemanticMemory' }), ['note one']);
      assertSameMembers(await found(memory, { scope: 'SessionScope' }), ['note of s', 'note of t']);
      assertSameMembers(await found(memory, { scope: 'SessionScope', sessionId: 't' }), ['note of t']);
      assertSameMembers(await found(memory, { scope: 'ProjectScope', projectId: 'q' }), ['note of q']);
      const { message } = await failure('MISSING_IDENTIFIER', found(memory, { scope: 'ProjectScope' }));
      assert.match(message, /projectId|project_id/);
    }
    assert.deepEqual(await retrieved(memory, { query: 'which note is of t?', limit: 1 }), ['note of t']);
    const first = await memory.items.list({ ...AGENT, limit: 1 });
    assert.ok(first.nextCursor);
    await failure(
      'VALIDATION_FAILED',
      memory.items.list({ ...AGENT, limit: 1, cursor: first.nextCursor, tier: 'SemanticMemory' }),
    );
    await failure('VALIDATION_FAILED', memory.items.list({ agentId: 'other', limit: 1, cursor: first.nextCursor }));
  });

  test('belong to one agent of one user, also where several say the same in one place', async (subject) => {
    const places = [{}, { scope: 'SessionScope', sessionId: 's' }, { scope: 'ProjectScope' }] as const;
    const items = places.map((place) => item('the same note', place));
    const owners = [
      [ALICE, 'assistant'],
      [ALICE, 'reviewer'],
      [{ userId: 'bob' }, 'assistant'],
      [{ userId: 'alice","assistant' }, 'assistant'],
      [{ userId: 'alice', tenantId: '11111111-1111-4111-8111-111111111111' }, 'assistant'],
    ] as const;
    await subject
      .as(ALICE)
      .add({ content: 'the same note', layer: 'session', identifiers: { userId: 'alice', sessionId: 's' } });
    const ids = new Set<string>();
    for (const [principal, agentId] of owners) {
      const { storedIds } = await subject
        .as(principal)
        .items.store({ agentId, projectId: 'p', items, requestId: 'one' });
      assert.deepEqual(
        await itemsOf(subject.as(principal), { agentId, projectId: 'p' }),
        Array.from(places, () => 'the same note'),
      );
      for (const id of storedIds) ids.add(id);
    }
    assert.equal(ids.size, owners.length * places.length);
    const stranger = subject.as({ userId: 'carol' });
    assert.deepEqual(await itemsOf(stranger, { projectId: 'p' }), []);
    assert.deepEqual(await retrieved(stranger, { query: 'the same note', projectId: 'p', sessionId: 's' }), []);
    assert.deepEqual(await stranger.items.forget({ ...AGENT, itemIds: [...ids] }), { deletedCount: 0 });
    assert.deepEqual(await subject.as(ALICE).items.forget({ ...AGENT, itemIds: [...ids] }), { deletedCount: 3 });
    assert.equal((await itemsOf(subject.as(ALICE), { agentId: 'reviewer', projectId: 'p' })).length, 3);
    assert.deepEqual(
      await listed(subject.as(ALICE), { layer: 'session', identifiers: { userId: 'alice', sessionId: 's' } }),
      ['the same note', 'the same note'],
    );
  });

  test('are kept from other agents', async (subject) => {
    await subject.as(ALICE).items.store({ ...AGENT, items: [item('a note')] });
    const { items } = subject.as({ userId: 'alice', agentId: 'reviewer' });
    await failure('FORBIDDEN', items.store({ ...AGENT, items: [item('another note')] }));
    await failure('FORBIDDEN', items.retrieve({ ...AGENT, query: 'note' }));
    await failure('FORBIDDEN', items.list(AGENT));
    await failure('FORBIDDEN', items.forget({ ...AGENT, scope: 'GlobalScope' }));
    assert.deepEqual(await itemsOf(subject.as({ userId: 'alice', ...AGENT })), ['a note']);
  });

  test('refuse what does not fit, and then have stored nothing', async (subject) => {
    const memory = subject.as(ALICE);
    const fine = item('fine');
    const refuse = async (code: Parameters<typeof failure>[0], about: RegExp, input: object): Promise<void> => {
      const { message } = await failure(code, memory.items.store({ ...AGENT, items: [fine], ...input }));
      assert.match(message, about);
    };
    const bad = (more: object): object => ({ items: [fine, { ...fine, ...more }] });
    await refuse('MISSING_IDENTIFIER', /items\.1.*(sessionId|session_id)/, bad({ scope: 'SessionScope' }));
    await refuse('MISSING_IDENTIFIER', /items\.1.*(projectId|project_id)/, bad({ scope: 'ProjectScope' }));
    await refuse('VALIDATION_FAILED', /tier/, bad({ tier: 'WorkingMemory' }));
    await refuse('VALIDATION_FAILED', /sensitivity/, bad({ sensitivity: 'internal' }));
    await refuse('VALIDATION_FAILED', /unknown field/, bad({ importance: 1 }));
    await refuse('VALIDATION_FAILED', /items\.1/, bad({ content: '  ' }));
    await refuse('CONTENT_TOO_LONG', /items\.1/, bad({ content: 'x'.repeat(32_769) }));
    for (const metadataJson of [
      '',
      '{',
      '[]',
      '"x"',
      'null',
      '{"__proto__":1}',
      '{"a":"\\u0000"}',
      '{"a":1e999}',
      '{"knowledge.x":1}',
    ]) {
      await refuse('VALIDATION_FAILED', /items\.1.*(metadataJson|metadata_json)/s, bad({ metadataJson }));
    }
    await refuse('LIMIT_EXCEEDED', /metadata/, bad({ metadataJson: JSON.stringify({ a: 'x'.repeat(70_000) }) }));
    await refuse('LIMIT_EXCEEDED', /1000/, { items: Array.from({ length: 1001 }, () => fine) });
    await refuse('VALIDATION_FAILED', /requestId|request_id/, { requestId: '' });
    await refuse('VALIDATION_FAILED', /items/, { items: undefined });
    await failure('VALIDATION_FAILED', memory.items.retrieve({ ...AGENT, query: ' ' }));
    await failure('QUERY_TOO_LONG', memory.items.retrieve({ ...AGENT, query: 'x'.repeat(8_193) }));
    await failure('VALIDATION_FAILED', memory.items.list({ ...AGENT, limit: 101 }));
    assert.deepEqual(await memory.items.store({ ...AGENT, items: [] }), { storedIds: [] });
    assert.deepEqual(await itemsOf(memory), []);
  });

  test('of very many sessions are those of the newest, and that is said', async (subject) => {
    const memory = subject.as(ALICE);
    const many = Array.from({ length: 101 }, (_, n) =>
      item(`note ${n}`, { scope: 'SessionScope', sessionId: `s${n}` }),
    );
    await memory.items.store({ ...AGENT, items: many.slice(0, 100) });
    const all = await memory.items.retrieve({ ...AGENT, query: 'note', threshold: 0, limit: 100 });
    assert.deepEqual([all.count, all.warnings], [100, undefined]);
    await memory.items.store({ ...AGENT, items: many.slice(100) });
    const { items, warnings } = await memory.items.list({ ...AGENT, limit: 100 });
    assert.equal(items.length, 100);
    assert.equal(nth(items).content, 'note 100');
    assert.match(nth(warnings ?? []), /Name the session/);
    assert.deepEqual(await memory.items.forget({ ...AGENT, scope: 'SessionScope' }), { deletedCount: 101 });
  });
}

function withoutJson<Row extends { metadataJson: unknown }>({
  metadataJson: _json,
  ...row
}: Row): Omit<Row, 'metadataJson'> {
  return row;
}
