/** Contract: what a language model makes of a conversation says where it came from, and goes with its turn. */

import assert from 'node:assert/strict';
import { LaminaError } from '../domain/error.ts';
import type { OperationInput } from '../operations/table.ts';
import { assertSameMembers, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ScriptedModel } from './scripted-model.ts';

type Message = OperationInput<'remember'>['messages'][number];

const PLACE = { agentId: 'travel', sessionId: 'chat' } as const;
const agent = (content: string): Message => ({ role: 'assistant', content });
const MOVED: Message = { role: 'user', content: 'I moved to Lisbon last week. Window seats only, from now on.' };
const LIVES = { factType: 'located_at', subject: 'user', predicate: 'lives_in' } as const;

const ANSWER = {
  memories: [
    {
      kind: 'semantic',
      content: 'The user wants window seats',
      message: 1,
      quote: 'Window  seats only',
      importance: 0.9,
    },
    { kind: 'semantic', content: 'The user owns a castle', message: 1, quote: 'my castle' },
  ],
  facts: [{ ...LIVES, object: 'Lisbon', message: 1, quote: 'I moved to Lisbon', cardinality: 'one', confidence: 0.9 }],
  ended: [],
};

export function extractionContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('extracting from a conversation', () => {
    const model = new ScriptedModel(() => ANSWER);
    const test = memoryTest(runner, open);

    test(
      'writes knowledge and facts with their quotes, ends what they contradict, and goes with its turn',
      async (subject) => {
        model.asked.length = 0;
        model.script = () => ANSWER;
        const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
        const berlin = (await alice.facts.add({ ...LIVES, object: 'Berlin' })).fact;
        await bob.facts.add({ ...LIVES, object: 'Berlin' });
        const foreseen = await alice.remember({ ...PLACE, messages: [MOVED], dryRun: true });
        assert.deepEqual([foreseen.memories.length, foreseen.facts.length, foreseen.closed.length], [1, 1, 1]);
        assert.deepEqual(
          (await alice.facts.list({})).facts.map(({ object }) => object),
          ['Berlin'],
        );

        const output = await alice.remember({ ...PLACE, messages: [MOVED, agent('Noted.')] });
        assert.deepEqual([output.extracted, output.pending, output.model], [true, 0, 'scripted']);
        assert.deepEqual(output.dropped, { invalid: 0, unquoted: 1, untrusted: 0, unknown: 0, excess: 0 });
        assert.deepEqual(output.cost, { inputTokens: 100, outputTokens: 20, price: 0.003 });
        const turnId = nth(output.turns).id ?? '';
        const made = nth(output.memories);
        assert.deepEqual([made.status, made.quote, made.episodeId], ['created', 'Window seats only', turnId]);
        const { memory } = await alice.get({ id: made.id ?? '' });
        assert.deepEqual(
          [memory?.layer, memory?.visibility, memory?.importance, memory?.provenance],
          [
            'user',
            'private',
            0.9,
            {
              derivedFrom: [turnId],
              quotes: [{ entryId: turnId, version: 1, start: 29, end: 46 }],
              model: 'scripted',
              cost: { inputTokens: 100, outputTokens: 20, price: 0.003, sharedBy: 2 },
            },
          ],
        );
        const { fact } = await alice.facts
          .get({ factId: nth(output.facts).factId ?? '' })
          .then((found) => ({ fact: found }));
        assert.deepEqual(
          [
            fact?.object,
            fact?.confidence,
            fact?.source,
            fact?.metadata['extraction.quote'],
            fact?.metadata['extraction.model'],
          ],
          ['Lisbon', 0.9, { type: 'conversation', reference: turnId }, 'I moved to Lisbon', 'scripted'],
        );
        assert.deepEqual(
          output.closed.map(({ factId, quote }) => [factId, quote]),
          [[berlin.factId, 'I moved to Lisbon']],
        );
        assert.equal((await alice.facts.get({ factId: berlin.factId }))?.metadata['extraction.ended_by'], turnId);
        assert.deepEqual(
          (await bob.facts.list({})).facts.map(({ validTo }) => validTo),
          [null],
        );

        // Once is enough: nothing is asked again, nothing is written again.
        const asked = model.asked.length;
        const again = await alice.remember({ ...PLACE, messages: [MOVED, agent('Noted.')] });
        assert.deepEqual([again.extracted, again.memories, model.asked.length], [true, [], asked]);

        await alice.delete({ id: turnId });
        assert.deepEqual((await alice.get({ id: made.id ?? '' })).memory, null);
        assert.deepEqual(
          (await alice.facts.list({ includeClosed: true })).facts.map(({ object }) => object),
          ['Berlin'],
        );
        assert.deepEqual(await recalled(alice, { query: 'window seats' }), []);
      },
      { languageModel: model },
    );

    test(
      'leaves ended what somebody has ended, whenever the conversation is read',
      async (subject) => {
        const alice = subject.as({ userId: 'alice' });
        const quote = 'I drink green tea';
        const extract = async (sessionId: string): Promise<string> => {
          model.script = () => ({ memories: [{ content: 'The user drinks green tea', message: 1, quote }], facts: [] });
          const messages: Message[] = [{ role: 'user', content: quote }];
          const { memories } = await alice.remember({ ...PLACE, sessionId, messages });
          return nth(memories).id ?? '';
        };
        const id = await extract('one');
        await alice.update({ id, validTo: '2026-01-01T00:00:00Z' });
        assert.equal(await extract('two'), id);
        assert.equal((await alice.get({ id })).memory?.validTo, '2026-01-01T00:00:00.000Z');
        const again = await alice.add({ content: 'The user drinks green tea', layer: 'user' });
        assert.deepEqual([again.memory.id, again.memory.validTo], [id, undefined]);
      },
      { languageModel: model },
    );

    test(
      'stays while another turn says it, and says nothing of one that is deleted',
      async (subject) => {
        const alice = subject.as({ userId: 'alice' });
        const said = async (sessionId: string, quote: string): Promise<string> => {
          model.script = () => ({
            memories: [{ content: 'The user drinks green tea', message: 1, quote }],
            facts: [{ ...LIVES, object: 'Lisbon', message: 1, quote }],
          });
          const messages: Message[] = [{ role: 'user', content: quote }];
          const { turns, memories, facts } = await alice.remember({ ...PLACE, sessionId, messages });
          assert.deepEqual([memories.length, facts.length], [1, 1]);
          return nth(turns).id ?? '';
        };
        const [first, second, third] = [
          await said('one', 'green tea in Lisbon'),
          await said('two', 'in Lisbon, green tea'),
          await said('three', 'tea, green, and Lisbon'),
        ];
        const left = async (): Promise<unknown> => {
          const { memories } = await alice.list({ layer: 'user' });
          const { facts } = await alice.facts.list({});
          return [
            memories.map(({ provenance, source }) => [
              source?.reference,
              provenance?.derivedFrom,
              provenance?.alsoFrom,
              provenance?.quotes?.map(({ entryId }) => entryId),
            ]),
            facts.map(({ source, metadata }) => [source?.reference, metadata['extraction.quote']]),
          ];
        };
        assert.deepEqual(await left(), [
          [[first, [first], [second, third], [first, second, third]]],
          [[first, 'green tea in Lisbon']],
        ]);
        await alice.delete({ id: second });
        await alice.delete({ id: first });
        assert.deepEqual(await left(), [[[third, [third], undefined, [third]]], [[third, 'tea, green, and Lisbon']]]);
        const { facts } = await alice.facts.list({});
        assert.ok(!/in Lisbon/.test(JSON.stringify(facts)), 'the words of a deleted turn are still there');
        await alice.forget({ ids: [third] });
        assert.deepEqual(await left(), [[], []]);
      },
      { languageModel: model },
    );

    test(
      'is made up for when the model was down, and says nothing twice',
      async (subject) => {
        const alice = subject.as({ userId: 'alice' });
        await alice.semantic.store({ userId: 'alice', content: 'the user wants window seats' });
        await alice.semantic.store({ userId: 'alice', content: 'Her window is broken', sensitivity: 'confidential' });
        model.script = () => {
          throw new LaminaError('PROVIDER_ERROR', 'The language model is down.');
        };
        const down = await alice.remember({ ...PLACE, messages: [MOVED] });
        assert.deepEqual([down.extracted, down.pending, down.reason], [false, 1, 'The language model is down.']);
        assert.equal(nth(down.turns).status, 'created');
        for (const nonsense of ['I am sorry, I cannot do that.', '{"memories": 7}', '[1, 2]', '{"memories": [']) {
          model.script = () => nonsense;
          const output = await alice.remember({ ...PLACE, messages: [MOVED] });
          assert.deepEqual([output.extracted, output.memories], [false, []], nonsense);
        }
        model.script = ({ text }) => {
          assert.ok(text.includes('the user wants window seats') && !text.includes('broken'), text);
          return `Here you are:\n\`\`\`json\n${JSON.stringify(ANSWER)}\n\`\`\``;
        };
        const up = await alice.remember({ ...PLACE, messages: [MOVED] });
        assert.deepEqual([up.extracted, nth(up.turns).status, nth(up.facts).status], [true, 'unchanged', 'created']);
        assert.equal(nth(up.memories).status, 'unchanged');
        const known = await listed(alice, { layer: 'user' });
        assertSameMembers(known, ['the user wants window seats', 'Her window is broken']);
      },
      { languageModel: model },
    );

    test(
      'is done by many at the same time as by one, and goes as a whole',
      async (subject) => {
        const alice = subject.as({ userId: 'alice' });
        model.script = () => ANSWER;
        const outputs = await Promise.all(
          Array.from({ length: 3 }, () => alice.remember({ ...PLACE, messages: [MOVED] })),
        );
        assert.ok(outputs.every(({ extracted }) => extracted));
        assert.deepEqual(await listed(alice, { layer: 'user' }), ['The user wants window seats']);
        assert.equal((await alice.facts.list({ includeClosed: true })).count, 1);
        await alice.forget({ layer: 'agent', identifiers: { userId: 'alice', agentId: PLACE.agentId } });
        assert.deepEqual(await listed(alice, { layer: 'user' }), []);
        assert.equal((await alice.facts.list({ includeClosed: true })).count, 0);
      },
      { languageModel: model },
    );
  });
}
