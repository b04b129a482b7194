/** What an MCP client is told: tools, resources and prompts, asked of a real server by the official client. */

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createMcpServer } from '../../src/mcp/create-mcp-server.ts';
import { operationTools, operationToolName, WITHOUT_TOOL } from '../../src/mcp/operation-tools.ts';
import type { ToolSet } from '../../src/mcp/tool-set-names.ts';
import { offeredTools } from '../../src/mcp/tool-sets.ts';
import type { MemoryTool, ToolContext } from '../../src/tools/memory-tool.ts';
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts';
import { jsonSchemaOf } from '../../src/operations/wire-schema.ts';
import { code, page, prose, table } from './markdown.ts';
import { operationLink } from './operation-link.ts';
import { fieldTable, type FieldsOptions } from './schema-text.ts';

interface Listed {
  readonly instructions: string;
  readonly resources: readonly (readonly string[])[];
  readonly prompts: readonly string[];
}

export async function mcpPage(): Promise<string> {
  const { instructions, resources, prompts } = await askServer();
  return page(
    'MCP tools and resources',
    'How it is set up in each client stands in [MCP](../mcp.md). Tools come in sets, chosen by `--tools` of `lamina mcp` ' +
      'or `?tools=` of `/mcp`: `agent` and `graph` by default, `operations` for everything.',
    `The model is told first: “${prose(instructions)}”`,
    '## Tools of the set `agent`',
    ...toolSections('agent'),
    '## Tools of the set `graph`',
    'Those of the reference memory server, under its names: [knowledge graph](../mcp-knowledge-graph.md).',
    ...toolSections('graph'),
    '## Tools of the set `operations`',
    'Every operation, with the input and output of the [library](library.md).',
    operationsTable(),
    'Operations that are no tools:',
    table(
      ['operation', 'why'],
      Object.entries(WITHOUT_TOOL).map(([name, why]) => [code(name), prose(why)]),
    ),
    '## Resources',
    table(['address', 'title', 'what it is'], resources),
    '## Prompts',
    ...prompts,
  );
}

async function askServer(): Promise<Listed> {
  const client = new Client({ name: 'docs', version: '1.0.0' });
  const context = { memory: emptyMemory() } as unknown as ToolContext;
  const server = createMcpServer(
    { context, version: '1.0.0', report: () => {} },
    { subscribe: false, listChanged: false },
  );
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const instructions = client.getInstructions() ?? '';
  await client.close();
  const fixed = resources.filter(({ uri }) => !uri.startsWith('memory://layers/'));
  return {
    instructions,
    resources: [
      ...fixed.map(({ uri, title = '', description = '' }) => [code(uri), title, prose(description)]),
      ...resourceTemplates.map(({ uriTemplate, title = '', description = '' }) => [
        code(uriTemplate),
        title,
        prose(description),
      ]),
    ],
    prompts: prompts.flatMap(({ name, description = '', arguments: given = [] }) => [
      `### ${code(name)}`,
      prose(description),
      table(
        ['argument', 'what it is'],
        given.map((each) => [`${code(each.name)}${each.required ? ' (required)' : ''}`, prose(each.description ?? '')]),
      ),
    ]),
  };
}

/** Listing resources looks for recent entries: there are none. */
function emptyMemory(): object {
  return { list: async () => ({ memories: [], nextCursor: null, totalCount: 0 }), search: async () => {}, facts: {} };
}

function toolSections(set: ToolSet): string[] {
  return offeredTools([set]).flatMap(({ name, tool }) => {
    const fields = fieldTable(...described(tool));
    return [`### ${code(name)}`, prose(tool.description), hintsOf(tool), fields].filter((part) => part !== '');
  });
}

function described({ input }: MemoryTool): [ReturnType<typeof jsonSchemaOf>, FieldsOptions] {
  const schema = jsonSchemaOf(input, 'input');
  return [schema, { schemas: schema.$defs ?? {}, link: () => undefined }];
}

function hintsOf({ isReadOnly, isDestructive, isIdempotent }: MemoryTool): string {
  if (isReadOnly) return 'Changes nothing.';
  const hints = [
    isDestructive ? 'takes something away' : 'only adds',
    isIdempotent ? 'twice is as once' : 'not twice the same',
  ];
  return `Changes memory: ${hints.join('; ')}.`;
}

function operationsTable(): string {
  const offered = new Set(operationTools().map(({ name }) => name));
  const names = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => offered.has(operationToolName(name)));
  const rows = names.map((name) => {
    const { summary } = OPERATIONS[name];
    return [code(operationToolName(name)), `[${code(name)}](http/${operationLink(name)})`, prose(summary)];
  });
  return table(['tool', 'operation', 'what it does'], rows);
}
