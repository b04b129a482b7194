/** A knowledge graph in memory: what else finds it, whose it is, what is refused, and how much of it is read. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import type { Memory } from '../src/operations/memory.ts';
import { openNodes, readGraph, searchNodes } from '../src/tools/graph-reads.ts';
import { graphOutputSchema } from '../src/tools/graph-schemas.ts';
import { ADA, call, DESIGNED, ENGINE, output, PROGRAMMED } from './graph-caller.ts';
import { inOrder } from './reference-memory.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

let opened: OpenLamina;
let users = 0;

beforeAll(async () => {
  opened = await openLamina();
});

afterAll(() => opened.close());

/** Memory of a user whom nobody knew before. */
function newMemory(): Memory {
  users += 1;
  return opened.lamina.as({ userId: `user ${users}` });
}

describe('what is in the graph', () => {
  it('is found by every other door, and is gone from all of them when it is deleted', async () => {
    const memory = newMemory();
    const context = { memory };
    await output(context, 'create_entities', { entities: [ADA, ENGINE] });
    await output(context, 'create_relations', { relations: [PROGRAMMED] });
    const { results } = await memory.search({ query: 'Does Ada like tea?', threshold: 0 });
    expect(results.map((each) => each.memory.content)).toContain('Ada: Likes tea');
    const { context: block } = await memory.turnContext({ message: 'Does Ada like tea?', threshold: 0 });
    expect(block).toContain('Ada: Likes tea');
    const { facts } = await memory.facts.list({ subject: 'Ada' });
    expect(facts.map(({ predicate, object }) => `${predicate} ${object}`).toSorted()).toEqual([
      'is_a person',
      'programmed Analytical Engine',
    ]);
    const { nodes } = await memory.facts.neighbours({ subject: 'person', hops: 2 });
    expect(nodes.map(({ node }) => node)).toEqual(['Ada', 'Analytical Engine']);

    // What somebody put away, or ended, goes too.
    const archived = (await memory.list({ layer: 'user' })).memories.find(({ content }) => content.includes('tea'));
    await memory.archive({ id: archived?.id ?? '' });
    expect(await output(context, 'open_nodes', { names: ['Ada'] })).toMatchObject({
      entities: [{ observations: ['Wrote the first program'] }],
    });
    const ended = facts.find(({ predicate }) => predicate === 'programmed');
    await memory.facts.update({ factId: ended?.factId ?? '', validTo: new Date().toISOString() });
    expect((await output(context, 'read_graph')).relations).toEqual([]);

    await output(context, 'delete_entities', { entityNames: ['Ada'] });
    const left = await memory.list({ layer: 'user', status: 'all' });
    expect(left.memories.map(({ content }) => content)).toEqual(['Analytical Engine: Was never built']);
    const known = await memory.facts.list({ includeClosed: true });
    expect(known.facts.map(({ subject }) => subject)).toEqual(['Analytical Engine']);
    const again = await memory.search({ query: 'Ada likes tea', threshold: 0, includeArchived: true });
    expect(again.results.filter((each) => each.memory.content.includes('Ada'))).toEqual([]);
  });

  it('is found by words in another order, and by words of different observations, the best first', async () => {
    const context = { memory: newMemory() };
    const others = Array.from({ length: 20 }, (_, n) => ({
      name: `Somebody ${n}`,
      entityType: 'person',
      observations: [`Has the number ${n}`],
    }));
    await output(context, 'create_entities', { entities: [...others, ADA] });
    const { entities } = await output(context, 'search_nodes', { query: 'the first program: who wrote it' });
    expect(entities[0]).toEqual(ADA);
    expect(entities.length).toBeLessThan(10);
    // A search cannot take it, and what cannot be there is not found.
    expect(await output(context, 'search_nodes', { query: 'x'.repeat(10_000) })).toEqual({
      entities: [],
      relations: [],
    });
  });

  it('is changed by other doors as well', async () => {
    const memory = newMemory();
    const context = { memory };
    await output(context, 'create_entities', { entities: [ADA] });
    const tea = (await memory.list({ layer: 'user' })).memories.find(({ content }) => content.includes('tea'));
    await memory.update({ id: tea?.id ?? '', content: 'Ada: Likes green tea' });
    expect((await output(context, 'open_nodes', { names: ['Ada'] })).entities).toEqual([
      { ...ADA, observations: ['Likes green tea', 'Wrote the first program'] },
    ]);
  });

  it('leaves alone what somebody remembered in the same words', async () => {
    const memory = newMemory();
    const context = { memory };
    const { memory: own } = await memory.add({ layer: 'user', content: 'Ada: Likes tea', tags: ['mine'] });
    await output(context, 'create_entities', { entities: [ADA] });
    const addition = { observations: [{ entityName: 'Ada', contents: ['Likes tea', 'Born in 1815'] }] };
    expect(await output(context, 'add_observations', addition)).toEqual({
      results: [{ entityName: 'Ada', addedObservations: ['Born in 1815'] }],
    });
    expect((await memory.get({ id: own.id })).memory).toEqual(own);
    await output(context, 'delete_entities', { entityNames: ['Ada'] });
    expect((await memory.list({ layer: 'user' })).memories).toEqual([own]);
  });

  it('is the same twice in one call only once', async () => {
    const context = { memory: newMemory() };
    const entities = [
      { ...ADA, observations: ['x', 'x'] },
      { ...ADA, entityType: 'other' },
    ];
    expect(await output(context, 'create_entities', { entities })).toEqual({
      entities: [{ ...ADA, observations: ['x'] }],
    });
    expect(await output(context, 'create_relations', { relations: [DESIGNED, DESIGNED] })).toEqual({
      relations: [DESIGNED],
    });
    const observations = [
      { entityName: 'Ada', contents: ['y', 'x', 'y'] },
      { entityName: 'Ada', contents: ['z', 'y'] },
    ];
    expect(await output(context, 'add_observations', { observations })).toEqual({
      results: [
        { entityName: 'Ada', addedObservations: ['y'] },
        { entityName: 'Ada', addedObservations: ['z'] },
      ],
    });
    expect(await output(context, 'read_graph')).toEqual({
      entities: [{ ...ADA, observations: ['x', 'y', 'z'] }],
      relations: [DESIGNED],
    });
  });

  it('is not told to a model that may not know it, nor found by it', async () => {
    const memory = newMemory();
    await output({ memory }, 'create_entities', { entities: [ADA] });
    const tea = (await memory.list({ layer: 'user' })).memories.find(({ content }) => content.includes('tea'));
    await memory.update({ id: tea?.id ?? '', sensitivity: 'confidential' });
    const { entities, notice } = await output({ memory }, 'read_graph');
    expect(entities).toEqual([{ ...ADA, observations: ['Wrote the first program'] }]);
    expect(notice).toBe('Observations that are too sensitive to be shown: 1.');
    expect((await output({ memory }, 'search_nodes', { query: 'Likes tea' })).entities).toEqual([]);
    const deletions = [{ entityName: 'Ada', observations: ['Likes tea'] }];
    await output({ memory }, 'delete_observations', { deletions });
    expect(await call({ memory }, 'delete_entities', { entityNames: ['Ada'] })).toEqual({
      failure: expect.stringContaining('too sensitive'),
    });
    const trusted = { memory, maxSensitivity: 'confidential' } as const;
    expect((await output(trusted, 'search_nodes', { query: 'Likes tea' })).entities).toEqual([ADA]);
    await output(trusted, 'delete_entities', { entityNames: ['Ada'] });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });
});

