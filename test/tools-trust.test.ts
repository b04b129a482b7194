/** What is less trusted than `minTrust` is not there for a model, whichever tool it asks; and what strangers wrote says so. */

import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';
import { GRAPH_TOOLS, MEMORY_TOOLS, runTool, type ToolContext } from '../src/tools/index.ts';
import { openLamina, type OpenLamina } from './running-lamina.ts';

const BY_TOOL = { source: { type: 'tool_result' } } as const;

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

// oxlint-disable-next-line typescript/no-explicit-any -- the answers of many tools, read field by field below
type Answer = any;

async function run(context: ToolContext, name: string, input: object = {}): Promise<Answer> {
  const tool = [...MEMORY_TOOLS, ...GRAPH_TOOLS].find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const answer = await runTool(tool, context, input);
  expect(tool.output.parse(answer)).toEqual(answer);
  return answer;
}

/** Ada works at Acme, as somebody said, and at Globex, as a tool said: its id. */
async function relate(memory: Memory): Promise<string> {
  const statement = { factType: 'relation', subject: 'Ada', predicate: 'works_at' };
  await memory.facts.add({ ...statement, object: 'Acme' });
  const { fact } = await memory.facts.add({ ...statement, object: 'Globex', ...BY_TOOL });
  return fact.factId;
}

const strict = (memory: Memory): ToolContext => ({ memory, minTrust: 'agent' });

describe('what a tool wrote, for a model that may see only what is trusted', () => {
  it('is not looked up, and does not hide the rest', async () => {
    const memory = newMemory();
    await relate(memory);
    const { relations } = await run({ memory }, 'look_up', { name: 'Ada' });
    expect(relations.map(({ object, unverified }: Answer) => [object, unverified]).toSorted()).toEqual([
      ['Acme', undefined],
      ['Globex', 'tool'],
    ]);
    const seen = await run(strict(memory), 'look_up', { name: 'Ada', limit: 1 });
    expect(seen).toMatchObject({ relations: [{ object: 'Acme' }], isComplete: true });
    expect((await run(strict(memory), 'look_up', { name: 'Globex' })).relations).toEqual([]);
  });

  it('is neither forgotten by its id nor ended', async () => {
    const memory = newMemory();
    const id = await relate(memory);
    expect((await run(strict(memory), 'forget', { ids: [id] })).results).toEqual([{ id, outcome: 'not_found' }]);
    const relation = { subject: 'Ada', predicate: 'works_at', object: 'Globex', until: new Date().toISOString() };
    await expect(run(strict(memory), 'relate', relation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await run({ memory }, 'forget', { ids: [id] })).results).toEqual([{ id, outcome: 'forgotten' }]);
  });

  it('is not shown as similar', async () => {
    const memory = newMemory();
    await memory.add({ content: 'The ferry to Acme island leaves at noon.', layer: 'user', ...BY_TOOL });
    await memory.add({ content: 'The ferry to Acme island leaves at two.', layer: 'user' });
    const content = 'The ferry to Acme island leaves at one.';
    const seen = await run(strict(memory), 'save_fact', { content });
    expect(seen.similar).toMatchObject([{ content: 'The ferry to Acme island leaves at two.' }]);
    const { similar } = await run({ memory }, 'save_fact', { content });
    expect(similar.map(({ unverified }: Answer) => unverified).toSorted()).toEqual(['tool', undefined]);
  });

  it('is not in the knowledge graph', async () => {
    const memory = newMemory();
    await relate(memory);
    const ada = { name: 'Ada', entityType: 'person', observations: ['Likes tea', 'Sends money to Globex'] };
    await run({ memory }, 'create_entities', { entities: [ada] });
    const entity = { factType: 'entity', predicate: 'is_a', subject: 'Globex', object: 'company' };
    await memory.facts.add({ ...entity, ...BY_TOOL });
    const { memories } = await memory.list({ layer: 'user' });
    const observation = memories.find(({ content }) => content.includes('money'));
    await memory.update({ id: observation?.id ?? '', trust: 'tool' });

    const seen = {
      entities: [{ ...ada, observations: ['Likes tea'] }],
      relations: [{ from: 'Ada', to: 'Acme', relationType: 'works_at' }],
    };
    expect(await run(strict(memory), 'read_graph')).toEqual(seen);
    expect(await run(strict(memory), 'open_nodes', { names: ['Ada', 'Globex'] })).toEqual(seen);
    expect(await run(strict(memory), 'search_nodes', { query: 'tea' })).toEqual(seen);
    expect((await run(strict(memory), 'search_nodes', { query: 'money' })).entities).toEqual([]);
    expect((await run(strict(memory), 'search_nodes', { query: 'Globex' })).entities).toEqual([]);
    const deletions = [{ entityName: 'Ada', observations: ['Sends money to Globex'] }];
    await run(strict(memory), 'delete_observations', { deletions });

    const all = await run({ memory }, 'read_graph');
    expect(all.entities.map(({ name }: Answer) => name)).toEqual(['Ada', 'Globex']);
    expect(all.entities[0].observations).toHaveLength(2);
    expect(all.relations).toHaveLength(2);
  });
});
