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
      assert.equal(memory?.speaker, 'Alice');
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

    test('takes a message with a name of its own for another one, whatever it says', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const named = (...ids: string[]): Message[] =>
        ids.map((id, at) => (at % 2 === 0 ? user('Go on', { id }) : agent('…', { id })));
      assert.deepEqual(statuses(await say(alice, ...named('1', '2', '3'))), ['created 1', 'created 2', 'created 3']);
      assert.deepEqual(statuses(await say(alice, ...named('4'))), ['created 4']);
      assert.deepEqual(statuses(await say(alice, ...named('5', '6'))), ['created 5', 'created 6']);
      assert.deepEqual(statuses(await say(alice, ...named('5', '6'))), ['unchanged 5', 'unchanged 6']);
      // An answer that had no name yet takes the one that it gets, next to what is known.
      assert.deepEqual(statuses(await say(alice, user('And?', { id: '7' }), agent('Well'))), [
        'created 7',
        'created 8',
      ]);
      const later = [user('And?', { id: '7' }), agent('Well', { id: '8' })];
      assert.deepEqual(statuses(await say(alice, ...later)), ['unchanged 7', 'updated 8']);
      assert.deepEqual(statuses(await say(alice, ...later, agent('Well', { id: '9' }))), [
        'unchanged 7',
        'unchanged 8',
        'created 9',
      ]);
    });

    test('knows a first answer that was written anew, and what was deleted at its end', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      await say(alice, user('one'), agent('two'));
      const anew = [user('one'), agent('two, again')];
      assert.deepEqual(statuses(await say(alice, ...anew)), ['unchanged 1', 'created 3']);
      const more = [...anew, user('four'), agent('five')];
      const { turns } = await say(alice, ...more);
      assert.deepEqual(
        turns.map(({ status, turn }) => `${status} ${turn}`),
        ['unchanged 1', 'unchanged 3', 'created 4', 'created 5'],
      );
      for (const { id } of turns.slice(2)) await alice.delete({ id: id ?? '' });
      assert.deepEqual(statuses(await say(alice, ...more)), ['unchanged 1', 'unchanged 3', 'forgotten', 'forgotten']);
      // What was not deleted is new, and has a place of its own.
      assert.deepEqual(statuses(await say(alice, ...more, user('six'))).at(-1), 'created 6');
      assert.deepEqual(statuses(await say(alice, ...more, user('six'))), [
        'unchanged 1',
        'unchanged 3',
        'forgotten',
        'forgotten',
        'unchanged 6',
      ]);
      const place = { ...PLACE, sessionId: 'named' };
      const messages = [user('one', { id: '1' }), agent('two', { id: '2' }), user('three', { id: '3' })];
      const first = await alice.remember({ ...place, messages });
      await alice.forget({ ids: [nth(first.turns, 2).id ?? ''] });
      assert.deepEqual(statuses(await alice.remember({ ...place, messages })), [
        'unchanged 1',
        'unchanged 2',
        'forgotten',
      ]);
      const other = [...messages.slice(0, 2), user('three', { id: '4' })];
      assert.deepEqual(statuses(await alice.remember({ ...place, messages: other })).at(-1), 'created 4');
    });

    test('takes messages as models are sent them: parts, tool calls, what a tool answered', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const call = (id: string, name: string): object => ({
        id,
        type: 'function',
        function: { name, arguments: '{}' },
      });
      const messages: Message[] = [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
            { type: 'text', text: 'And where?' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [call('c1', 'web'), call('c2', 'memory_recall')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'A heron' },
        { role: 'tool', tool_call_id: 'c2', content: 'Herons were seen before' },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'A bird, I think' },
            { type: 'text', text: 'A heron.' },
            { type: 'tool-call', toolCallId: 'c3', toolName: 'map', input: {} },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c3',
              toolName: 'map',
              output: { type: 'json', value: { at: 'the lake' } },
            },
            {
              type: 'tool-result',
              toolCallId: 'c4',
              toolName: 'memory_read',
              output: { type: 'text', value: 'recalled' },
            },
          ],
        },
        { role: 'assistant', refusal: 'I may not say where.' },
      ];
      const { turns } = await alice.remember({ ...PLACE, messages });
      assert.deepEqual(
        turns.map(({ reason, turn, leftOut }) => [reason ?? turn, leftOut]),
        [
          [undefined, undefined],
          [1, ['image_url']],
          ['empty', ['tool_calls']],
          [2, undefined],
          ['recalled', undefined],
          [3, ['reasoning', 'tool-call']],
          [4, undefined],
          [5, undefined],
        ],
      );
      assert.deepEqual(await conversation(alice), [
        'undefined Be brief.',
        '1 What is this?\nAnd where?',
        '2 A heron',
        '3 A heron.',
        '4 {"at":"the lake"}',
        '5 I may not say where.',
      ]);
      const { memory } = await alice.get({ id: nth(turns, 3).id ?? '' });
      assert.deepEqual([memory?.source, memory?.metadata], [{ type: 'tool_result', reference: 'c1' }, { name: 'web' }]);
      assert.deepEqual(memory?.speaker, undefined);
      assert.ok((await alice.remember({ ...PLACE, messages })).turns.every(({ status }) => status !== 'created'));
    });

    test('cuts what is too long and says so, and takes its session from where it is named', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const { agentId, sessionId } = PLACE;
      const messages = [user('🦩'.repeat(40_000)), user('short')];
      const send = (): Promise<Remembered> => alice.remember({ agentId, identifiers: { sessionId }, messages });
      assert.deepEqual(
        (await send()).turns.map(({ status, turn, cut }) => [status, turn, cut]),
        [
          ['created', 1, 7232],
          ['created', 2, undefined],
        ],
      );
      assert.deepEqual(statuses(await send()), ['unchanged 1', 'unchanged 2']);
      const [first] = await conversation(alice);
      assert.equal(first, `1 ${'🦩'.repeat(32_768)}`);
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
      const messages = [system, { role: 'system', content: context } as const, user(prompt), agent('\u200b'), tool];
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
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [] }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [ok, { role: 'narrator', content: 'x' }] }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [{ role: 'user', text: 'x' }] }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [ok], identifiers: { sessionId: 'other' } }));
      await failure('VALIDATION_FAILED', call({ ...PLACE, messages: [ok], identifiers: { userId: 'bob' } }));
      const twice = await failure('VALIDATION_FAILED', say(alice, user('a', { id: 'x' }), user('b', { id: 'x' })));
      assert.match(twice.message, /messages\.1\.id/);
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
