/** The command line, from the table of commands. */

import type { Command, Flag } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { flagSentence, flagUsage, usageOf } from '../../src/cli/help.ts';
import { exitCodesTable } from './exit-codes-table.ts';
import { code, fence, page, prose, table } from './markdown.ts';

export function cliPage(): string {
  return page(
    'Command line',
    '`npx lamina COMMAND [flags]` in a project that [has Lamina](../guide/installing.md), or `lamina` where it is installed globally. `lamina help COMMAND` shows what ' +
      'stands here. Settings that several commands share come from the environment and the file too: ' +
      '[configuration](../configuration.md).',
    table(
      ['command', 'what it does'],
      COMMANDS.map(({ name, summary }) => [`[${code(name)}](#lamina-${name})`, prose(summary)]),
    ),
    ...COMMANDS.flatMap((command) => sections(command, command.name, 2)),
    '## Exit codes',
    exitCodesTable(),
  );
}

function sections(command: Command, path: string, level: number): string[] {
  const { summary, parameters = [], variables = [], examples, notes = '', commands = [] } = command;
  const below = commands.flatMap((each) => sections(each, `${path} ${each.name}`, level + 1));
  const parts = [
    `${'#'.repeat(level)} ${code(`lamina ${path}`)}`,
    prose(summary.endsWith('.') ? summary : `${summary}.`),
    command.run ? fence('text', `lamina ${usageOf(command, path)}${command.flags.length > 0 ? ' [flags]' : ''}`) : '',
    rows(
      'word',
      parameters.map(({ name, description }) => [code(name), prose(description)]),
    ),
    ...flagTables(command.flags),
    rows(
      'variable',
      variables.map(({ name, description, fallback }) => [
        code(name),
        prose(fallback === undefined ? description : `${description}. Default: ${fallback}.`),
      ]),
    ),
    exampleBlock(examples),
    ...notes.split('\n\n').map(prose),
  ];
  return [...parts.filter((part) => part !== ''), ...below];
}

function flagTables(flags: readonly Flag[]): string[] {
  const groups = [...new Set(flags.map(({ group }) => group))];
  return groups.map((group) =>
    rows(
      group === undefined ? 'flag' : `flag: ${group.toLowerCase()}`,
      flags.filter((flag) => flag.group === group).map((flag) => [code(flagUsage(flag)), prose(flagSentence(flag))]),
    ),
  );
}

function rows(head: string, cells: readonly (readonly string[])[]): string {
  return cells.length === 0 ? '' : table([head, 'what it is'], cells);
}

/** The test of the command line runs them. */
function exampleBlock(examples: Command['examples']): string {
  const lines = examples.map(({ line, does }) => `# ${does}\n${line}`);
  return lines.length === 0
    ? ''
    : fence('sh no-run: the tests of the command line run its examples', lines.join('\n\n'));
}
