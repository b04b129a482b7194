/** The tools of the reference MCP memory server, compared with that server itself; and what it does not promise. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/lamina-client.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openNodes, readGraph, searchNodes } from '../src/tools/graph-reads.ts';
import { graphOutputSchema, type GraphOutput } from '../src/tools/graph-schemas.ts';
import { GRAPH_TOOLS } from '../src/tools/graph-tools.ts';
import { runTool, type ToolContext } from '../src/tools/memory-tool.ts';
import { connectStdio } from './mcp-caller.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { callBy, inOrder, ReferenceMemory, type Answer } from './reference-memory.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

const WRITER = fileURLToPath(new URL('graph-writer.ts', import.meta.url));

let reference: ReferenceMemory;
let opened: OpenLamina;
let users = 0;

beforeAll(async () => {
  [reference, opened] = await Promise.all([ReferenceMemory.start(), openLamina()]);
});

afterAll(async () => {
  await Promise.all([reference.close(), opened.close()]);
});

/** Memory of a user whom nobody knew before. */
function newMemory(): Memory {
  users += 1;
  return opened.lamina.as({ userId: `user ${users}` });
}

async function call(context: ToolContext, name: string, input: object): Promise<Answer> {
  const tool = GRAPH_TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  try {
    const output = await runTool(tool, context, input);
    expect(tool.output.strict().safeParse(output)).toMatchObject({ success: true });
    return { output, text: tool.text(output as never) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** What must not fail. */
async function output<Output = GraphOutput>(context: ToolContext, name: string, input: object = {}): Promise<Output> {
  const answer = await call(context, name, input);
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.output as Output;
}

const ADA = { name: 'Ada', entityType: 'person', observations: ['Likes tea', 'Wrote the first program'] };
const BABBAGE = { name: 'Charles Babbage', entityType: 'person', observations: [] };
const ENGINE = { name: 'Analytical Engine', entityType: 'machine', observations: ['Was never built'] };
const DESIGNED = { from: BABBAGE.name, to: ENGINE.name, relationType: 'designed' };
const PROGRAMMED = { from: ADA.name, to: ENGINE.name, relationType: 'programmed' };

/** A life of a graph in which every tool is used, with what is there already and what is not. */
const LIFE: readonly (readonly [string, object])[] = [
  ['read_graph', {}],
  ['search_nodes', { query: 'anything' }],
  ['open_nodes', { names: ['Nobody'] }],
  ['create_entities', { entities: [] }],
  ['create_entities', { entities: [ADA, BABBAGE] }],
  ['create_entities', { entities: [{ ...ADA, entityType: 'countess', observations: ['Ignored'] }, ENGINE] }],
  ['create_relations', { relations: [] }],
  ['create_relations', { relations: [DESIGNED] }],
  ['create_relations', { relations: [DESIGNED, PROGRAMMED] }],
  ['create_relations', { relations: [{ from: 'Nobody', to: 'Nothing', relationType: 'is' }] }],
  ['add_observations', { observations: [] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['Likes tea', 'Born in 1815'] }] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: [] }] }],
  [
    'add_observations',
    {
      observations: [
        { entityName: 'Ada', contents: ['Lost'] },
        { entityName: 'Nobody', contents: ['Lost'] },
      ],
    },
  ],
  ['read_graph', {}],
  ['open_nodes', { names: [] }],
  ['open_nodes', { names: ['Ada', 'Ada', 'Nobody'] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['Likes tea', 'Never said'] }] }],
  ['delete_observations', { deletions: [{ entityName: 'Nobody', observations: ['Never said'] }] }],
  ['delete_relations', { relations: [DESIGNED, { ...PROGRAMMED, relationType: 'painted' }] }],
  ['read_graph', {}],
  ['delete_entities', { entityNames: ['Ada', 'Nobody'] }],
  ['delete_entities', { entityNames: [] }],
  ['read_graph', {}],
  ['create_entities', { entities: [ADA] }],
  ['read_graph', {}],
];

async function compareLife(callOurs: (name: string, input: object) => Promise<Answer>): Promise<void> {
  await reference.empty();
  for (const [name, input] of LIFE) {
    const [theirs, ours] = await Promise.all([reference.call(name, input), callOurs(name, input)]);
    // To the letter: a client may read only the text. Of a failure it may be told more.
    const expected = 'failure' in theirs ? { failure: expect.stringContaining(theirs.failure) as string } : theirs;
    expect([name, ours]).toEqual([name, expected]);
  }
}

