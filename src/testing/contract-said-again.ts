/** Contract: what is said again is stored again, and what is only sent again is not, even where messages have no ids. */

import assert from 'node:assert/strict';
import { LaminaError } from '../domain/error.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedModel } from './scripted-model.ts';

type Message = OperationInput<'remember'>['messages'][number];
type Remembered = OperationOutput<'remember'>;

const MINUTE = 60_000;

function exchange(asked: string, answered: string, ...ids: string[]): Message[] {
  const [first, second] = ids;
  return [
    { role: 'user', content: asked, ...(first !== undefined && { id: first }) },
    { role: 'assistant', content: answered, ...(second !== undefined && { id: second }) },
  ];
}

const statuses = ({ turns }: Remembered): string[] => turns.map(({ status, turn }) => `${status} ${turn}`);

/** The conversation as it is read, the first turn first. */
async function conversation({ episodic }: Memory, sessionId: string): Promise<string[]> {
  const { episodes } = await episodic.recent({ sessionId, limit: 100 });
  return episodes.toReversed().map(({ content }) => content);
}

export function saidAgainContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('what is said again', () => {
    repeatedContract(runner, open);
    catchingUpContract(runner, open);
    withoutAgentContract(runner, open);
  });
}

function repeatedContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  const hi = exchange('hi', 'Hello!');
  const next = exchange('next', 'Done.');

  test('is a new exchange after another one, however soon', async (subject) => {
    const alice = subject.as({ userId: 'alice' });
    for (const messages of [hi, exchange('set a timer', 'Done.'), hi])
      assert.ok((await alice.remember({ sessionId: 'a', messages })).turns.every(({ status }) => status === 'created'));
    const said = ['hi', 'Hello!', 'set a timer', 'Done.', 'hi', 'Hello!'];
    assert.deepEqual(await conversation(alice, 'a'), said);
  });

  test(
    'right after itself is a retry for two minutes, and then a new exchange',
    async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const say = (messages: Message[]): Promise<Remembered> => alice.remember({ sessionId: 'b', messages });
      assert.deepEqual(statuses(await say(next)), ['created 1', 'created 2']);
      clock.advance(2 * MINUTE);
      assert.deepEqual(statuses(await say(next)), ['unchanged 1', 'unchanged 2']);
      clock.advance(1);
      assert.deepEqual(statuses(await say(next)), ['created 3', 'created 4']);
    },
    { clock },
  );

  test(
    'is told apart by ids, at any time',
    async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const say = (...ids: string[]): Promise<Remembered> =>
        alice.remember({ sessionId: 'c', messages: exchange('next', 'Done.', ...ids) });
      assert.deepEqual(statuses(await say('1', '2')), ['created 1', 'created 2']);
      assert.deepEqual(statuses(await say('3', '4')), ['created 3', 'created 4']);
      clock.advance(60 * MINUTE);
      assert.deepEqual(statuses(await say('3', '4')), ['unchanged 3', 'unchanged 4']);
    },
    { clock },
  );

  test(
    'is known within the whole conversation, whenever that is sent',
    async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const said: Message[] = [];
      for (const messages of [hi, next, next, hi, next]) {
        said.push(...messages);
        await alice.remember({ sessionId: 'd', messages: said });
        clock.advance(60 * MINUTE);
      }
      const { turns } = await alice.remember({ sessionId: 'd', messages: said });
      assert.ok(turns.every(({ status }) => status === 'unchanged'));
      assert.equal((await conversation(alice, 'd')).length, said.length);
    },
    { clock },
  );
}

function catchingUpContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  const model = new ScriptedModel();

  test(
    'because a language model failed is no new exchange, whenever that is made up for',
    async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const say = (): Promise<Remembered> =>
        alice.remember({ sessionId: 'e', messages: exchange('I moved to Lisbon', 'Noted.') });
      model.script = () => {
        throw new LaminaError('PROVIDER_ERROR', 'It is down.');
      };
      assert.equal((await say()).pending, 2);
      clock.advance(60 * MINUTE);
      model.script = () => ({ memories: [], facts: [], ended: [] });
      const second = await say();
      assert.deepEqual([statuses(second), second.pending], [['unchanged 1', 'unchanged 2'], 0]);
      clock.advance(60 * MINUTE);
      assert.deepEqual(statuses(await say()), ['created 3', 'created 4']);
    },
    { clock, languageModel: model },
  );
}

function withoutAgentContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  test('to nobody in particular is remembered, and found before the next turn', async (subject) => {
    const alice = subject.as({ userId: 'alice' });
    const messages = exchange('The heron on the lake is called Ferdinand', 'A fine name.');
    const { turns } = await alice.remember({ messages });
    assert.deepEqual(
      turns.map(({ status }) => status),
      ['created', 'created'],
    );
    const { memory } = await alice.get({ id: nth(turns).id ?? '' });
    assert.deepEqual([memory?.layer, memory?.identifiers.agentId], ['agent', 'assistant']);
    for (const input of [{}, { agentId: 'assistant' }, { sessionId: 'another' }]) {
      const message = 'What is the heron on the lake called?';
      const { context } = await alice.turnContext({ message, threshold: 0.1, ...input });
      assert.match(context, /Ferdinand/);
    }
    assert.equal((await alice.episodic.recent({})).count, 2);
    // An agent of its own remembers as itself.
    const scout = subject.as({ userId: 'alice', agentId: 'scout' });
    const own = await scout.remember({ messages: exchange('Ferdinand has flown', 'Farewell.') });
    assert.equal((await scout.get({ id: nth(own.turns).id ?? '' })).memory?.identifiers.agentId, 'scout');
  });
}
