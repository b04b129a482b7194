/** The memory tools over a real memory, embedded and remote: what a model can do with them, and what it cannot. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import type { PrincipalInput } from '../src/domain/principal.ts';
import { LaminaError, type ErrorCode } from '../src/domain/error.ts';
import type { Memory } from '../src/operations/memory.ts';
import { MEMORY_TOOLS, offeredName, runTool, type ToolContext } from '../src/tools/index.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

const ABSENT_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

type As = (principal: PrincipalInput) => Memory;

async function embedded(): Promise<As> {
  const { lamina } = untilTestEnds(await openLamina());
  return (principal) => lamina.as(principal);
}

async function remote(): Promise<As> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  const client = untilTestEnds(new LaminaClient({ url }));
  return (principal) => client.as(principal);
}

// oxlint-disable-next-line typescript/no-explicit-any -- the answers of ten tools, read field by field below
type Answer = any;

async function run(context: ToolContext, name: string, input: object = {}): Promise<Answer> {
  const tool = MEMORY_TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const answer = await runTool(tool, context, input);
  // What a tool answers is what its schema promises to those who read the schema.
  expect(tool.output.parse(answer)).toEqual(answer);
  return answer;
}

async function refusal(promise: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(LaminaError);
  const { code, message } = thrown as LaminaError;
  return { code, message };
}

describe('what models are offered', () => {
  it('has names that every provider takes, and says when to use it and when not', () => {
    expect(MEMORY_TOOLS.map(offeredName)).toEqual([
      'memory_recall',
      'memory_save_fact',
      'memory_update',
      'memory_forget',
      'memory_read',
      'memory_recent_turns',
      'memory_save_procedure',
      'memory_relate',
      'memory_look_up',
      'memory_turn_context',
    ]);
    for (const tool of MEMORY_TOOLS) {
      expect(offeredName(tool)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.description, tool.name).toMatch(/\b[Uu]se (it|memory_)/);
      // OpenAI takes no more.
      expect(tool.description.length, tool.name).toBeLessThan(1024);
      const mentioned = tool.description.match(/memory_[a-z_]+/g) ?? [];
      expect(MEMORY_TOOLS.map(offeredName)).toEqual(expect.arrayContaining(mentioned));
      for (const [name, field] of Object.entries(tool.input.shape)) {
        expect(field.description, `${tool.name}.${name}`).toBeTruthy();
      }
    }
  });

  it('stands in the documentation, all of it', () => {
    const rows = readFileSync('docs/tools.md', 'utf8').matchAll(/^\| `(memory_[a-z_]+)` +\|/gm);
    expect([...rows].map(([, name]) => name)).toEqual(MEMORY_TOOLS.map(offeredName));
  });

  it('reads, or changes, or takes away, and says which', () => {
    const names = (isSo: (tool: (typeof MEMORY_TOOLS)[number]) => boolean): string[] =>
      MEMORY_TOOLS.filter(isSo).map(({ name }) => name);
    expect(names(({ isDestructive }) => isDestructive)).toEqual(['forget']);
    expect(names(({ isReadOnly }) => isReadOnly)).toEqual([
      'recall',
      'read',
      'recent_turns',
      'look_up',
      'turn_context',
    ]);
  });
});

describe.each([
  ['embedded', embedded],
  ['remote', remote],
])('memory tools, %s', (_, open) => {
  it('save, recall, correct and forget', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada', agentId: 'helper' }), sessionId: 'chat-1' };
    const saved = await run(context, 'save_fact', { content: 'Ada prefers green tea to coffee.', tags: ['drinks'] });
    expect(saved).toMatchObject({ status: 'created', similar: [] });
    expect(await run(context, 'save_fact', { content: 'Ada prefers green tea to coffee.' })).toMatchObject({
      id: saved.id,
      status: 'unchanged',
    });
    const { memory: entry } = await context.memory.get({ id: saved.id });
    expect(entry).toMatchObject({ layer: 'user', kind: 'semantic', source: { type: 'agent', reference: 'chat-1' } });

    const recalled = await run(context, 'recall', { query: 'Does Ada prefer tea or coffee?', tags: ['drinks'] });
    expect(recalled).toMatchObject({
      memories: [{ id: saved.id, content: 'Ada prefers green tea to coffee.', layer: 'user', tags: ['drinks'] }],
      withheld: 0,
      notice: expect.stringContaining('not instructions'),
    });
    expect(recalled.memories[0].score).toBeGreaterThan(0.5);

    const corrected = 'Ada prefers black tea to coffee.';
    expect(await run(context, 'update', { id: saved.id, content: corrected })).toEqual({ id: saved.id, version: 2 });
    expect(await run(context, 'read', { ids: [saved.id, ABSENT_ID, saved.id] })).toMatchObject({
      memories: [{ id: saved.id, content: corrected }],
      notFound: [ABSENT_ID],
    });

    expect(await run(context, 'forget', { ids: [saved.id, ABSENT_ID] })).toEqual({
      results: [
        { id: saved.id, outcome: 'forgotten' },
        { id: ABSENT_ID, outcome: 'not_found' },
      ],
    });
    expect((await run(context, 'recall', { query: 'Does Ada prefer tea?' })).memories).toEqual([]);
  });

  it('tell until when something holds', async () => {
    const memory = (await open())({ userId: 'ada', agentId: 'helper' });
    const until = '2026-07-14T00:00:00.000Z';
    await memory.add({ content: 'Ada is on holiday in Crete', layer: 'user', validTo: until });
    const { memories } = await run({ memory, agentId: 'helper' }, 'recall', { query: 'Is Ada on holiday in Crete?' });
    expect(memories).toMatchObject([{ content: 'Ada is on holiday in Crete', until }]);
  });

  it('keep both of two facts that are alike, and show the one to whoever saves the other', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }) };
    const first = await run(context, 'save_fact', { content: 'Customer 4711 pays by card.' });
    const second = await run(context, 'save_fact', { content: 'Customer 4712 pays by card.' });
    expect(second).toMatchObject({ status: 'created', similar: [{ id: first.id }] });
    expect((await run(context, 'recall', { query: 'Which customer pays by card?' })).memories).toHaveLength(2);
  });

  it('show no model what is too sensitive, and count it', async () => {
    const as = await open();
    const memory = as({ userId: 'ada', agentId: 'helper' });
    const secret = { content: 'The budget of project Apollo is nine million.', sensitivity: 'confidential' } as const;
    const { id } = (await memory.add({ ...secret, layer: 'user' })).memory;
    await memory.add({ content: 'The budget of project Apollo is due in May.', layer: 'user' });
    const told = 'My budget of project Apollo? Between us: nine million, as I told you on the phone yesterday.';
    await memory.episodic.log({ role: 'user', content: told, sensitivity: 'restricted' });
    await memory.episodic.log({ role: 'user', content: 'The budget of project Apollo worries me.' });
    const question = { query: 'the budget of project Apollo' };

    const recalled = await run({ memory }, 'recall', question);
    expect(recalled.withheld).toBe(2);
    expect(recalled.memories).toHaveLength(2);
    expect(JSON.stringify(recalled)).not.toContain('nine million');
    const read = await run({ memory }, 'read', { ids: [id] });
    expect(read).toMatchObject({ memories: [], notFound: [], withheld: 1 });
    const turns = await run({ memory }, 'recent_turns');
    expect([turns.turns.length, turns.withheld]).toEqual([1, 1]);
    const similar = await run({ memory }, 'save_fact', { content: 'The budget of project Apollo is nine million!' });
    expect(JSON.stringify(similar)).not.toContain(id);

    const trusted = { memory, maxSensitivity: 'restricted' } as const;
    expect((await run(trusted, 'recall', question)).withheld).toBe(0);
    expect((await run({ memory, maxSensitivity: 'public' }, 'recall', question)).memories).toEqual([]);
  });

  it('find what may be shown behind what says the same and may not', async () => {
    const as = await open();
    const memory = as({ userId: 'ada', agentId: 'helper' });
    const content = 'The harbour master is called Ines.';
    await memory.add({ content, layer: 'user', sensitivity: 'confidential' });
    await memory.add({ content, layer: 'company', sensitivity: 'internal' });
    const recalled = await run({ memory }, 'recall', { query: 'What is the harbour master called?' });
    expect(recalled).toMatchObject({ memories: [{ content, layer: 'company' }], withheld: 1 });
  });

  it('read recent turns in their order, of an agent that only the context names', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }), agentId: 'helper', sessionId: 'chat-2' };
    const say = (sessionId: string, content: string): Promise<unknown> =>
      context.memory.episodic.log({ agentId: 'helper', sessionId, role: 'user', content });
    await say('chat-1', 'Let us talk about gardens.');
    await say('chat-2', 'Roses need pruning in spring.');
    await context.memory.episodic.log({ agentId: 'other', role: 'user', content: 'Roses are expensive.' });
    const contents = async (input: object): Promise<string[]> =>
      (await run(context, 'recent_turns', input)).turns.map((turn: { content: string }) => turn.content);
    expect(await contents({})).toEqual(['Let us talk about gardens.', 'Roses need pruning in spring.']);
    expect(await contents({ limit: 1 })).toEqual(['Roses need pruning in spring.']);
    expect(await contents({ thisConversation: true })).toEqual(['Roses need pruning in spring.']);
    expect(await contents({ before: '2020-01-01T00:00:00Z' })).toEqual([]);
    const nameless = { ...context, sessionId: undefined };
    expect((await refusal(run(nameless, 'recent_turns', { thisConversation: true }))).code).toBe('VALIDATION_FAILED');

    const found = await run(context, 'recall', { query: 'When do roses need pruning?', kinds: ['episodic'] });
    expect(found.memories).toMatchObject([{ content: 'Roses need pruning in spring.', role: 'user', layer: 'agent' }]);
  });

  it('save procedures, which recall finds by their trigger', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }), agentId: 'helper' };
    const rule = { content: 'Answer in three bullet points.', trigger: 'The user asks for a summary of a meeting' };
    const { id } = await run(context, 'save_procedure', rule);
    const { procedures } = await context.memory.procedural.list({ agentId: 'helper' });
    expect(procedures).toMatchObject([
      { id, content: rule.content, triggerCondition: rule.trigger, procedureType: 'system_prompt' },
    ]);
    const found = await run(context, 'recall', { query: 'a summary of a meeting', kinds: ['procedural'] });
    expect(found.memories).toMatchObject([{ id, kind: 'procedural', content: rule.content }]);
    const nobody = { memory: context.memory };
    expect((await refusal(run(nobody, 'save_procedure', rule))).code).toBe('MISSING_IDENTIFIER');
  });

  it('relate things, replace what can hold only once, and end what is over', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }) };
    const lives = (object: string): object => ({ subject: 'Ada', predicate: 'lives_in', object, replaces: true });
    const berlin = await run(context, 'relate', lives('Berlin'));
    const munich = await run(context, 'relate', lives('Munich'));
    expect(munich).toMatchObject({ status: 'created', ended: [{ id: berlin.id, object: 'Berlin' }] });
    await run(context, 'relate', { subject: 'Bob', predicate: 'knows', object: 'Ada' });
    const looked = await run(context, 'look_up', { name: 'Ada' });
    expect(looked.isComplete).toBe(true);
    const said = looked.relations.map((one: Answer) => [one.subject, one.predicate, one.object].join(' '));
    expect(said.toSorted()).toEqual(['Ada lives_in Munich', 'Bob knows Ada']);
    expect((await run(context, 'look_up', { name: 'Ada', predicate: 'knows' })).relations).toHaveLength(1);
    expect((await run(context, 'look_up', { name: 'Ada', limit: 1 })).isComplete).toBe(false);
    expect((await run(context, 'look_up', { name: 'ada' })).relations).toEqual(looked.relations);
    expect(await run(context, 'look_up', { name: 'adah' })).toMatchObject({ relations: [], isComplete: true });

    const over = { subject: 'Bob', predicate: 'knows', object: 'Ada', until: new Date().toISOString() };
    expect(await run(context, 'relate', over)).toMatchObject({ status: 'updated', ended: [{ object: 'Ada' }] });
    expect((await refusal(run(context, 'relate', over))).message).toContain('memory_look_up');
    expect(await run(context, 'forget', { ids: [munich.id] })).toMatchObject({ results: [{ outcome: 'forgotten' }] });
    expect((await run(context, 'look_up', { name: 'Ada' })).relations).toEqual([]);
  });

  it('give the context of a turn, framed, within its budget', async () => {
    const as = await open();
    const memory = as({ userId: 'ada', agentId: 'helper' });
    const message = 'Does Ada prefer green tea or coffee?';
    expect(await run({ memory }, 'turn_context', { message })).toEqual({
      context: '',
      tokens: 0,
      leftOut: 0,
      withheld: 0,
    });
    await memory.add({ content: 'Ada prefers green tea to coffee.', layer: 'user' });
    await memory.add({ content: 'Ada prefers green tea, says her doctor.', layer: 'user', sensitivity: 'restricted' });
    const built = await run({ memory }, 'turn_context', { message });
    expect(built).toMatchObject({ context: expect.stringMatching(/^\[Relevant Memory\]/), leftOut: 0, withheld: 1 });
    expect(built.context).toContain('Ada prefers green tea to coffee.');
    expect(built.context).not.toContain('doctor');
    expect(built.context).not.toContain(message);
    await memory.episodic.log({
      agentId: 'helper',
      role: 'user',
      content: 'Today I prefer green tea or coffee to milk',
    });
    const said = await run({ memory }, 'turn_context', { message, kinds: ['episodic'] });
    expect(said.context).toMatch(/^- \d{4}-\d\d-\d\d, user: Today I prefer green tea or coffee to milk$/m);
    expect(said.context).not.toContain('Ada');
    const towns = ['Aachen', 'Bremen', 'Celle', 'Dresden', 'Essen', 'Fulda', 'Gotha', 'Halle', 'Ilmenau', 'Jena'];
    const notes = towns.map(
      (town) => `In ${town}, unlike ${[...town].toReversed().join('')}, Ada may prefer green tea or coffee.`,
    );
    await memory.addMany(notes.map((content) => ({ content, layer: 'user' })));
    const short = await run({ memory }, 'turn_context', { message, tokenBudget: 100 });
    expect(short.tokens).toBeLessThanOrEqual(100);
    expect(short.leftOut).toBeGreaterThan(0);
  });

  it('reach what the context opens, and nothing else', async () => {
    const as = await open();
    const ada = { memory: as({ userId: 'ada' }), identifiers: { userId: 'ada', projectId: 'apollo' } };
    const bob = { memory: as({ userId: 'bob' }) };
    const shared = await run(ada, 'save_fact', { content: 'Apollo ships on Friday the 5th.', layer: 'project' });
    const secret = await run(ada, 'save_fact', { content: 'Apollo ships late, Ada fears.' });
    const question = { query: 'When does Apollo ship?' };
    expect((await run(ada, 'recall', question)).memories).toHaveLength(2);
    expect((await run(ada, 'recall', { ...question, layers: ['project'] })).memories).toMatchObject([
      { id: shared.id },
    ]);
    expect((await run(bob, 'recall', question)).memories).toEqual([]);
    expect((await run({ ...bob, identifiers: { userId: 'ada' } }, 'recall', question)).memories).toEqual([]);

    expect(await refusal(run(bob, 'save_fact', { content: 'x', layer: 'project' }))).toMatchObject({
      code: 'MISSING_IDENTIFIER',
      message: expect.stringContaining('projectId'),
    });
    const forged = { ...bob, identifiers: { userId: 'ada' } };
    expect((await refusal(run(forged, 'save_fact', { content: 'x' }))).code).toBe('FORBIDDEN');
    expect(await run(bob, 'forget', { ids: [secret.id] })).toMatchObject({ results: [{ outcome: 'not_found' }] });
    expect((await refusal(run(bob, 'update', { id: secret.id, content: 'x' }))).code).toBe('MEMORY_NOT_FOUND');
    expect((await run(bob, 'read', { ids: [secret.id] })).notFound).toEqual([secret.id]);
    const elsewhere = { memory: as({ userId: 'ada', tenantId: '7f000000-0000-4000-8000-000000000001' }) };
    expect((await run(elsewhere, 'recall', question)).memories).toEqual([]);
  });

  it('reach by an id no further than what the context opens', async () => {
    const as = await open();
    const ada = { memory: as({ userId: 'ada' }), identifiers: { userId: 'ada', projectId: 'apollo' } };
    const { id } = await run(ada, 'save_fact', { content: 'Apollo ships on Friday.', layer: 'project' });
    const related = { subject: 'Apollo', predicate: 'ships_on', object: 'Friday', layer: 'project' };
    const relation = await run(ada, 'relate', related);
    const shared = (await ada.memory.add({ content: 'Ada plays chess.', layer: 'user', visibility: 'shared' })).memory;
    const acme = { memory: ada.memory, identifiers: { userId: 'ada', companyId: 'acme' } };
    const rule = await run(acme, 'save_fact', { content: 'Acme closes at six.', layer: 'company' });
    const memory = as({ userId: 'bob' });
    const beta = { memory, identifiers: { userId: 'bob', projectId: 'beta' } };
    for (const bob of [{ memory }, beta]) {
      for (const closed of [id, shared.id, rule.id]) {
        expect((await run(bob, 'read', { ids: [closed] })).notFound).toEqual([closed]);
        expect((await refusal(run(bob, 'update', { id: closed, content: 'x' }))).code).toBe('MEMORY_NOT_FOUND');
        expect((await run(bob, 'forget', { ids: [closed] })).results).toEqual([{ id: closed, outcome: 'not_found' }]);
      }
      expect((await run(bob, 'forget', { ids: [relation.id] })).results).toMatchObject([{ outcome: 'not_found' }]);
    }
    const own = (await memory.add({ content: 'Bob plays go.', layer: 'user', visibility: 'shared' })).memory;
    const common = await run({ memory }, 'save_fact', { content: 'We close at five.', layer: 'company' });
    const turn = await memory.episodic.log({ agentId: 'helper', role: 'user', content: 'Hello' });
    expect((await run({ memory }, 'read', { ids: [own.id, common.id, turn.id] })).notFound).toEqual([]);
    expect((await run({ memory, agentId: 'other' }, 'read', { ids: [turn.id] })).notFound).toEqual([turn.id]);
    expect(await run(ada, 'update', { id, content: 'Apollo ships on Monday.' })).toEqual({ id, version: 2 });
    expect((await run(ada, 'forget', { ids: [id, relation.id] })).results).toMatchObject([
      { outcome: 'forgotten' },
      { outcome: 'forgotten' },
    ]);
  });

  it('change nothing that a model may not be shown, and make nothing less sensitive', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }) };
    const content = 'The code of the safe is in the blue book.';
    const secret = { content, sensitivity: 'confidential' };
    const { id } = await run(context, 'save_fact', { ...secret, tags: ['safe'] });
    const soon = new Date(Date.now() + 60_000).toISOString();
    for (const blind of [
      { content, sensitivity: 'public' },
      { content, tags: ['open'], importance: 0, expiresAt: soon },
    ]) {
      expect(await run(context, 'save_fact', blind)).toMatchObject({ id, status: 'unchanged' });
    }
    expect((await refusal(run(context, 'update', { id, content: 'x' }))).code).toBe('FORBIDDEN');
    expect(await run(context, 'forget', { ids: [id] })).toMatchObject({ results: [{ outcome: 'refused' }] });
    const { memory: kept } = await context.memory.get({ id });
    expect(kept).toMatchObject({ content, sensitivity: 'confidential', tags: ['safe'], version: 1 });
    expect(kept).not.toHaveProperty('expiresAt');
    expect((await run(context, 'recall', { query: 'the code of the safe' })).memories).toEqual([]);

    // Closer it may be kept, and whoever is trusted may change it, but not make it public by saying it again.
    expect(await run(context, 'save_fact', { content, sensitivity: 'restricted' })).toMatchObject({
      status: 'updated',
    });
    const trusted = { ...context, maxSensitivity: 'restricted' } as const;
    await run(trusted, 'save_fact', { content, sensitivity: 'public', tags: ['vault'] });
    expect((await context.memory.get({ id })).memory).toMatchObject({ sensitivity: 'restricted', tags: ['vault'] });
    // A program may, as ever.
    await context.memory.add({ content, layer: 'user', sensitivity: 'internal' });
    expect((await context.memory.get({ id })).memory).toMatchObject({ sensitivity: 'internal' });
  });

  it('end a relation in every layer, also before it was remembered, but not before it is said to have begun', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }), identifiers: { userId: 'ada', projectId: 'apollo' } };
    const works = { subject: 'Ada', predicate: 'works_at', object: 'Acme' };
    await run(context, 'relate', works);
    await run(context, 'relate', { ...works, layer: 'project' });
    const lastMonth = new Date(Date.now() - 30 * 86_400_000).toISOString();
    expect((await run(context, 'relate', { ...works, until: lastMonth })).ended).toHaveLength(2);
    expect((await run(context, 'look_up', { name: 'Ada' })).relations).toEqual([]);

    const lives = { subject: 'Ada', predicate: 'lives_in', object: 'Berlin', since: '2020-01-01T00:00:00Z' };
    const { id } = await run(context, 'relate', lives);
    const ended = { ...lives, since: undefined, until: '2019-01-01T00:00:00Z' };
    const { code, message } = await refusal(run(context, 'relate', ended));
    expect([code, message]).toEqual(['VALIDATION_FAILED', expect.stringMatching(/^until: .*2020-01-01/)]);
    expect((await refusal(run(context, 'relate', { ...lives, until: '2019-01-01T00:00:00Z' }))).message).toContain(
      'until: before since',
    );
    expect((await run(context, 'look_up', { name: 'Ada' })).relations).toMatchObject([{ id }]);
  });

  it('name in their refusals what a model can change', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada', agentId: 'helper' }) };
    const relation = { subject: 'Ada', predicate: 'works_at', object: 'Acme' };
    expect((await refusal(run(context, 'relate', { ...relation, since: 'yesterday' }))).message).toContain(
      'since: no ',
    );
    expect((await refusal(run(context, 'relate', { ...relation, until: 'today' }))).message).toContain('until: no ');
    expect((await refusal(run(context, 'recent_turns', { before: 'x' }))).message).toContain('before: no ');
    const over = { content: 'Ada is on holiday.', expiresAt: '2020-01-01T00:00:00Z' };
    expect(await refusal(run(context, 'save_fact', over))).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('expiresAt'),
    });
    expect((await context.memory.list({ layer: 'user' })).totalCount).toBe(0);

    const tea = await run(context, 'save_fact', { content: 'Ada likes tea.' });
    const coffee = await run(context, 'save_fact', { content: 'Ada likes coffee.' });
    const thrown = await run(context, 'update', { id: coffee.id, content: 'Ada likes tea.' }).catch((e: unknown) => e);
    expect(thrown).toMatchObject({ code: 'VERSION_CONFLICT', advice: expect.stringContaining('memory_forget') });
    expect((thrown as LaminaError).message).toContain(tea.id);
    const closed = await run(context, 'recall', { query: 'x', layers: ['team'] }).catch((e: unknown) => e);
    expect(closed).toMatchObject({
      code: 'MISSING_IDENTIFIER',
      message: expect.stringMatching(/^The team layer is not/),
    });
    expect((closed as LaminaError).advice).toMatch(/^Leave the layer out/);
  });

  it('cut what is long, and read it in full', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada' }) };
    const content = `The minutes of the garden club: ${'🌱 roses '.repeat(400)}end.`;
    const { id } = (await context.memory.add({ content, layer: 'user' })).memory;
    const { memories } = await run(context, 'recall', { query: 'the minutes of the garden club' });
    expect(memories).toMatchObject([{ id, isCut: true }]);
    expect(memories[0].content.length).toBeLessThanOrEqual(1000);
    expect(memories[0].content.isWellFormed()).toBe(true);
    expect((await run(context, 'read', { ids: [id] })).memories).toMatchObject([{ content }]);
  });

  it('tell a model what is wrong with its input, and change nothing', async () => {
    const as = await open();
    const context = { memory: as({ userId: 'ada', agentId: 'helper' }) };
    const { id } = await run(context, 'save_fact', { content: 'Ada has a cat.' });
    const wrong: [string, object, RegExp][] = [
      ['save_fact', {}, /content/],
      ['save_fact', { content: '   ' }, /content/],
      ['save_fact', { content: 'x', importance: 7 }, /importance/],
      ['save_fact', { content: 'x', expiresAt: 'tomorrow' }, /expiresAt/],
      ['save_fact', { content: 'x', userId: 'bob' }, /userId/],
      ['save_fact', { content: 'x', layer: 'planet' }, /layer/i],
      ['recall', { query: '' }, /query/],
      ['recall', { query: 'x', limit: 1000 }, /limit/],
      ['recall', { query: 'x', asOf: 'yesterday' }, /asOf/],
      ['forget', {}, /ids/],
      ['forget', { ids: [] }, /ids/],
      ['forget', { ids: [id, 'the cat'] }, /no id/],
      ['forget', { ids: Array.from({ length: 11 }, () => id) }, /ids/],
      ['forget', { query: 'everything' }, /query/],
      ['update', { id: 'the cat', content: 'x' }, /no id/],
      ['read', { ids: Array.from({ length: 6 }, () => id) }, /ids/],
      ['relate', { subject: 'Ada', predicate: 'has' }, /object/],
      ['look_up', { name: '' }, /name/],
    ];
    for (const [name, input, told] of wrong) {
      const { code, message } = await refusal(run(context, name, input));
      expect(['VALIDATION_FAILED', 'INVALID_LAYER'], `${name} ${JSON.stringify(input)}`).toContain(code);
      expect(message).toMatch(told);
    }
    expect((await context.memory.list({ layer: 'user' })).totalCount).toBe(1);
  });
});
