/** The help of the command line, written from the table of commands. Pure. */

import { type Command, type Flag } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';

/** Of a line of help, and of its first column. */
const WIDTH = 110;
const COLUMN = 24;

/** The text of `lamina --help`. */
export function overviewText(commands: readonly Command[]): string {
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning] as const);
  return [
    'Lamina: layered memory for AI agents.',
    '',
    'Usage: lamina COMMAND [flags]',
    '',
    'Commands',
    ...commands.flatMap(({ name, summary }) => row(name, summary)),
    ...row('help', 'Explain a command: lamina help serve'),
    '',
    'Flags',
    ...row('--help', 'Show this'),
    ...row('--version', 'Show the version'),
    '',
    'Exit codes',
    ...codes.flatMap(([code, meaning]) => row(code, meaning)),
    '',
  ].join('\n');
}

/** The text of `lamina help NAME`. `path` is the command with those above it. */
export function helpText(command: Command, path: string = command.name): string {
  const { summary, parameters = [], commands = [], variables = [], examples, notes } = command;
  const sections = [
    [summary],
    usageLines(command, path),
    parameters.flatMap(({ name, description, choices }) => row(name, sentence(description, choices))),
    titled(
      'Commands',
      commands.flatMap((each) => row(each.name, each.summary)),
    ),
    ...flagSections(command.flags),
    titled(
      'Environment variables',
      variables.flatMap(({ name, description, fallback }) => row(name, sentence(description, [], fallback))),
    ),
    titled(
      'Examples',
      examples.flatMap(({ line, does }) => [`  ${line}`, ...wrapped(does, WIDTH - 6).map((text) => `      ${text}`)]),
    ),
    ...(notes ?? '').split('\n\n').map((paragraph) => wrapped(paragraph, WIDTH)),
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${text.join('\n\n')}\n`;
}

function usageLines(command: Command, path: string): string[] {
  const { commands = [], flags } = command;
  const own = `Usage: lamina ${usageOf(command, path)}${flags.length > 0 ? ' [flags]' : ''}`;
  const isBelow = commands.length > 0;
  if (!command.run) return [`Usage: lamina ${path} COMMAND [flags]`];
  return isBelow ? [own, `       lamina ${path} COMMAND [flags]`] : [own];
}

/** The command with what it needs: `forget [ID …]`, `copy --from ADDRESS --to ADDRESS`. */
export function usageOf({ parameters = [], flags }: Command, path: string): string {
  const words = parameters.map(({ name, optional, many }) => {
    const shown = many ? `${name} …` : name;
    return optional ? `[${shown}]` : shown;
  });
  return [path, ...words, ...flags.filter(({ required }) => required).map(flagUsage)].join(' ');
}

function flagSections(flags: readonly Flag[]): string[][] {
  const titles = [...new Set(flags.map(groupOf))];
  return titles.map((title) =>
    titled(
      title,
      flags.filter((flag) => groupOf(flag) === title).flatMap((flag) => row(flagUsage(flag), flagSentence(flag))),
    ),
  );
}

function groupOf({ group = 'Flags' }: Flag): string {
  return group;
}

/** `--tenant UUID`. */
export function flagUsage({ name, value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Everything that there is to say of a flag. */
export function flagSentence({ description, choices, fallback, variable, repeatable }: Flag): string {
  const more = [
    ...(repeatable ? ['Can be given more than once.'] : []),
    ...(variable === undefined ? [] : [`Also ${variable}.`]),
  ];
  return [sentence(description, choices, fallback), ...more].join(' ');
}

function sentence(description: string, choices: readonly string[] = [], fallback?: string): string {
  const told = `${description}${choices.length === 0 ? '' : `: ${choices.join(', ')}`}`;
  const ended = /[.!?]$/.test(told) ? told : `${told}.`;
  return fallback === undefined ? ended : `${ended} Default: ${fallback}.`;
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** A name, and beside it what it is; below it where the name is long. */
function row(name: string, text: string): string[] {
  const lines = wrapped(text, WIDTH - COLUMN - 2);
  const indented = lines.map((line) => `  ${''.padEnd(COLUMN)}${line}`);
  if (name.length >= COLUMN) return [`  ${name}`, ...indented];
  return [`  ${name.padEnd(COLUMN)}${lines[0] ?? ''}`, ...indented.slice(1)];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
