/** Reads a command line against the parameters and flags of its command. */

import { parseArgs } from 'node:util';
import { didYouMean } from '../compose/nearest-name.ts';
import { usageError, type Command, type Flag, type Given, type Parameter } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The command that is named, and the words before it and of it. */
export interface Named {
  readonly command: Command;
  /** `keys create`. */
  readonly path: string;
  /** What follows. */
  readonly args: readonly string[];
}

export interface Surroundings {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Throws a usage error for a name that is none. */
export function findCommand(commands: readonly Command[], args: readonly string[], above?: Named): Named {
  const [name = '', ...rest] = args;
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw unknownCommand(commands, name, above?.path);
  const found = { command, path: above === undefined ? name : `${above.path} ${name}`, args: rest };
  return below(found) ?? found;
}

function below(above: Named): Named | undefined {
  const { command, args } = above;
  const { commands = [] } = command;
  const [next] = args;
  if (next === undefined || next.startsWith('-')) return undefined;
  const isNamed = commands.some(({ name }) => name === next);
  return isNamed || (commands.length > 0 && !command.run) ? findCommand(commands, args, above) : undefined;
}

function unknownCommand(commands: readonly Command[], name: string, above: string | undefined): Error {
  const names = [...commands.map((each) => each.name), ...(above === undefined ? ['help'] : [])];
  const unknown = `Unknown command "${above === undefined ? name : `${above} ${name}`}".`;
  return usageError(`${unknown}${didYouMean(name, names)}`, above);
}

/** Throws a usage error for whatever the command does not take. */
export function readGiven({ command, path, args }: Named, surroundings: Surroundings): Given {
  if (!command.run) throw usageError(`Say which: ${listOf(command.commands ?? [])}.`, path);
  const { values, words } = readTokens(tokensOf(command.flags, args), command, path);
  checkWords(command, words, path);
  const missing = command.flags.find(({ name, required }) => required && !values.has(name));
  if (missing !== undefined) throw usageError(missingText(missing), path);
  return {
    command: path,
    words,
    has: (flag) => values.has(flag),
    value: (flag) => values.get(flag)?.at(-1),
    values: (flag) => values.get(flag) ?? [],
    ...surroundings,
  };
}

function missingText({ name, choices }: Flag): string {
  return choices === undefined ? `--${name} is missing.` : `--${name} is missing: ${choices.join(', ')}.`;
}

function listOf(commands: readonly Command[]): string {
  return commands.map(({ name }) => name).join(', ');
}

function tokensOf(flags: readonly Flag[], args: readonly string[]): readonly Token[] {
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? ('boolean' as const) : ('string' as const) }]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readTokens(tokens: readonly Token[], { flags, parameters = [] }: Command, path: string) {
  const values = new Map<string, readonly string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = flags.find(({ name }) => name === token.name && token.rawName === `--${name}`);
    if (flag === undefined) {
      const known = flags.map(({ name }) => `--${name}`);
      const hint = didYouMean(token.rawName, known) + (parameters.length > 0 ? forText(token) : '');
      throw usageError(`Unknown flag "${token.rawName}".${hint}`, path);
    }
    values.set(flag.name, [...(values.get(flag.name) ?? []), valueOf(token, flag, path)]);
  }
  return { values, words };
}

/** No flag has one dash or a space, but a text may. */
function forText({ rawName }: Extract<Token, { kind: 'option' }>): string {
  return /^-[^-]|\s/.test(rawName) ? ' Before a text that begins with a dash write --, as in: -- "-5 degrees".' : '';
}

function valueOf(token: Extract<Token, { kind: 'option' }>, flag: Flag, path: string): string {
  const { name, value: placeholder, choices } = flag;
  if (placeholder === undefined) {
    if (token.value === undefined) return '';
    throw usageError(`--${name} takes no value.`, path);
  }
  const { value, inlineValue } = token;
  // A dash alone is a value, the standard input or output, and so is a number.
  const isFlagItself = inlineValue === false && value !== '-' && /^-(?!\d)/.test(value);
  if (value === undefined || isFlagItself) throw usageError(`--${name} needs a value.`, path);
  if (choices && !choices.includes(value)) {
    throw usageError(`--${name} accepts ${choices.join(', ')}.${didYouMean(value, choices)}`, path);
  }
  return value;
}

function checkWords({ parameters = [], commands = [] }: Command, words: readonly string[], path: string): void {
  for (const [index, parameter] of parameters.entries()) checkWord(parameter, words[index], path);
  const extra = parameters.some(({ many }) => many) ? undefined : words[parameters.length];
  if (extra === undefined) return;
  const names = commands.map(({ name }) => name);
  throw usageError(`"${extra}" is one word too many.${didYouMean(extra, names)}`, path);
}

function checkWord({ name, description, choices, optional }: Parameter, word: string | undefined, path: string): void {
  if (word === undefined) {
    if (optional) return;
    const [first = '', ...rest] = description;
    throw usageError(`${name} is missing: ${first.toLowerCase()}${rest.join('')}.`, path);
  }
  if (choices && !choices.includes(word)) {
    throw usageError(`${name} is one of ${choices.join(', ')}.${didYouMean(word, choices)}`, path);
  }
}
