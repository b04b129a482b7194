/** Contract: the turns of a conversation are stored once, however often it is sent, and nothing that was recalled for it. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

type Message = OperationInput<'remember'>['messages'][number];
type Remembered = OperationOutput<'remember'>;

const PLACE = { agentId: 'travel', sessionId: 'chat' } as const;
const user = (content: string, more: Partial<Message> = {}): Message => ({ role: 'user', content, ...more });
const agent = (content: string, more: Partial<Message> = {}): Message => ({ role: 'assistant', content, ...more });

const statuses = ({ turns }: Remembered): string[] =>
  turns.map(({ status, turn, reason }) => reason ?? `${status} ${turn}`);

/** The conversation as it is read, the first turn first. */
async function conversation({ episodic }: Memory, sessionId: string = PLACE.sessionId): Promise<string[]> {
  const { episodes } = await episodic.recent({ agentId: PLACE.agentId, sessionId, limit: 100 });
  return episodes.toReversed().map(({ turn, content }) => `${turn} ${content}`);
}

export function conversationContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const say = (memory: Memory, ...messages: Message[]): Promise<Remembered> => memory.remember({ ...PLACE, messages });

  runner.describe('remembering a conversation', () => {
    test('stores its turns as they are, and goes on where it ended', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const occurredAt = '2026-01-02T03:04:05.000Z';
      const first = await say(alice, user('I live in a lighthouse', { occurredAt, name: 'Alice', id: 'm-1' }));
      assert.deepEqual(
        [first.extracted, first.pending, first.reason, first.memories],
        [false, 1, 'No language model is configured.', []],
      );
      assert.deepEqual(statuses(await say(alice, agent('How tall is it?'), user('Forty metres'))), [
        'created 2',
        'created 3',
      ]);
      assert.deepEqual(await conversation(alice), ['1 I live in a lighthouse', '2 How tall is it?', '3 Forty metres']);
      const { memory } = await alice.get({ id: nth(first.turns).id ?? '' });
      assert.deepEqual(
        [
          memory?.kind,
          memory?.role,
          memory?.validFrom,
          memory?.source,
          memory?.metadata,
          memory?.identifiers.sessionId,
        ],
        ['episodic', 'user', occurredAt, { type: 'conversation', reference: 'm-1' }, { name: 'Alice' }, 'chat'],
      );
      const found = await alice.episodic.search({ query: 'a lighthouse', agentId: PLACE.agentId, threshold: 0.2 });
      assert.equal(nth(found.results).id, nth(first.turns).id);
    });

    test('recognises what was sent before: all of it, its end, or a part under names', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const [hello, hi, yes] = [user('Hello'), agent('Hi, shall we go on?'), user('yes')];
      assert.deepEqual(statuses(await say(alice, hello, hi)), ['created 1', 'created 2']);
      // Whole, with two more; and once more.
      const more = [hello, hi, yes, agent('Done.')];
      assert.deepEqual(statuses(await say(alice, ...more)), ['unchanged 1', 'unchanged 2', 'created 3', 'created 4']);
      assert.deepEqual(statuses(await say(alice, ...more)), [
        'unchanged 1',
        'unchanged 2',
        'unchanged 3',
        'unchanged 4',
      ]);
      // Its end, with one more; an older part of it; and something that was said before, said again.
      assert.deepEqual(statuses(await say(alice, yes, agent('Done.'), user('Next'))), [
        'unchanged 3',
        'unchanged 4',
        'created 5',
      ]);
      assert.deepEqual(statuses(await say(alice, hello, hi, yes)), ['unchanged 1', 'unchanged 2', 'unchanged 3']);
      assert.deepEqual(statuses(await say(alice, yes)), ['created 6']);
      // Answered anew: what differs is new, and known from then on.
      const anew = [hello, hi, user('no'), agent('As you like.')];
      assert.deepEqual(statuses(await say(alice, ...anew)), ['unchanged 1', 'unchanged 2', 'created 7', 'created 8']);
      assert.deepEqual(statuses(await say(alice, ...anew)), [
        'unchanged 1',
        'unchanged 2',
        'unchanged 7',
        'unchanged 8',
      ]);
      // By name, wherever it stands; with other words it is the same turn.
      const named = [user('Call me Al', { id: 'a' }), agent('Al it is', { id: 'b' })];
      assert.deepEqual(statuses(await say(alice, ...named)), ['created 9', 'created 10']);
      const { turns } = await say(alice, user('Bye', { id: 'c' }), user('Call me Ali', { id: 'a' }));
      assert.deepEqual(
        turns.map(({ status }) => status),
        ['created', 'updated'],
      );
      assert.ok((await conversation(alice)).includes('9 Call me Ali'));
    });

    test('is stored once by many at the same time, and every turn has its own place', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const same = [user('one'), agent('two')];
      const all = await Promise.all(Array.from({ length: 4 }, () => say(alice, ...same)));
      assert.equal(new Set(all.flatMap(({ turns }) => turns.map(({ id }) => id))).size, 2);
      await Promise.all(['a', 'b', 'c', 'd'].map((content) => say(alice, user(content))));
      const read = await conversation(alice);
      assertSameMembers(
        read.map((line) => line.split(' ')[0] ?? ''),
        ['1', '2', '3', '4', '5', '6'],
      );
    });

    test('leaves out memory that was recalled, what has no text, and what was deleted', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      await alice.semantic.store({ userId: 'alice', content: 'The heron is called Ferdinand' });
      const { prompt, context } = await alice.turnContext({ message: 'What is the heron called?', threshold: 0.1 });
      assert.match(context, /Ferdinand/);
      const system = { role: 'system', content: `Be brief.\n\n${context}` } as const;
      const tool = { role: 'tool', name: 'memory_recall', content: '{"content": "Ferdinand"}' } as const;
      const messages = [system, { role: 'system', content: context } as const, user(prompt), agent(''), tool];
      const first = await alice.remember({ ...PLACE, messages });
      assert.deepEqual(statuses(first), ['created undefined', 'recalled', 'created 1', 'empty', 'recalled']);
      assert.deepEqual(await conversation(alice), ['undefined Be brief.', '1 What is the heron called?']);

      const said = [user('What is the heron called?'), agent('Ferdinand.'), user('My code is 4711'), agent('Noted.')];
      const { turns } = await say(alice, ...said);
      await alice.delete({ id: turns[2]?.id ?? '' });
      assert.deepEqual(statuses(await say(alice, ...said, user('Bye'))), [
        'unchanged 1',
        'unchanged 2',
        'forgotten',
        'unchanged 4',
        'created 5',
      ]);
      assert.deepEqual(await recalled(alice, { query: '4711', mode: 'keyword' }), []);
    });

    test('is nobody else’s, and not of another session or agent', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const said = [user('The key lies under the mat', { id: '1' }), agent('Fine.')];
      await say(alice, ...said);
      assert.deepEqual(await conversation(bob), []);
      for (const [memory, place] of [
        [bob, PLACE],
        [alice, { ...PLACE, sessionId: 'other' }],
        [alice, { ...PLACE, agentId: 'other' }],
      ] as const) {
        assert.deepEqual(statuses(await memory.remember({ ...place, messages: said })), ['created 1', 'created 2']);
      }
      const other = subject.as({ userId: 'alice', agentId: 'kept-to-itself' });
      await failure('FORBIDDEN', other.remember({ ...PLACE, messages: said }));
    });

    test('is refused as a whole where something is wrong with it, and a dry run stores nothing', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const ok = user('fine');
      const call = (input: object): Promise<unknown> => alice.remember(input as OperationInput<'remember'>);
      await failure('MISSING_IDENTIFIER', call({ messages: [ok] }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [] }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [ok, { role: 'developer', content: 'x' }] }));
      const twice = await failure('VALIDATION_FAILED', say(alice, user('a', { id: 'x' }), user('b', { id: 'x' })));
      assert.match(twice.message, /messages\.1\.id/);
      const long = await failure('CONTENT_TOO_LONG', say(alice, ok, user('x'.repeat(40_000))));
      assert.match(long.message, /messages\.1/);
      await failure('INVALID_LAYER', call({ ...PLACE, layer: 'company', messages: [ok] }));
      await failure('MISSING_IDENTIFIER', call({ agentId: 'a', layer: 'session', messages: [ok] }));
      const foreseen = await alice.remember({ ...PLACE, messages: [ok], dryRun: true });
      assert.deepEqual([foreseen.dryRun, foreseen.turns], [true, [{ status: 'created', turn: 1 }]]);
      subject.embedder.fail = true;
      await failure('EMBEDDING_FAILED', say(alice, ok));
      subject.embedder.fail = false;
      assert.deepEqual(
        await listed(alice, { layer: 'agent', identifiers: { userId: 'alice', agentId: 'travel' } }),
        [],
      );
    });
  });
}
