/** Contract: a recorded search leaves a receipt, in ids and numbers, that is its user's alone. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { RecallReceipt } from '../domain/recall-receipt.ts';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const OTHER_TENANT = '00000000-0000-4000-8000-000000000001';
const NOWHERE = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

export function receiptsContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('receipts', () => {
    telling(runner, open);
    keeping(runner, open);
    belonging(runner, open);
  });
}

/** A memory of each in the user layer; the ids in their order. */
async function remember(memory: Memory, ...contents: string[]): Promise<string[]> {
  const added = await memory.addMany(contents.map((content) => ({ content, layer: 'user' as const })));
  return added.map(({ memory: { id } }) => id);
}

async function recorded(memory: Memory, query: string, limit = 1): Promise<RecallReceipt> {
  const { receiptId = '' } = await memory.search({ query, limit, threshold: 0.3, record: true });
  const receipt = await memory.receipts.get({ receiptId });
  assert.ok(receipt);
  return receipt;
}

function telling(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('tell what was asked, what was looked at and how it was chosen, and no text', async (subject) => {
    const memory = subject.as(ALICE);
    const [ferry, boat] = await remember(memory, 'The ferry leaves at noon', 'The ferry boat is painted blue');
    const input = { query: 'When does the ferry leave?', limit: 1, threshold: 0.3, rank: 'relevance' } as const;
    const plain = await memory.search(input);
    const { receiptId = '', ...answer } = await memory.search({ ...input, record: true });
    assert.deepEqual(
      answer.results.map(({ memory: { id }, score }) => [id, score.toFixed(3)]),
      plain.results.map(({ memory: { id }, score }) => [id, score.toFixed(3)]),
    );
    assert.equal('receiptId' in plain, false);
    const receipt = await memory.receipts.get({ receiptId });
    assert.ok(receipt);
    assert.deepEqual(
      { ...receipt.asked, identifiers: receipt.asked.identifiers?.userId },
      { ...input, identifiers: 'alice' },
    );
    const { mode, rank, limit, threshold, embedding } = receipt.configuration;
    assert.deepEqual([mode, rank, limit, threshold], ['hybrid', 'relevance', 1, 0.3]);
    assert.equal(embedding?.model, (await subject.embedder.space()).model);
    assert.deepEqual(
      receipt.candidates.map(({ memoryId, place, gone }) => [memoryId, place, gone]),
      [
        [ferry, 1, false],
        [boat, null, false],
      ],
    );
    for (const { score, signals } of receipt.candidates) {
      const sum = Object.values(signals.evidence ?? {}).reduce<number>((total, each) => total + (each ?? 0), 0);
      assert.ok(Math.abs(1 / (1 + Math.exp(-sum)) - score) < 0.001, 'the evidence adds up to the score');
    }
    assert.equal(receipt.candidateCount, 2);
    assert.doesNotMatch(JSON.stringify(receipt), /noon|painted/);
  });

  test('say which memories are gone since, and are deleted themselves', async (subject) => {
    const memory = subject.as(ALICE);
    const [ferry = ''] = await remember(memory, 'The ferry leaves at noon', 'The ferry boat is painted blue');
    const { receiptId } = await recorded(memory, 'ferry', 2);
    await memory.delete({ id: ferry });
    const receipt = await memory.receipts.get({ receiptId });
    assert.deepEqual(receipt?.candidates.map(({ memoryId, gone }) => [memoryId === ferry, gone]).toSorted(), [
      [false, false],
      [true, true],
    ]);
    assert.deepEqual(await memory.receipts.delete({ receiptId }), { success: true });
    assert.deepEqual(await memory.receipts.delete({ receiptId }), { success: false });
    assert.equal(await memory.receipts.get({ receiptId }), null);
  });

  test('tell a search by words alone as what it was', async (subject) => {
    const memory = subject.as(ALICE);
    await remember(memory, 'The ferry leaves at noon');
    subject.embedder.fail = true;
    const { configuration, warnings } = await recorded(memory, 'ferry');
    assert.deepEqual([configuration.mode, configuration.embedding, warnings?.length], ['keyword', null, 1]);
  });
}

