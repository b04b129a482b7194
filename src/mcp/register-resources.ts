/** Resources of the MCP server: memory to be read and attached, without a tool. */

import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
  type Resource,
} from '@modelcontextprotocol/server';
import type { Entry } from '../domain/entry.ts';
import { LAYERS, type Layer } from '../domain/scope.ts';
import { GRAPH_TOOLS } from '../tools/graph-tools.ts';
import { runTool, type ToolContext } from '../tools/memory-tool.ts';
import { NOTICE } from '../tools/shown-memory.ts';
import { EntryReader } from './entry-reader.ts';
import { inProtocol } from './protocol-failure.ts';
import { ENTRY_TEMPLATE, entryUri, GRAPH_URI, LAYER_TEMPLATE, layerUri, RECENT_URI } from './resource-uri.ts';
import type { ReportFailure } from './tool-answer.ts';

const JSON_TYPE = 'application/json';
const NAME_LENGTH = 60;

export function registerResources(server: McpServer, context: ToolContext, report: ReportFailure): void {
  const reader = new EntryReader(context);
  const read = (uri: URL, work: () => Promise<object>): Promise<ReadResourceResult> =>
    inProtocol('resources/read', async () => jsonContents(uri, await work()), report, uri.href);

  server.registerResource(
    'recent',
    RECENT_URI,
    { title: 'Recent memories', description: 'The newest memories of every open layer.', mimeType: JSON_TYPE },
    (uri) => read(uri, () => reader.recent()),
  );
  server.registerResource(
    'knowledge-graph',
    GRAPH_URI,
    { title: 'Knowledge graph', description: 'Entities, their observations and relations.', mimeType: JSON_TYPE },
    (uri) => read(uri, () => readGraph(context)),
  );
  server.registerResource(
    'layer',
    new ResourceTemplate(LAYER_TEMPLATE, {
      list: () => ({ resources: LAYERS.map(layerResource) }),
      complete: { layer: (begun) => LAYERS.filter((layer) => layer.startsWith(begun)) },
    }),
    { title: 'Memories of a layer', description: 'The newest memories of one layer.', mimeType: JSON_TYPE },
    (uri, { layer }) => read(uri, () => reader.layer(String(layer) as Layer)),
  );
  server.registerResource(
    'entry',
    new ResourceTemplate(ENTRY_TEMPLATE, {
      list: () => inProtocol('resources/list', async () => ({ resources: await recentResources(reader) }), report),
      complete: {
        id: async (begun) => (await reader.recent()).memories.map(({ id }) => id).filter((id) => id.startsWith(begun)),
      },
    }),
    { title: 'A memory', description: 'One memory, with its metadata.', mimeType: JSON_TYPE },
    (uri, { id }) => read(uri, () => readEntry(reader, uri.href, String(id))),
  );
}

async function readEntry(reader: EntryReader, uri: string, id: string): Promise<Entry & { notice: string }> {
  const entry = await reader.one(id);
  if (entry === null) throw new ResourceNotFoundError(uri);
  return { notice: NOTICE, ...entry };
}

async function readGraph(context: ToolContext): Promise<object> {
  const tool = GRAPH_TOOLS.find(({ name }) => name === 'read_graph');
  if (tool === undefined) return {};
  const { notice, ...graph } = tool.output.parse(await runTool(tool, context, {}));
  return { notice: typeof notice === 'string' ? `${NOTICE} ${notice}` : NOTICE, ...graph };
}

function jsonContents(uri: URL, value: object): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}

function layerResource(layer: Layer): Resource {
  return { uri: layerUri(layer), name: `layer ${layer}`, title: `Memories of the ${layer} layer` };
}

async function recentResources(reader: EntryReader): Promise<Resource[]> {
  const { memories } = await reader.recent();
  return memories.map((entry) => ({
    uri: entryUri(entry.id),
    name: nameOf(entry),
    description: `${entry.kind} memory of the ${entry.layer} layer`,
    annotations: { lastModified: entry.updatedAt },
  }));
}

/** Its beginning, on one line. */
function nameOf({ content }: Entry): string {
  const line = content.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH).join('')}…` : line;
}