describe('compared with the reference server', () => {
  it('answers as that does, to the letter', () => {
    const context = { memory: newMemory() };
    return compareLife((name, input) => call(context, name, input));
  });

  it('does so over HTTP', async () => {
    const { url } = untilTestEnds(await serveLamina(opened.lamina));
    const client = untilTestEnds(new LaminaClient({ url }));
    const context = { memory: client.as({ userId: 'remote' }) };
    await compareLife((name, input) => call(context, name, input));
  });

  it(
    'does so on PostgreSQL, where an entity created at once by many is there once, too',
    { timeout: 120_000 },
    async () => {
      const database = await pgliteUnderTest();
      const engine = await database.open(systemClock);
      const lamina = untilTestEnds(await Lamina.open({ engine, embedder: new HashEmbedder() }));
      const context = { memory: lamina.as({ userId: 'u' }) };
      await compareLife((name, input) => call(context, name, input));
      await expectOneOfMany({ memory: lamina.as({ userId: 'v' }) });
    },
  );

  it('is the same to a client that has changed its one line', { timeout: 60_000 }, async () => {
    const { url } = untilTestEnds(await serveLamina(opened.lamina));
    const { client } = await connectStdio(['--url', url, '--user', 'switcher', '--tools', 'graph']);
    const told = (tools: Awaited<ReturnType<ReferenceMemory['tools']>>): object[] =>
      tools
        .map(({ name, inputSchema, outputSchema, annotations }) => ({
          name,
          takes: Object.keys(inputSchema.properties ?? {}),
          gives: Object.keys(outputSchema?.['properties'] ?? {}).filter((field) => field !== 'notice'),
          // Doing it twice is as doing it once here, also where the reference server does not promise so.
          annotations: { ...annotations, idempotentHint: true },
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(told((await client.listTools()).tools)).toEqual(told(await reference.tools()));
    await compareLife((name, input) => callBy(client, name, input));
  });

  const NAMES = [
    'Ada',
    'ada',
    'Żółć 🦙',
    `"quoted" \\ 'name'; --`,
    '%_*',
    ' spaced ',
    'a\nb',
    'Ada: x',
    'n'.repeat(1000),
  ];
  const TEXTS = ['Likes tea', 'likes TEA', 'likes  tea', 'é', 'e\u0301', '', ' ', 'Ada', '🦙'.repeat(50), '{"a":1}'];
  const name = fc.constantFrom(...NAMES);
  // Within one call the reference server takes the same twice for two.
  const texts = fc.uniqueArray(fc.constantFrom(...TEXTS), { maxLength: 3 });
  const relation = fc.record({ from: name, to: name, relationType: fc.constantFrom('is_a', 'knows', 'Żna') });
  const relations = fc.uniqueArray(relation, { maxLength: 3, selector: (each) => JSON.stringify(each) });
  const entity = fc.record({ name, entityType: fc.constantFrom('person', 'Ada', 'ENTITY'), observations: texts });
  const command = fc.oneof(
    fc
      .uniqueArray(entity, { maxLength: 3, selector: (each) => each.name })
      .map((entities) => ['create_entities', { entities }] as const),
    relations.map((each) => ['create_relations', { relations: each }] as const),
    fc
      .array(fc.record({ entityName: name, contents: texts }), { maxLength: 2 })
      .map((observations) => ['add_observations', { observations }] as const),
    fc.array(name, { maxLength: 2 }).map((entityNames) => ['delete_entities', { entityNames }] as const),
    fc
      .array(fc.record({ entityName: name, observations: texts }), { maxLength: 2 })
      .map((deletions) => ['delete_observations', { deletions }] as const),
    relations.map((each) => ['delete_relations', { relations: each }] as const),
    fc.array(name, { maxLength: 3 }).map((names) => ['open_nodes', { names }] as const),
    fc
      .constantFrom('', ' ', 'a', 'ADA', 'ea', 'like', 'É', 'person', 'quoted', '%', '🦙', 'nnnn', 'tea likes')
      .map((query) => ['search_nodes', { query }] as const),
  );

  it('stays like that whatever is done', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 20 }), async (commands) => {
        const context = { memory: newMemory() };
        await reference.empty();
        for (const [tool, input] of commands) {
          const [theirs, ours] = await Promise.all([reference.call(tool, input), call(context, tool, input)]);
          if (tool === 'search_nodes') await expectAtLeast(context, ours, theirs);
          else expect(comparable(ours)).toEqual(comparable(theirs));
        }
        const [theirs, ours] = await Promise.all([reference.call('read_graph', {}), call(context, 'read_graph', {})]);
        expect(comparable(ours)).toEqual(comparable(theirs));
      }),
      { numRuns: 40 },
    );
  });
});