describe('whose graph it is', () => {
  it('is the user, unless the context names a group', async () => {
    const [ada, bob] = [opened.lamina.as({ userId: 'ada' }), opened.lamina.as({ userId: 'bob', agentId: 'helper' })];
    const own = { entities: [ADA], relations: [] };
    await output({ memory: ada }, 'create_entities', { entities: [ADA] });
    for (const name of ['Ada', 'person', 'Likes tea', '']) {
      const found = await output({ memory: bob }, 'search_nodes', { query: name });
      expect(found).toEqual({ entities: [], relations: [] });
    }
    expect(await output({ memory: bob }, 'open_nodes', { names: ['Ada'] })).toEqual({ entities: [], relations: [] });
    const nobody = await call({ memory: bob }, 'add_observations', {
      observations: [{ entityName: 'Ada', contents: ['Mine now'] }],
    });
    expect(nobody).toEqual({ failure: 'Entity with name Ada not found' });
    await output({ memory: bob }, 'create_entities', { entities: [{ ...ADA, entityType: 'dog', observations: [] }] });
    await output({ memory: bob }, 'delete_entities', { entityNames: ['Ada'] });
    expect(await output({ memory: ada }, 'read_graph')).toEqual(own);
    // Naming another user opens nothing.
    const named = { memory: bob, identifiers: { userId: 'ada' } };
    expect(await output(named, 'read_graph')).toEqual({ entities: [], relations: [] });
    expect(await call(named, 'create_entities', { entities: [ENGINE] })).toMatchObject({
      failure: expect.stringContaining('belongs to the user it names'),
    });
    await output(named, 'delete_entities', { entityNames: ['Ada'] });
    expect(await output({ memory: ada }, 'read_graph')).toEqual(own);
  });

  it("is shared in a project, apart from other projects and from each one's own", async () => {
    const [ada, bob] = [opened.lamina.as({ userId: 'a1' }), opened.lamina.as({ userId: 'b1' })];
    const apollo = { userId: 'a1', agentId: 'x', projectId: 'apollo' };
    await output({ memory: ada, identifiers: apollo }, 'create_entities', { entities: [ADA] });
    const shared = { memory: bob, identifiers: { userId: 'b1', projectId: 'apollo', companyId: 'c' } };
    expect((await output(shared, 'read_graph')).entities).toEqual([ADA]);
    await output(shared, 'add_observations', { observations: [{ entityName: 'Ada', contents: ['From Bob'] }] });
    expect((await output({ memory: ada, identifiers: apollo }, 'open_nodes', { names: ['Ada'] })).entities).toEqual([
      { ...ADA, observations: [...ADA.observations, 'From Bob'] },
    ]);
    const elsewhere = [{ userId: 'b1' }, { projectId: 'gemini' }, { companyId: 'c' }, undefined];
    for (const identifiers of elsewhere) {
      expect((await output({ memory: bob, identifiers }, 'read_graph')).entities).toEqual([]);
    }
    const other = opened.lamina.as({ userId: 'b1', tenantId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88' });
    expect((await output({ memory: other, identifiers: shared.identifiers }, 'read_graph')).entities).toEqual([]);
    await output(shared, 'delete_entities', { entityNames: ['Ada'] });
    expect((await output({ memory: ada, identifiers: apollo }, 'read_graph')).entities).toEqual([]);
  });
});

describe('bad input', () => {
  it.each([
    ['create_entities', {}, 'entities'],
    ['create_entities', { entities: [{ ...ADA, name: '' }] }, 'entities.0.name'],
    ['create_entities', { entities: [ADA, { ...ENGINE, entityType: '' }] }, 'entities.1.entityType'],
    ['create_entities', { entities: [ADA, { ...ENGINE, name: 'n'.repeat(1025) }] }, 'entities.1.name'],
    ['create_entities', { entities: [ADA, { ...ENGINE, observations: ['a\0b'] }] }, 'NUL'],
    ['create_entities', { entities: [ADA, { ...ENGINE, observations: ['\uD800'] }] }, 'lone surrogate'],
    ['create_entities', { entities: [ADA, { ...ENGINE, observations: ['x'.repeat(40_000)] }] }, 'the limit is 32768'],
    ['create_relations', { relations: [DESIGNED, { ...DESIGNED, to: '' }] }, 'relations.1.to'],
    ['add_observations', { observations: [{ entityName: 'Ada', contents: 'x' }] }, 'observations.0.contents'],
    ['search_nodes', {}, 'query'],
    ['open_nodes', { names: 'Ada' }, 'names'],
    ['delete_entities', { entityNames: [null] }, 'entityNames.0'],
  ])('%s refuses %#, and nothing is written', async (name, input, complaint) => {
    const memory = newMemory();
    const answer = await call({ memory }, name, input);
    expect(answer).toEqual({ failure: expect.stringContaining(complaint) });
    expect(await output({ memory }, 'read_graph')).toEqual({ entities: [], relations: [] });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });

  it('what cannot be embedded is not created, also not the part before it', async () => {
    const { lamina, embedder } = untilTestEnds(await openLamina());
    const memory = lamina.as({ userId: 'u' });
    const observations = Array.from({ length: 250 }, (_, n) => `Statement ${n}`);
    const entities = [ADA, { ...ENGINE, observations: [...observations, 'x'.repeat(40_000)] }];
    expect(await call({ memory }, 'create_entities', { entities })).toHaveProperty('failure');
    expect((await memory.list({ layer: 'user', status: 'all' })).totalCount).toBe(0);
    await output({ memory }, 'create_entities', { entities: [ADA] });
    embedder.fail = true;
    expect(await call({ memory }, 'create_entities', { entities: [ENGINE] })).toHaveProperty('failure');
    const more = { observations: [{ entityName: 'Ada', contents: ['New'] }] };
    expect(await call({ memory }, 'add_observations', more)).toHaveProperty('failure');
    embedder.fail = false;
    expect((await output({ memory }, 'read_graph')).entities).toEqual([ADA]);
    // The same call again does all of it.
    const retried = { ...ENGINE, observations };
    expect((await output({ memory }, 'create_entities', { entities: [retried] })).entities).toEqual([retried]);
    expect((await output({ memory }, 'open_nodes', { names: [ENGINE.name] })).entities).toEqual([retried]);
  });

  it('what a process left that was stopped in the middle is not in the graph, and goes with the entity', async () => {
    // What is young may be somebody's who is still at it.
    const clock = { ...systemClock, now: () => Date.now() - 2 * 60 * 60_000 };
    const { lamina } = untilTestEnds(await openLamina({ clock }));
    const memory = lamina.as({ userId: 'u' });
    const left = {
      tags: ['knowledge-graph', 'entity:01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88'],
      metadata: { entity: 'Ada' },
    };
    await memory.add({ layer: 'user', content: 'Ada: Likes tea', externalId: 'left', ...left });
    expect((await output({ memory }, 'search_nodes', { query: 'Likes tea' })).entities).toEqual([]);
    expect((await output({ memory }, 'create_entities', { entities: [ADA] })).entities).toEqual([ADA]);
    expect((await output({ memory }, 'read_graph')).entities).toEqual([ADA]);
    await output({ memory }, 'delete_entities', { entityNames: ['Ada'] });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });
});

describe('a large graph', () => {
  const LIMIT = 60;
  const EMPTY = { entities: [], relations: [] };

  it('is read as far as it goes, the newest first of all, and says so', async () => {
    const context = { memory: newMemory() };
    const hub = { ...ADA, name: 'Hub', observations: ['The first'] };
    const others = Array.from({ length: 130 }, (_, n) => ({
      name: `Other ${n}`,
      entityType: 'thing',
      observations: [`Has the number ${n}`],
    }));
    await output(context, 'create_entities', { entities: [hub, ...others] });
    const relations = others.map(({ name }) => ({ from: 'Hub', to: name, relationType: 'has' }));
    await output(context, 'create_relations', { relations });

    const whole = await readGraph(context, LIMIT);
    expect(whole.entities).toEqual(others.slice(-LIMIT));
    expect(whole.relations).toEqual(relations.slice(-LIMIT));
    expect(whole.notice).toContain(`only the newest ${LIMIT} entities`);
    expect(graphOutputSchema.strict().parse(whole)).toEqual(whole);
    const hubOnly = await openNodes(context, ['Hub'], LIMIT);
    expect(hubOnly).toEqual({ entities: [hub], relations: relations.slice(-LIMIT), notice: whole.notice });
    // What is too old to be listed is still found by its words, and by its name.
    const found = await searchNodes(context, 'the first', LIMIT);
    expect([found.entities[0], found.notice]).toEqual([hub, whole.notice]);
    const few = await openNodes(context, ['Other 7'], LIMIT);
    expect(few).toEqual({ entities: [others[7]], relations: [relations[7]] });

    expect(await readGraph(context)).toEqual({ entities: [hub, ...others], relations });
    const all = await output(context, 'search_nodes', { query: 'NUMBER' });
    expect(inOrder(all)).toEqual(inOrder({ entities: others, relations }));
    await output(context, 'delete_entities', { entityNames: others.map(({ name }) => name) });
    expect(await output(context, 'read_graph')).toEqual({ entities: [hub], relations: [] });
    await output(context, 'delete_entities', { entityNames: ['Hub'] });
    expect(await output(context, 'read_graph')).toEqual(EMPTY);
  });

  it('is told from what else is remembered, however much that is', async () => {
    const memory = newMemory();
    const observations = Array.from({ length: 130 }, (_, n) => `Number ${n}`);
    await memory.addMany(Array.from({ length: 300 }, (_, n) => ({ layer: 'user', content: `Something else ${n}` })));
    await memory.add({ layer: 'user', content: 'Ada: Likes tea', tags: ['entity:x'], metadata: { entity: 'Ada' } });
    await output({ memory }, 'create_entities', { entities: [{ ...ADA, observations }] });
    expect(await output({ memory }, 'read_graph')).toEqual({ entities: [{ ...ADA, observations }], relations: [] });
    expect(await output({ memory }, 'search_nodes', { query: 'something else' })).toEqual(EMPTY);
  });
});
