/** The tools of the reference MCP memory server, compared with that server itself. */

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/lamina-client.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import type { GraphOutput } from '../src/tools/graph-schemas.ts';
import type { ToolContext } from '../src/tools/memory-tool.ts';
import { ADA, BABBAGE, call, DESIGNED, ENGINE, expectOneOfMany, output, PROGRAMMED } from './graph-caller.ts';
import { connectStdio } from './mcp-caller.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { callBy, inOrder, ReferenceMemory, type Answer } from './reference-memory.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

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