function comparable(answer: Answer): unknown {
  if ('failure' in answer) return answer;
  return 'entities' in answer.output && 'relations' in answer.output
    ? inOrder(answer.output as GraphOutput)
    : answer.output;
}

/** A search finds all that the reference server finds, and more, but nothing that is not there. */
async function expectAtLeast(context: ToolContext, ours: Answer, theirs: Answer): Promise<void> {
  if ('failure' in ours || 'failure' in theirs) return expect(ours).toEqual(theirs);
  const [found, least] = [ours.output, theirs.output] as [GraphOutput, GraphOutput];
  const whole = await output(context, 'read_graph');
  expect(whole.entities).toEqual(expect.arrayContaining(found.entities));
  const named = new Map(found.entities.map((each) => [each.name, each]));
  for (const each of least.entities) {
    expect(inOrder({ entities: [named.get(each.name) ?? each], relations: [] })).toEqual(
      inOrder({ entities: [each], relations: [] }),
    );
    expect([...named.keys()]).toContain(each.name);
  }
  const touching = whole.relations.filter(({ from, to }) => named.has(from) || named.has(to));
  expect(inOrder({ entities: [], relations: found.relations })).toEqual(inOrder({ entities: [], relations: touching }));
}

describe('what is in the graph', () => {
  it('is found by every other door, and is gone from all of them when it is deleted', async () => {
    const memory = newMemory();
    const context = { memory };
    await output(context, 'create_entities', { entities: [ADA, ENGINE] });
    await output(context, 'create_relations', { relations: [PROGRAMMED] });
    const { results } = await memory.search({ query: 'Does Ada like tea?', threshold: 0 });
    expect(results.map((each) => each.memory.content)).toContain('Ada: Likes tea');
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
    // What was remembered before becomes part of the graph, and is not there twice.
    await memory.add({ layer: 'user', content: 'Ada: Born in 1815' });
    const added = await output(context, 'add_observations', {
      observations: [{ entityName: 'Ada', contents: ['Born in 1815'] }],
    });
    expect(added).toEqual({ results: [{ entityName: 'Ada', addedObservations: ['Born in 1815'] }] });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(3);
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
    const trusted = { memory, maxSensitivity: 'confidential' } as const;
    expect((await output(trusted, 'search_nodes', { query: 'Likes tea' })).entities).toEqual([ADA]);
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

describe('many at the same time', () => {
  it('two processes lose no observation, and make one entity', { timeout: 60_000 }, async () => {
    const { folder, lamina } = untilTestEnds(await openLamina());
    const each = 25;
    const writers = ['one', 'two'].map((name) => {
      const child = spawn(process.execPath, [WRITER, folder, 'Ada', name, String(each)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    for (const { lines } of writers) expect((await lines.next()).value).toBe('ready');
    for (const { child } of writers) child.stdin.write('go\n');
    const said = await Promise.all(
      writers.map(async ({ child, lines }) => {
        const { value } = await lines.next();
        if (child.exitCode === null) await once(child, 'exit');
        return String(value);
      }),
    );
    expect(said.toSorted()).toEqual(['created 0', 'created 1']);
    const { entities } = await output({ memory: lamina.as({ userId: 'writer' }) }, 'read_graph');
    const wanted = ['one', 'two'].flatMap((name) => Array.from({ length: each }, (_, n) => `${name} ${n + 1}`));
    expect(entities.map(({ observations }) => observations.toSorted())).toEqual([wanted.toSorted()]);
  });

  it('an entity that is created by many is there once, as one of them made it', async () => {
    await expectOneOfMany({ memory: newMemory() });
  });

  it('whoever creates, adds and deletes at once leaves nothing without its entity', { timeout: 60_000 }, async () => {
    const memory = newMemory();
    const context = { memory };
    for (let round = 0; round < 15; round += 1) {
      const entities = [{ ...ADA, entityType: `type ${round % 3}` }];
      const observations = [{ entityName: 'Ada', contents: [`Round ${round}`, 'Always'] }];
      await Promise.all([
        output(context, 'create_entities', { entities }),
        call(context, 'add_observations', { observations }),
        output(context, 'delete_entities', { entityNames: ['Ada'] }),
        output(context, 'create_entities', { entities: [{ ...ADA, entityType: 'late' }] }),
        call(context, 'add_observations', { observations }),
      ]);
      const { entities: there } = await output(context, 'read_graph');
      const { memories } = await memory.list({ layer: 'user', limit: 100 });
      expect(there.length).toBeLessThanOrEqual(1);
      expect(memories.map(({ content }) => content.replace('Ada: ', '')).toSorted()).toEqual(
        there.flatMap((each) => each.observations).toSorted(),
      );
      // None is without what it was created with.
      for (const { observations: all } of there) expect(all).toEqual(expect.arrayContaining(ADA.observations));
    }
  });
});

describe('somebody in between', () => {
  /** Memory in which something else is done right before the observations are written. */
  function interrupted(memory: Memory, before: () => Promise<unknown>): Memory {
    const addMany: Memory['addMany'] = async (inputs) => {
      await before();
      return memory.addMany(inputs);
    };
    return { ...memory, addMany };
  }

  it('who creates the same entity meanwhile has created it, and nothing is left of the other one', async () => {
    const memory = newMemory();
    const create = (mine: ToolContext, entityType: string): Promise<GraphOutput> =>
      output(mine, 'create_entities', { entities: [{ ...ADA, entityType, observations: [`I am a ${entityType}`] }] });
    const late = interrupted(memory, () => create({ memory }, 'countess'));
    expect(await create({ memory: late }, 'person')).toEqual({ entities: [] });
    expect((await output({ memory }, 'read_graph')).entities).toEqual([
      { ...ADA, entityType: 'countess', observations: ['I am a countess'] },
    ]);
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(1);
    expect((await memory.facts.list({ subject: 'Ada' })).count).toBe(1);
  });

  it('who deletes an entity meanwhile leaves nothing of what is added to it', async () => {
    const memory = newMemory();
    await output({ memory }, 'create_entities', { entities: [ADA, ENGINE] });
    const late = interrupted(memory, () => output({ memory }, 'delete_entities', { entityNames: ['Ada'] }));
    const observations = ['Ada', ENGINE.name].map((entityName) => ({ entityName, contents: ['Too late'] }));
    const answer = await call({ memory: late }, 'add_observations', { observations });
    expect(answer).toEqual({ failure: 'Entity with name Ada not found' });
    expect((await output({ memory }, 'read_graph')).entities).toEqual([ENGINE]);
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(1);
  });

  it('who deletes and creates it anew meanwhile keeps what is new', async () => {
    const memory = newMemory();
    await output({ memory }, 'create_entities', { entities: [ADA] });
    const recreate = async (): Promise<void> => {
      await output({ memory }, 'delete_entities', { entityNames: ['Ada'] });
      await output({ memory }, 'create_entities', { entities: [{ ...ADA, observations: ['New'] }] });
    };
    const late = interrupted(memory, recreate);
    const observations = [{ entityName: 'Ada', contents: ['For the old one'] }];
    expect(await call({ memory: late }, 'add_observations', { observations })).toHaveProperty('failure');
    expect((await output({ memory }, 'read_graph')).entities).toEqual([{ ...ADA, observations: ['New'] }]);
  });

  it('where the facts cannot be written, nothing is left of the observations', async () => {
    const memory = newMemory();
    const facts = { ...memory.facts, addMany: () => Promise.reject(new Error('The database is gone.')) };
    const failing = await call({ memory: { ...memory, facts } }, 'create_entities', { entities: [ADA] });
    expect(failing).toEqual({ failure: 'The database is gone.' });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });
});

/** Twenty create the same name with types and observations of their own: one of them has done it. */
async function expectOneOfMany(context: ToolContext): Promise<void> {
  const drafts = Array.from({ length: 20 }, (_, n) => ({
    name: 'Ada',
    entityType: `type ${n % 10}`,
    observations: [`Said by ${n}`],
  }));
  const answers = await Promise.all(
    drafts.map((draft) => output<Pick<GraphOutput, 'entities'>>(context, 'create_entities', { entities: [draft] })),
  );
  const created = answers.flatMap(({ entities }) => entities);
  expect(created).toHaveLength(1);
  expect((await output(context, 'read_graph')).entities).toEqual(created);
  expect((await context.memory.list({ layer: 'user' })).totalCount).toBe(1);
  expect((await context.memory.facts.list({ includeClosed: true })).count).toBe(1);
}

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
