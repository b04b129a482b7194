/** Contract: turns of a conversation are found by who said them, when, and by what is said around them. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice', agentId: 'a' };

type Turn = readonly [speaker: string | undefined, content: string];
type Found = OperationOutput<'episodic.search'>['results'][number];

async function converse(memory: Memory, sessionId: string, day: string, turns: readonly Turn[]): Promise<void> {
  for (const [turn, [speaker, content]] of turns.entries()) {
    const occurredAt = `${day}T10:${String(turn).padStart(2, '0')}:00Z`;
    const said = { role: 'user', content, sessionId, turn, occurredAt } as const;
    await memory.episodic.log(speaker === undefined ? said : { ...said, speaker });
  }
}

async function ask(
  memory: Memory,
  query: string,
  more: Partial<OperationInput<'episodic.search'>> = {},
): Promise<Found[]> {
  return (await memory.episodic.search({ query, threshold: 0, limit: 20, ...more })).results;
}

async function best(memory: Memory, query: string): Promise<string> {
  return nth(await ask(memory, query), 0).content;
}

const GARDEN: readonly Turn[] = [
  ['Rosa', 'Which vegetables did you plant this spring?'],
  ['Pavel', 'Only leeks and chard, nothing else.'],
  ['Rosa', 'I planted pumpkins and lost all of them to slugs.'],
  ['Pavel', 'I lost a bicycle to thieves in the same week.'],
];

function assertAddsUp({ score, signals: { evidence } }: Found): void {
  assert.ok(evidence);
  const sum = Object.values(evidence).reduce((total: number, part) => total + (part ?? 0), 0);
  assert.ok(Math.abs(score - 1 / (1 + Math.exp(-sum))) < 1e-9, `${score} is not what ${sum} makes`);
}

export function turnSignalsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('turns of conversations', () => {
    test('tell who said them, also later', async (subject) => {
      const memory = subject.as(ALICE);
      const logged = await memory.episodic.log({ role: 'user', content: 'Hello there', speaker: ' Rosa ' });
      assert.equal(logged.speaker, 'Rosa');
      assert.equal((await memory.get({ id: logged.id })).memory?.speaker, 'Rosa');
      const { memory: updated } = await memory.update({ id: logged.id, speaker: 'Rosa Lind' });
      assert.equal(updated.speaker, 'Rosa Lind');
      for (const speaker of ['', ' ', 'x'.repeat(101)]) {
        await failure('VALIDATION_FAILED', memory.episodic.log({ role: 'user', content: 'Hello', speaker }));
      }
    });

    test('are found by the name of who said them, which stands in none of them', async (subject) => {
      const memory = subject.as(ALICE);
      await converse(memory, 's1', '2026-03-02', GARDEN);
      assert.equal(await best(memory, 'What has Rosa lost?'), GARDEN[2]?.[1]);
      assert.equal(await best(memory, 'What has Pavel lost?'), GARDEN[3]?.[1]);
      const [first] = await ask(memory, 'What has Pavel lost?');
      assert.equal(first?.signals.speaker, 1);
    });

    test('are found by what was asked just before', async (subject) => {
      const memory = subject.as(ALICE);
      await converse(memory, 's1', '2026-03-02', GARDEN);
      await converse(memory, 's2', '2026-03-09', [
        ['Rosa', 'Nice weather today.'],
        ['Pavel', 'Only wind and clouds, nothing else.'],
      ]);
      const contents = (await ask(memory, 'Which vegetables were planted?')).map(({ content }) => content);
      const [answer, other] = ['Only leeks and chard, nothing else.', 'Only wind and clouds, nothing else.'];
      assert.ok(contents.indexOf(answer) < contents.indexOf(other));
    });

    test('are found by when they were said', async (subject) => {
      const memory = subject.as(ALICE);
      await converse(memory, 's1', '2025-11-20', [['Rosa', 'The meeting about the harbour was long.']]);
      await converse(memory, 's2', '2026-03-02', [['Rosa', 'The meeting about the harbour was short.']]);
      assert.equal(
        await best(memory, 'How was the harbour meeting in November 2025?'),
        'The meeting about the harbour was long.',
      );
      assert.equal(
        await best(memory, 'How was the harbour meeting on 2 March 2026?'),
        'The meeting about the harbour was short.',
      );
    });

    test('say how their scores came about, and the parts add up', async (subject) => {
      const memory = subject.as(ALICE);
      await converse(memory, 's1', '2026-03-02', GARDEN);
      await memory.add({ content: 'Rosa grows pumpkins', layer: 'user' });
      const { results } = await memory.search({ query: 'When did Rosa lose her pumpkins?', threshold: 0 });
      assert.equal(results.length, 5);
      for (const { memory: found, ...result } of results) assertAddsUp({ ...result, ...found } as unknown as Found);
      const fact = results.find(({ memory: { kind } }) => kind === 'semantic');
      assert.deepEqual(
        Object.keys(fact?.signals ?? {}).toSorted(),
        ['best', 'confidence', 'evidence', 'importance', 'recency', 'text', 'vector'],
        'what is no turn has no signals of one',
      );
    });

    test('tell nobody who else has spoken', async (subject) => {
      await converse(subject.as({ userId: 'bob', agentId: 'a' }), 's1', '2026-03-02', [['Rosa', 'I like hats.']]);
      const memory = subject.as(ALICE);
      await converse(memory, 's1', '2026-03-02', [[undefined, 'The hats of Rosa are red.']]);
      const [own] = await ask(memory, 'What hats does Rosa like?');
      // Nobody here goes by that name: it is a word like any other.
      const [other] = await ask(memory, 'What hats does Vera like?');
      assert.equal(own?.signals.speaker, undefined);
      assert.ok((own?.signals.text ?? 0) > (other?.signals.text ?? 1));
    });
  });
}
