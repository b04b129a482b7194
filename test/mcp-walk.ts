/** A walk through everything that the MCP server offers by default; the same over either transport. */

import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { failure, output, resource } from './mcp-caller.ts';

/** Calls every tool of both default sets at least once, and fails when one was left out. */
export async function callEveryTool(client: Client): Promise<void> {
  // From now on the client holds every output to the schema that was listed.
  const { tools } = await client.listTools();
  const called = new Set<string>();
  const call: typeof output = (each, name, input) => {
    called.add(name);
    return output(each, name, input);
  };
  await callAgentTools(client, call);
  await callGraphTools(client, call);
  expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
}

async function callAgentTools(client: Client, call: typeof output): Promise<void> {
  const tea = await call(client, 'memory_save_fact', { content: 'Ada drinks green tea in the morning.' });
  expect(tea.status).toBe('created');
  const recalled = await call(client, 'memory_recall', { query: 'green tea' });
  expect(recalled.memories.map(({ id }: { id: string }) => id)).toContain(tea.id);
  const updated = await call(client, 'memory_update', { id: tea.id, content: 'Ada drinks black tea in the morning.' });
  expect(updated.version).toBe(2);
  const read = await call(client, 'memory_read', { ids: [tea.id] });
  expect(read.memories[0].content).toContain('black tea');
  await call(client, 'memory_recent_turns', { limit: 5 });
  const rule = { content: 'Answer in one sentence.', trigger: 'The user is in a hurry' };
  await call(client, 'memory_save_procedure', rule);
  await call(client, 'memory_relate', { subject: 'Ada', predicate: 'works_at', object: 'Acme' });
  const related = await call(client, 'memory_look_up', { name: 'Ada' });
  expect(JSON.stringify(related)).toContain('Acme');
  const context = await call(client, 'memory_turn_context', { message: 'What does Ada drink in the morning?' });
  expect(context.context).toContain('black tea');
  await call(client, 'memory_forget', { ids: [tea.id] });
  const gone = await output(client, 'memory_read', { ids: [tea.id] });
  expect(gone.notFound).toEqual([tea.id]);
}

async function callGraphTools(client: Client, call: typeof output): Promise<void> {
  const entity = (name: string, observation: string): object => ({
    name,
    entityType: 'person',
    observations: [observation],
  });
  const grace = entity('Grace', 'wrote a compiler');
  const created = await call(client, 'create_entities', { entities: [grace, entity('Alan', 'ran marathons')] });
  expect(created.entities).toHaveLength(2);
  const relation = { from: 'Grace', to: 'Alan', relationType: 'knows' };
  expect((await call(client, 'create_relations', { relations: [relation] })).relations).toEqual([relation]);
  await call(client, 'add_observations', { observations: [{ entityName: 'Grace', contents: ['was an admiral'] }] });
  const found = await call(client, 'search_nodes', { query: 'admiral' });
  expect(found.entities[0].name).toBe('Grace');
  expect((await call(client, 'open_nodes', { names: ['Alan'] })).entities).toHaveLength(1);
  expect((await call(client, 'read_graph')).relations).toContainEqual(relation);
  await call(client, 'delete_observations', { deletions: [{ entityName: 'Grace', observations: ['was an admiral'] }] });
  await call(client, 'delete_relations', { relations: [relation] });
  await call(client, 'delete_entities', { entityNames: ['Alan'] });
  const { entities, relations } = await output(client, 'read_graph');
  expect(entities).toContainEqual(grace);
  expect(entities.map(({ name }: { name: string }) => name)).not.toContain('Alan');
  expect(relations).not.toContainEqual(relation);
}

