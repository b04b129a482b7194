/** What is offered over MCP: every tool has its name, its hints and its place in the documentation, and works. */

import { readFileSync } from 'node:fs';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { operationToolName, WITHOUT_TOOL } from '../src/mcp/operation-tools.ts';
import { TOOL_SETS, type ToolSet } from '../src/mcp/tool-set-names.ts';
import { offeredTools } from '../src/mcp/tool-sets.ts';
import type { Operation } from '../src/operations/operation.ts';
import { OPERATIONS, type OperationName } from '../src/operations/table.ts';
import { codeOf, connectHttp, textOf } from './mcp-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

const names = Object.keys(OPERATIONS) as OperationName[];
const rowOf = (name: OperationName): Operation => OPERATIONS[name];
const namesOf = (set: ToolSet): string[] => offeredTools([set]).map(({ name }) => name);

describe('the table of operations', () => {
  it('is a tool each, or has a written reason', () => {
    const tools = new Set(namesOf('operations'));
    const missing = names.filter((name) => !tools.has(operationToolName(name)));
    expect(missing.toSorted()).toEqual(Object.keys(WITHOUT_TOOL).toSorted());
    expect(Object.values(WITHOUT_TOOL).filter((reason) => reason.length < 30)).toEqual([]);
  });

  it('leaves nothing out but streams, secrets, what cannot be undone, what a person reviews, and what is done to all users at once', () => {
    const streams = names.filter((name) => rowOf(name).isStream);
    const others = Object.keys(WITHOUT_TOOL).filter((name) => !streams.includes(name as OperationName));
    expect(others).toEqual([
      'keys.create',
      'admin.eraseUser',
      'admin.eraseTenant',
      'admin.exportPage',
      'quarantine.list',
      'quarantine.release',
      'quarantine.reject',
      'admin.importPage',
    ]);
  });

  it('is read-only exactly where docs/concurrency.md knows of no change', () => {
    const page = readFileSync('docs/concurrency.md', 'utf8');
    const tables = page.slice(page.search(/\| operation +\| the field/));
    const changing = new Set(
      [...tables.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) => cell.match(/[\w.]+/g)),
    );
    const readOnly = new Set(offeredTools(['operations']).flatMap(({ name, tool }) => (tool.isReadOnly ? [name] : [])));
    const wrong = names
      .filter((name) => WITHOUT_TOOL[name] === undefined)
      .filter((name) => readOnly.has(operationToolName(name)) === changing.has(name));
    expect(wrong).toEqual([]);
  });

  it('is described with the names of fields that tools take', () => {
    const described = offeredTools(['operations']).map(({ tool }) => tool.description);
    expect(described.filter((text) => text.includes('`external_id`'))).toEqual([]);
    expect(described.some((text) => text.includes('`externalId`'))).toBe(true);
    expect(described.some((text) => text.includes('`context_rot`'))).toBe(true);
  });
});

describe('names', () => {
  it('are such as every provider of models takes, and each stands for one tool', () => {
    const all = offeredTools(TOOL_SETS).map(({ name }) => name);
    expect(all.filter((name) => !/^[a-z][a-z0-9_]{0,63}$/.test(name))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('of the reference memory server are those that it has', () => {
    expect(namesOf('graph').toSorted()).toEqual([
      'add_observations',
      'create_entities',
      'create_relations',
      'delete_entities',
      'delete_observations',
      'delete_relations',
      'open_nodes',
      'read_graph',
      'search_nodes',
    ]);
  });
});

async function listed(query: string): Promise<{
  tools: Tool[];
  instructions: string;
  call: (name: string, input: object) => Promise<CallToolResult>;
}> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  const client = await connectHttp(`${url}/mcp${query}`);
  const { tools } = await client.listTools();
  const call = async (name: string, input: object): Promise<CallToolResult> =>
    client.callTool({ name, arguments: input as Record<string, unknown> });
  return { tools, instructions: client.getInstructions() ?? '', call };
}

describe('as clients see them', () => {
  it.each(['agent', 'graph', 'agent,graph', 'all'])(
    'with %s, what models are told names only tools that there are',
    async (set) => {
      const { tools, instructions } = await listed(`?tools=${set}`);
      const offered = new Set(tools.map(({ name }) => name));
      expect((instructions.match(/\w+_\w+/g) ?? []).filter((name) => !offered.has(name))).toEqual([]);
      expect(instructions.includes('correct it with memory_update')).toBe(offered.has('memory_update'));
      expect(instructions).toContain('do not only save the new statement');
    },
  );

  it('each has a title, a description, schemas and hints that go together', async () => {
    const { tools } = await listed('?tools=all');
    expect(tools).toHaveLength(offeredTools(TOOL_SETS).length);
    for (const { name, title, description, inputSchema, outputSchema, annotations = {} } of tools) {
      expect(title?.length, name).toBeGreaterThan(3);
      expect(description?.length, name).toBeGreaterThan(10);
      expect(inputSchema['type'], name).toBe('object');
      expect(outputSchema?.['type'], name).toBe('object');
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      expect(
        [readOnlyHint, destructiveHint, idempotentHint].every((hint) => typeof hint === 'boolean'),
        name,
      ).toBe(true);
      expect(openWorldHint, name).toBe(false);
      expect(readOnlyHint && destructiveHint, name).toBe(false);
    }
    const hints = (name: string): Tool['annotations'] => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('memory_recall')).toMatchObject({ readOnlyHint: true });
    expect(hints('openspec_query')).toMatchObject({ readOnlyHint: true });
    expect(hints('memory_forget')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints('working_increment')).toMatchObject({ readOnlyHint: false, idempotentHint: false });
    expect(hints('add')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  });

  it('every operation can be called by its example, and answers what its schema says or why not', async () => {
    const { call } = await listed('?tools=operations');
    const refused: string[] = [];
    for (const name of names.filter((each) => WITHOUT_TOOL[each] === undefined)) {
      // The client holds what is answered to the schema that was listed.
      const result = await call(operationToolName(name), rowOf(name).example.input);
      if (result.isError !== true) continue;
      const code = codeOf(result);
      refused.push(name);
      expect(
        ['NOT_FOUND', 'MEMORY_NOT_FOUND', 'FORBIDDEN', 'VERSION_CONFLICT'],
        `${name}: ${textOf(result)}`,
      ).toContain(code);
    }
    // Examples tell of things that are not there, but most have been made by an example before.
    expect(refused.length).toBeLessThan(names.length / 2);
  }, 60_000);
});

describe('docs/mcp.md', () => {
  const page = readFileSync('docs/mcp.md', 'utf8');
  const rows = new Set([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name));

  it('has a row for each tool that is offered by default, and for no other', () => {
    expect([...rows].toSorted()).toEqual([...namesOf('agent'), ...namesOf('graph')].toSorted());
  });

  it('names every operation that is no tool', () => {
    for (const name of Object.keys(WITHOUT_TOOL)) expect(page).toContain(`\`${name}\``);
  });

  it('has configuration that is valid JSON, and names the program as it is called', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    for (const block of blocks) expect(() => JSON.parse(block) as unknown, block).not.toThrow();
    expect(page).toContain('bin/lamina.js", "mcp"');
  });
});
