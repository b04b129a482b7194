/** The command line: finds the command, runs it, and turns what it throws into a message and an exit code. */

import { didYouMean } from '../compose/nearest-name.ts';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import { bench } from './bench.ts';
import { usageError, type Command } from './command.ts';
import { copy } from './copy.ts';
import { EXIT_CODES, exitCodeOf } from './exit-code.ts';
import { exportGraph } from './export-graph.ts';
import { importGraph } from './import-graph.ts';
import { mcp } from './mcp.ts';
import { migrate } from './migrate.ts';
import { reindex } from './reindex.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { syncKnowledge } from './sync-knowledge.ts';
import { packageVersion } from '../compose/package-version.ts';

const COMMANDS: readonly Command[] = [
  serve,
  mcp,
  search,
  migrate,
  copy,
  reindex,
  syncKnowledge,
  importGraph,
  exportGraph,
  bench,
];

/** Of the first column of the overview. */
const WIDTH = 16;

/** Runs one command line, without the name of the program. Resolves with the exit code and never throws. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (thrown) {
    process.stderr.write(`${describe(thrown)}\n`);
    return exitCodeOf(asLaminaError(thrown));
  }
}

async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') return print(overview());
  if (name === '--version' || name === '-v') return print(`${await packageVersion()}\n`);
  if (name === 'help') return print(rest[0] === undefined ? overview() : find(rest[0]).help());
  if (name.startsWith('-')) {
    throw usageError(`Unknown flag "${name}".${didYouMean(name, ['--help', '--version'])}`);
  }
  const command = find(name);
  return asksForHelp(rest) ? print(command.help()) : command.run(rest);
}

/** What follows `--` is no flag. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function find(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) return command;
  const names = [...COMMANDS.map((each) => each.name), 'help'];
  throw usageError(`Unknown command "${name}".${didYouMean(name, names)}`);
}

function overview(): string {
  const commands = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(WIDTH)}${summary}`);
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(WIDTH)}${meaning}`);
  return [
    'Lamina: layered memory for AI agents.',
    '',
    'Usage: lamina COMMAND [flags]',
    '',
    'Commands',
    ...commands,
    `  ${'help'.padEnd(WIDTH)}Explain a command: lamina help serve`,
    '',
    'Flags',
    `  ${'--help'.padEnd(WIDTH)}Show this`,
    `  ${'--version'.padEnd(WIDTH)}Show the version`,
    '',
    'Exit codes',
    ...codes,
    '',
  ].join('\n');
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT_CODES.ok.code;
}

/** One readable line for what Lamina refuses; the whole story for what nobody foresaw. */
function describe(thrown: unknown): string {
  if (thrown instanceof LaminaError) {
    const reason = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
    return `${thrown.code}: ${thrown.message}${reason}`;
  }
  return `Unexpected error. Please report it.\n${thrown instanceof Error ? thrown.stack : String(thrown)}`;
}
