/** The one table of formats that `lamina import --from` reads, and how to tell which one something is. */

import { BUNDLE_FORMAT } from '../../domain/bundle.ts';
import { LaminaError } from '../../domain/error.ts';
import { importGraphFile } from '../import-graph.ts';
import { pathsIn } from '../knowledge-folder.ts';
import { chatgptFormat } from './chatgpt-format.ts';
import { claudeFormat } from './claude-format.ts';
import { AUTO } from './format-names.ts';
import { UNTOLD, type ImportFormat, type Sample } from './import-format.ts';
import { filesAt, isFolder, recordsOf } from './json-values.ts';
import { langgraphFormat } from './langgraph-format.ts';
import { markdownFormat } from './markdown-format.ts';
import { mem0Format } from './mem0-format.ts';

const mcpMemoryFormat: ImportFormat = {
  name: 'mcp-memory',
  title: 'MCP memory server',
  reads: 'memory.jsonl of @modelcontextprotocol/server-memory, as lamina import-graph does',
  detect: ({ first }) => first?.['type'] === 'entity' || first?.['type'] === 'relation',
  run: (given, path) => importGraphFile(given, path, given.has('check')),
};

/** In the order in which they are tried. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  chatgptFormat,
  claudeFormat,
  mcpMemoryFormat,
  langgraphFormat,
  mem0Format,
  markdownFormat,
];

const JSON_FILE = /\.(jsonl?|ndjson)(\.gz)?$/i;

/** Throws `VALIDATION_FAILED` for what is none of them, and `NOT_FOUND`. */
export async function formatOf(path: string, name: string): Promise<ImportFormat> {
  const sample = name === AUTO ? await sampleOf(path) : undefined;
  const format = IMPORT_FORMATS.find((each) => (sample === undefined ? each.name === name : each.detect(sample)));
  if (format !== undefined) return format;
  if (sample?.first?.['format'] === BUNDLE_FORMAT) {
    throw new LaminaError('VALIDATION_FAILED', `"${path}" is a bundle of Lamina: leave out --from.`);
  }
  const formats = IMPORT_FORMATS.map((each) => `  --from ${each.name.padEnd(11)}${each.reads}`);
  throw new LaminaError(
    'VALIDATION_FAILED',
    [`"${path}" looks like none of the formats that can be told apart. Say which it is:`, ...formats].join('\n'),
  );
}

async function sampleOf(path: string): Promise<Sample> {
  const folder = await isFolder(path);
  if (!folder && /\.(md|markdown)$/i.test(path)) return { hasMarkdown: true };
  const hasMarkdown = folder && (await pathsIn(path)).length > 0;
  const files = await jsonFilesAt(path);
  for await (const { value } of recordsOf(files, UNTOLD)) return { hasMarkdown: false, first: value };
  return { hasMarkdown };
}

/** An archive of conversations has other files beside them, which tell nothing. */
async function jsonFilesAt(path: string): Promise<string[]> {
  for (const names of [/^conversations.*\.json(\.gz)?$/i, JSON_FILE]) {
    const files = await filesAt(path, names).catch((error: unknown) => {
      if (error instanceof LaminaError) return [];
      throw error;
    });
    if (files.length > 0) return files;
  }
  return [];
}
