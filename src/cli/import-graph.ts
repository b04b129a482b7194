/** `lamina import-graph`: takes over what the reference MCP memory server has written to its file. */

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { LaminaError } from '../domain/error.ts';
import { graphBatches, readGraphLine } from '../tools/graph-import.ts';
import type { GraphPlace } from '../tools/graph-place.ts';
import { importGraphBatch, type GraphCounts } from '../tools/graph-transfer.ts';
import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { graphScopeFrom } from './graph-scope.ts';
import { oneLayer, principalFrom, whichMemory, withOwnUser } from './memory-flags.ts';
import { withMemory } from './open-memory.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { betweenPages } from './terminal/stop-signal.ts';

const NO_UTF8 = 'not in UTF-8, the encoding of this format';

/** More of them do not help more. */
const MAX_COMPLAINTS = 20;

export const importGraph: Command = {
  name: 'import-graph',
  summary: 'Take over the file of the reference MCP memory server.',
  parameters: [{ name: 'FILE', description: 'The file of that server, memory.jsonl' }],
  flags: [
    { name: 'dry-run', description: 'Only check the file and count what is in it' },
    JSON_FLAG,
    ...whichMemory(),
    ...oneLayer('user'),
  ],
  examples: [
    { line: 'lamina import-graph memory.jsonl --dry-run', does: 'Checks the file.' },
    { line: 'lamina import-graph memory.jsonl', does: 'Takes it over as your own graph.' },
  ],
  notes: [
    'FILE has an entity or a relation on each line, as @modelcontextprotocol/server-memory writes it (memory.jsonl). All',
    'of it is checked before anything is written. What is there already stays as it is: a second run changes nothing, and',
    'one that was interrupted can be repeated. An entity that is there gets the observations that it lacks.',
  ].join('\n'),
  run: (given) => importGraphFile(given, given.words[0] ?? '', given.has('dry-run')),
};

/** The same as a format of `lamina import --from`. */
export async function importGraphFile(given: Given, file: string, isDryRun: boolean): Promise<number> {
  const principal = principalFrom(given);
  const scope = graphScopeFrom(given);
  const { lines, entities, relations, complaints } = await check(file);
  if (complaints.length > 0) {
    const shown = [...complaints.slice(0, MAX_COMPLAINTS), summaryOf(complaints.length)];
    given.terminal.stderr.write(`${shown.join('\n')}\n`);
    return EXIT_CODES.failed.code;
  }
  if (isDryRun) {
    const text = `The file can be imported: ${counted(entities, 'entity', 'entities')} and ${counted(relations, 'relation')}.`;
    return answer(given, { dryRun: true, lines, entities, relations }, () => text);
  }
  const counts = await withMemory(given, principal, async (memory) =>
    write(given, file, { memory, scope: await withOwnUser(memory, scope) }, lines),
  );
  return answer(
    given,
    { dryRun: false, lines, ...counts },
    () =>
      `Imported ${counted(lines, 'line')}: ${counted(counts.entities, 'entity', 'entities')}, ` +
      `${counted(counts.observations, 'observation')} and ${counted(counts.relations, 'relation')} are new.`,
  );
}

/**
 * Line by line, however large the file is: the bytes, a character each, since of what is no UTF-8 nothing must be guessed.
 * Throws `NOT_FOUND` where it cannot be read.
 */
async function* byteLinesOf(file: string): AsyncGenerator<string, void> {
  try {
    yield* createInterface({ input: createReadStream(file, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    if (cause instanceof LaminaError) throw cause;
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
  }
}

/** Undefined for what is no UTF-8. */
function textOf(byteLine: string): string | undefined {
  const bytes = Buffer.from(byteLine, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Throws `VALIDATION_FAILED` for what is no UTF-8. */
async function* linesOf(file: string): AsyncGenerator<string, void> {
  for await (const byteLine of byteLinesOf(file)) {
    const text = textOf(byteLine);
    if (text === undefined) throw new LaminaError('VALIDATION_FAILED', `The file "${file}" is ${NO_UTF8}.`);
    yield text;
  }
}

interface Checked {
  readonly lines: number;
  readonly entities: number;
  readonly relations: number;
  readonly complaints: readonly string[];
}

async function check(file: string): Promise<Checked> {
  const counts = { entity: 0, relation: 0 };
  const complaints: string[] = [];
  let lines = 0;
  for await (const byteLine of byteLinesOf(file)) {
    lines += 1;
    const text = textOf(byteLine);
    const read = text === undefined ? { problem: NO_UTF8 } : readGraphLine(text);
    if (read === undefined) continue;
    if ('problem' in read) complaints.push(`Line ${lines}: ${read.problem}.`);
    else counts[read.line.type] += 1;
  }
  return { lines, entities: counts.entity, relations: counts.relation, complaints };
}

function summaryOf(complaints: number): string {
  const more = complaints > MAX_COMPLAINTS ? ` ${complaints} lines are bad in all.` : '';
  return `Nothing was written.${more}`;
}

async function write(given: Given, file: string, place: GraphPlace, total: number): Promise<GraphCounts> {
  const bar = progressBar(given);
  const sum = { entities: 0, observations: 0, relations: 0 };
  let done = 0;
  try {
    for await (const batch of graphBatches(linesOf(file))) {
      await betweenPages(given.signal);
      const counts = await importGraphBatch(place, batch);
      for (const name of ['entities', 'observations', 'relations'] as const) sum[name] += counts[name];
      done += batch.lines;
      // What is done at once needs no bar.
      if (total > batch.lines) bar.show({ done, total, label: 'lines' });
    }
  } finally {
    bar.clear();
  }
  return sum;
}