function keeping(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('are listed oldest first, page by page, from a moment on', async (subject) => {
    const memory = subject.as(ALICE);
    await remember(memory, 'The ferry leaves at noon');
    for (const query of ['ferry', 'noon', 'boat']) await recorded(memory, query);
    const { receipts: all } = await memory.receipts.list({});
    assert.deepEqual(
      all.map(({ query, resultCount }) => [query, resultCount]),
      [
        ['ferry', 1],
        ['noon', 1],
        ['boat', 0],
      ],
    );
    const first = await memory.receipts.list({ limit: 2 });
    const second = await memory.receipts.list({ limit: 2, cursor: first.nextCursor ?? '' });
    assert.deepEqual([...first.receipts, ...second.receipts], all);
    assert.equal(second.nextCursor, null);
    assert.equal((await memory.receipts.list({ since: '2020-01-01T00:00:00Z' })).count, 3);
    assert.equal((await memory.receipts.list({ since: '2199-01-01T00:00:00Z' })).count, 0);
  });

  test('are marked with what would have been right, also by many at once', async (subject) => {
    const memory = subject.as(ALICE);
    const [ferry = '', walk = ''] = await remember(memory, 'The ferry leaves at noon', 'We walk at dusk');
    const { receiptId } = await recorded(memory, 'ferry');
    const marked = await memory.receipts.mark({ receiptId, relevantIds: [walk, ferry, walk] });
    assert.deepEqual(marked.relevantIds, [walk, ferry]);
    await Promise.all([ferry, walk, ferry].map((id) => memory.receipts.mark({ receiptId, relevantIds: [id] })));
    assert.equal((await memory.receipts.get({ receiptId }))?.relevantIds?.length, 1);
    const unmarked = await memory.receipts.mark({ receiptId, relevantIds: [] });
    assert.equal(unmarked.relevantIds, undefined);
    assert.equal(unmarked.expiresAt, marked.expiresAt);
    await failure('MEMORY_NOT_FOUND', memory.receipts.mark({ receiptId, relevantIds: [NOWHERE] }));
    await failure('NOT_FOUND', memory.receipts.mark({ receiptId: NOWHERE, relevantIds: [] }));
    assert.equal(await memory.receipts.get({ receiptId: NOWHERE }), null);
    await failure('VALIDATION_FAILED', memory.receipts.get({ receiptId: 'mine' }));
    await failure('VALIDATION_FAILED', memory.search({ query: 'ferry', record: 'yes' as unknown as boolean }));
  });
}

function belonging(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('are nobody else’s, and go with their user', async (subject) => {
    const memory = subject.as(ALICE);
    const [ferry = ''] = await remember(memory, 'The ferry leaves at noon');
    const { receiptId } = await recorded(memory, 'ferry');
    const others = [{ userId: 'bob' }, { userId: 'alice', tenantId: OTHER_TENANT }, { userId: 'alice,""' }];
    for (const principal of others) {
      const other = subject.as(principal);
      assert.equal((await other.receipts.list({})).count, 0);
      assert.equal(await other.receipts.get({ receiptId }), null);
      assert.deepEqual(await other.receipts.delete({ receiptId }), { success: false });
      await failure('NOT_FOUND', other.receipts.mark({ receiptId, relevantIds: [] }));
      const { receiptId: own = '' } = await other.search({ query: 'ferry', record: true });
      await failure('MEMORY_NOT_FOUND', other.receipts.mark({ receiptId: own, relevantIds: [ferry] }));
    }
    const root = subject.as({ userId: 'root', roles: ['admin'] });
    await root.admin.eraseUser({ userId: 'alice' });
    assert.equal((await memory.receipts.list({})).count, 0);
    assert.equal((await subject.as({ userId: 'bob' }).receipts.list({})).count, 1);
  });
}
