/** `lamina export-graph`: writes the knowledge graph as the reference MCP memory server keeps it. */

import { open, unlink, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LaminaError } from '../domain/error.ts';
import { graphLines } from '../tools/graph-transfer.ts';
import { writeOut } from './bundle/bundle-file.ts';
import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { graphScopeFrom } from './graph-scope.ts';
import { oneLayer, principalFrom, whichMemory, withOwnUser } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';

const STANDARD_OUTPUT = '-';

export const exportGraph: Command = {
  name: 'export-graph',
  summary: 'Write the knowledge graph to a file of the reference MCP memory server.',
  parameters: [
    { name: 'FILE', description: 'Where to write it, which must not be there yet; - for the standard output' },
  ],
  flags: [JSON_FLAG, ...whichMemory(), ...oneLayer('user')],
  examples: [
    { line: 'lamina export-graph memory.jsonl', does: 'Your own graph, for the reference MCP memory server.' },
    { line: 'lamina export-graph apollo.jsonl --project apollo', does: 'The graph of a project.' },
  ],
  notes: 'FILE gets an entity or a relation on each line. lamina import-graph reads it again.',
  async run(given) {
    const [file = ''] = given.words;
    const isOut = file === STANDARD_OUTPUT;
    const lines = await (isOut
      ? written(given, (text) => writeOut(given.terminal.stdout, text, { gzip: false, signal: given.signal }))
      : writtenTo(given, file));
    const { terminal } = given;
    // Not among the lines, where those go to the standard output.
    const told = isOut ? { ...given, terminal: { ...terminal, stdout: terminal.stderr } } : given;
    return answer(told, { file, lines }, () => `Wrote ${counted(lines, 'line')}${isOut ? '' : ` to ${file}`}.`);
  },
};

type Write = (text: AsyncIterable<string>) => Promise<void>;

/** How many lines. Nothing is read faster than it is written. */
async function written(given: Given, write: Write): Promise<number> {
  const principal = principalFrom(given);
  const scope = graphScopeFrom(given);
  let count = 0;
  await readMemory(given, principal, (memory) =>
    write(
      (async function* () {
        for await (const line of graphLines({ memory, scope: await withOwnUser(memory, scope) })) {
          count += 1;
          yield `${line}\n`;
        }
      })(),
    ),
  );
  return count;
}

async function writtenTo(given: Given, file: string): Promise<number> {
  const output = await newFile(file);
  try {
    return await written(given, (text) =>
      pipeline(Readable.from(text), output.createWriteStream(), { signal: given.signal }),
    );
  } catch (error) {
    await output.close();
    // Half of a graph would be taken for all of it.
    await unlink(file);
    throw error;
  }
}

async function newFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx');
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be made; it must not be there yet.`, { cause });
  }
}
