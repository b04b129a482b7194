/** `lamina export-graph`: writes the knowledge graph as the reference MCP memory server keeps it. */

import { open, unlink, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LaminaError } from '../domain/error.ts';
import { graphLines } from '../tools/graph-transfer.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { graphScopeFrom } from './graph-scope.ts';
import { oneLayer, principalFrom, whichMemory } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';

export const exportGraph: Command = {
  name: 'export-graph',
  summary: 'Write the knowledge graph to a file of the reference MCP memory server.',
  parameters: [{ name: 'FILE', description: 'Where to write it. Must not be there yet' }],
  flags: [JSON_FLAG, ...whichMemory(), ...oneLayer('user')],
  examples: [
    { line: 'lamina export-graph memory.jsonl', does: 'Your own graph, for the reference MCP memory server.' },
    { line: 'lamina export-graph apollo.jsonl --project apollo', does: 'The graph of a project.' },
  ],
  notes: 'FILE gets an entity or a relation on each line. lamina import-graph reads it again.',
  async run(given) {
    const [file = ''] = given.words;
    const principal = principalFrom(given);
    const scope = graphScopeFrom(given, principal);
    const output = await newFile(file);
    try {
      const lines = await readMemory(given, principal, (memory) =>
        writeLines(graphLines({ memory, scope }), output, given.signal),
      );
      return answer(given, { file, lines }, () => `Wrote ${lines} lines to ${file}.`);
    } catch (error) {
      await output.close();
      // Half of a graph would be taken for all of it.
      await unlink(file);
      throw error;
    }
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
async function writeLines(lines: AsyncIterable<string>, output: FileHandle, signal: AbortSignal): Promise<number> {
  let count = 0;
  async function* counted(): AsyncGenerator<string, void> {
    for await (const line of lines) {
      count += 1;
      yield `${line}\n`;
    }
  }
  await pipeline(Readable.from(counted()), output.createWriteStream(), { signal });
  return count;
}