/** Lists and reads every resource, completes their addresses, and asks for what is not there. */
export async function readEveryResource(client: Client): Promise<void> {
  const { id } = await output(client, 'memory_save_fact', { content: 'The office\n  closes at six.' });
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining(['memory://recent', 'memory://knowledge-graph', 'memory://layers/user']));
  expect(resources.find(({ uri }) => uri === `memory://entries/${id}`)?.name).toBe('The office closes at six.');
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).toSorted()).toEqual([
    'memory://entries/{id}',
    'memory://layers/{layer}',
  ]);
  for (const uri of ['memory://recent', 'memory://layers/user']) {
    const { memories } = await resource(client, uri);
    expect(memories.map((each: { id: string }) => each.id)).toContain(id);
  }
  expect((await resource(client, `memory://entries/${id}`)).content).toContain('closes at six');
  expect(await resource(client, 'memory://knowledge-graph')).toMatchObject({ entities: expect.any(Array) as unknown });
  await completeAddresses(client, id);
  await askForWhatIsNotThere(client);
}

async function completeAddresses(client: Client, id: string): Promise<void> {
  const complete = async (uri: string, name: string, value: string): Promise<string[]> => {
    const { completion } = await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } });
    return completion.values;
  };
  expect(await complete('memory://layers/{layer}', 'layer', 'co')).toEqual(['company']);
  expect(await complete('memory://entries/{id}', 'id', id.slice(0, 20))).toContain(id);
}

async function askForWhatIsNotThere(client: Client): Promise<void> {
  const nothing = [
    'memory://entries/01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88',
    'memory://entries/no-id-at-all',
    'memory://layers/family',
    'memory://layers/project',
    'memory://nowhere',
    'file:///etc/passwd',
    'not an address',
  ];
  for (const uri of nothing) await expect(client.readResource({ uri }), uri).rejects.toThrow();
}

/** Gets the prompt, and asks for it wrongly. */
export async function getEveryPrompt(client: Client): Promise<void> {
  await output(client, 'memory_save_fact', { content: 'Bertha is allergic to peanuts.' });
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['turn-context']);
  const message = 'What is Bertha allergic to?';
  const { messages } = await client.getPrompt({ name: 'turn-context', arguments: { message, tokenBudget: '500' } });
  const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('');
  expect(text).toContain('peanuts');
  expect(text.trimEnd().endsWith(message)).toBe(true);
  const get = (name: string, args: Record<string, string>): Promise<unknown> =>
    client.getPrompt({ name, arguments: args });
  await expect(get('turn-context', {})).rejects.toThrow('message');
  await expect(get('turn-context', { message, tokenBudget: 'many' })).rejects.toThrow('tokenBudget');
  await expect(get('turn-context', { message, kinds: 'semantic,procedural' })).rejects.toThrow('kinds');
  const known = await get('turn-context', { message, kinds: 'semantic, episodic' });
  expect(JSON.stringify(known)).toContain('peanuts');
  expect(JSON.stringify(await get('turn-context', { message, kinds: 'episodic' }))).not.toContain('peanuts');
  await expect(get('no-such-prompt', { message })).rejects.toThrow('no-such-prompt');
}

/** Calls what is not there, and what is there wrongly. */
export async function makeMistakes(client: Client): Promise<void> {
  await expect(client.callTool({ name: 'memory_enlighten', arguments: {} })).rejects.toThrow('memory_enlighten');
  const misspelt = await failure(client, 'memory_recall', { qery: 'tea' });
  expect(misspelt.code).toBe('VALIDATION_FAILED');
  expect(misspelt.text).toContain('unknown field "qery"');
  expect(misspelt.text).toContain('What to do: ');
  expect((await failure(client, 'memory_recall', { query: 'tea', layers: ['family'] })).code).toBe('INVALID_LAYER');
  expect((await failure(client, 'memory_recall', { query: 7 })).code).toBe('VALIDATION_FAILED');
  const unknown = { id: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88', content: 'x' };
  expect((await failure(client, 'memory_update', unknown)).code).toBe('MEMORY_NOT_FOUND');
  expect((await failure(client, 'create_entities', { entities: 'Ada' })).code).toBe('VALIDATION_FAILED');
}
