/** `lamina export-graph`: writes the knowledge graph as the reference MCP memory server keeps it. */

import { open, unlink, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LaminaError } from '../domain/error.ts';
import { graphLines } from '../tools/graph-transfer.ts';
import { readFlagValues, usageError, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { graphScopeFrom } from './graph-scope.ts';
import { homeDatabase } from './home-database.ts';
import { MEMORY_FLAGS, openMemory, principalFrom, whereInMemory, whichMemory } from './memory-flags.ts';

export const exportGraph: Command = {
  name: 'export-graph',
  summary: 'Write the knowledge graph to a file of the reference MCP memory server.',
  help: () =>
    [
      exportGraph.summary,
      '',
      'Usage: lamina export-graph FILE [--url URL | --database ADDRESS] [flags]',
      '',
      ...whichMemory(', else that of lamina mcp: the folder .lamina of your home'),
      ...whereInMemory('user'),
      '',
      'FILE gets an entity or a relation on each line, and must not be there yet. lamina import-graph reads it again.',
      '',
    ].join('\n'),
  async run(args) {
    const [file, ...rest] = args;
    if (file === undefined || file.startsWith('-')) throw usageError('The file comes first.', exportGraph.name);
    const values = readFlagValues(exportGraph.name, rest, MEMORY_FLAGS);
    const principal = principalFrom(exportGraph.name, values);
    const scope = graphScopeFrom(exportGraph.name, values, principal);
    const output = await newFile(file);
    try {
      const opened = await openMemory(values, principal, homeDatabase());
      try {
        const lines = await writeLines(graphLines({ memory: opened.memory, scope }), output);
        process.stdout.write(`Wrote ${lines} lines to ${file}.\n`);
      } finally {
        await opened.close();
      }
    } catch (error) {
      await output.close();
      // Half of a graph would be taken for all of it.
      await unlink(file);
      throw error;
    }
    return EXIT_CODES.ok.code;
  },
};

async function newFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx');
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be made; it must not be there yet.`, { cause });
  }
}

/** How many. Nothing is read faster than it is written. */
async function writeLines(lines: AsyncIterable<string>, output: FileHandle): Promise<number> {
  let count = 0;
  async function* counted(): AsyncGenerator<string, void> {
    for await (const line of lines) {
      count += 1;
      yield `${line}\n`;
    }
  }
  await pipeline(Readable.from(counted()), output.createWriteStream());
  return count;
}
