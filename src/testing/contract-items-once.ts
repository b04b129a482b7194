/** Contract: a request about the items of an agent is done once, however often it comes. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure, nth } from './contract-assertions.ts';
import { item, itemsOf } from './item-inputs.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const AGENT = { agentId: 'assistant' };

const EVENT = item('The user said yes', { tier: 'EpisodicMemory' });

export function storingItemsOnce(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('answer a request that comes again with the same ids', async (subject) => {
    const memory = subject.as(ALICE);
    const known = (
      await memory.add({ content: 'Known before', layer: 'agent', identifiers: { userId: 'alice', ...AGENT } })
    ).memory;
    const request = {
      ...AGENT,
      requestId: 'r "1"\n',
      items: [item('Known before'), EVENT, item('New'), item('New'), EVENT],
    };
    const first = await memory.items.store(request);
    assert.equal(nth(first.storedIds), known.id);
    assert.equal(first.storedIds[2], first.storedIds[3]);
    assert.notEqual(first.storedIds[1], first.storedIds[4], 'what happened twice happened twice');
    assert.deepEqual(await memory.items.store(request), first);
    assert.equal((await itemsOf(memory)).length, 4);
    // Another request, another occurrence; and the same id with something else is another request.
    assert.notDeepEqual(await memory.items.store({ ...request, requestId: 'r2' }), first);
    const other = await memory.items.store({ ...request, items: [EVENT, item('Other')] });
    assert.ok(other.storedIds.every((id) => !first.storedIds.includes(id)));
    // Without an id what is known is still known once.
    const { storedIds } = await memory.items.store({ ...AGENT, items: [item('New'), EVENT] });
    assert.equal(storedIds[0], first.storedIds[2]);
    assert.ok(!first.storedIds.includes(nth(storedIds, 1)));
  });

  test('are stored once by many at the same time', async (subject) => {
    const memory = subject.as(ALICE);
    const items = [EVENT, item('New'), item('Here', { scope: 'SessionScope', sessionId: 's' })];
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => memory.items.store({ ...AGENT, requestId: 'one', items })),
    );
    for (const answer of answers) assert.deepEqual(answer, nth(answers));
    assert.equal((await itemsOf(memory)).length, 3);
  });

  test('stay as they became since: changed or forgotten', async (subject) => {
    const memory = subject.as(ALICE);
    const request = { ...AGENT, requestId: 'one', items: [EVENT, item('New'), item('Gone')] };
    const first = await memory.items.store(request);
    const [event, changed, gone] = first.storedIds;
    await memory.update({ id: event ?? '', content: 'The user said no' });
    await memory.update({ id: changed ?? '', content: 'Newer' });
    await memory.items.forget({ ...AGENT, itemIds: [gone ?? ''] });
    assert.deepEqual(await memory.items.store(request), first);
    assert.deepEqual((await itemsOf(memory)).toSorted(), ['Newer', 'The user said no']);
  });

  test('keep where they came from when they are said again', async (subject) => {
    const memory = subject.as(ALICE);
    const first = { generatedByTurnId: 'turn-1', metadataJson: '{"a":1}' };
    for (const place of [{}, { scope: 'SessionScope', sessionId: 's' }] as const) {
      const again = item('Likes tea', { ...place, source: 'AgentSource', metadataJson: '{"b":2}' });
      const other = item('Likes tea', { ...place, source: 'SystemSource', generatedByTurnId: 'turn-2' });
      await memory.items.store({ ...AGENT, items: [item('Likes tea', { ...place, ...first }), again] });
      await memory.items.store({ ...AGENT, items: [other] });
    }
    const { items } = await memory.items.list(AGENT);
    assert.deepEqual(
      items.map(({ source, generatedByTurnId, metadataJson }) => [source, generatedByTurnId, metadataJson]),
      items.map(() => ['UserSource', 'turn-1', '{"a":1,"b":2}']),
    );
    assert.equal(items.length, 2);
    // Where nobody has said so yet, it is said now.
    const identifiers = { userId: 'alice', ...AGENT };
    const { memory: bare } = await memory.add({ content: 'Likes milk', layer: 'agent', identifiers });
    await memory.items.store({ ...AGENT, items: [item('Likes milk', first)] });
    assert.deepEqual((await memory.get({ id: bare.id })).memory?.source, { type: 'user', reference: 'turn-1' });
  });

  test('are no longer known once their user was erased', async (subject) => {
    const memory = subject.as(ALICE);
    const request = { ...AGENT, requestId: 'one', items: [item('New')] };
    const { storedIds } = await memory.items.store(request);
    await subject.as({ userId: 'root', roles: ['admin'] }).admin.eraseUser({ userId: 'alice' });
    assert.notDeepEqual(await memory.items.store(request), { storedIds });
    assert.deepEqual(await itemsOf(memory), ['New']);
  });

  test('that were refused can be sent again', async (subject) => {
    const memory = subject.as(ALICE);
    const request = { ...AGENT, requestId: 'one', items: [item('New')] };
    subject.embedder.fail = true;
    await failure('EMBEDDING_FAILED', memory.items.store(request));
    subject.embedder.fail = false;
    const { storedIds } = await memory.items.store(request);
    assert.equal(storedIds.length, 1);
    assert.deepEqual(await itemsOf(memory), ['New']);
  });
}
