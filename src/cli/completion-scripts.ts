/** The completion scripts of the shells, written from the table of commands. Pure. */

import type { Command, Flag } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/** A command with those above it, and what can follow. */
interface Node {
  /** `keys create`; empty for `lamina` itself. */
  readonly path: string;
  readonly command: Pick<Command, 'commands' | 'flags' | 'parameters'>;
}

const HELP: Flag = { name: 'help', description: 'Show the help' };

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  // Its own emulation of bash's completion: one script for both.
  zsh: (commands) => `#compdef lamina\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

function nodesOf(commands: readonly Command[]): Node[] {
  const root = { path: '', command: { commands, flags: [{ name: 'version', description: 'Show the version' }] } };
  return [root, ...below(commands, '')];
}

function below(commands: readonly Command[], above: string): Node[] {
  return commands.flatMap((command) => {
    const path = above === '' ? command.name : `${above} ${command.name}`;
    return [{ path, command }, ...below(command.commands ?? [], path)];
  });
}

function flagsOf({ command }: Node): readonly Flag[] {
  return [...command.flags, HELP];
}

/** What can stand where a word is expected: commands below it, or choices of the first parameter. */
function wordsOf({ path, command: { commands = [], parameters = [] } }: Node): string[] {
  const help = path === '' ? ['help'] : [];
  return [...commands.map(({ name }) => name), ...(parameters[0]?.choices ?? []), ...help];
}

/** Undefined: whatever the shell completes by itself, which are files. */
function valuesOf({ value, choices }: Flag): 'folders' | readonly string[] | undefined {
  if (choices) return choices;
  if (value === 'FOLDER') return 'folders';
  return value === 'FILE' || value === 'ADDRESS' ? undefined : [];
}

function bashScript(commands: readonly Command[]): string {
  const nodes = nodesOf(commands);
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return [
    '_lamina() {',
    "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path='' word index",
    '  COMPREPLY=()',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    '    word=${COMP_WORDS[index]}',
    '    [[ $index == 1 && $word == help ]] && continue',
    '    case "${path:+$path }$word" in',
    `      ${paths.join('|')}) path="\${path:+$path }$word" ;;`,
    '    esac',
    '  done',
    '  case "$path:$previous" in',
    ...nodes.flatMap((node) => node.command.flags.flatMap((flag) => bashValues(node, flag))),
    '  esac',
    '  case "$path" in',
    ...nodes.map((node) => {
      const flags = flagsOf(node).map(({ name }) => `--${name}`);
      return `    '${node.path}') set -- '${wordsOf(node).join(' ')}' '${flags.join(' ')}' ;;`;
    }),
    '  esac',
    '  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$2" -- "$current"))',
    '  else COMPREPLY=($(compgen -W "$1" -- "$current")); fi',
    '}',
    'complete -o bashdefault -o default -F _lamina lamina',
    '',
  ].join('\n');
}

/** Within `'path:--flag')`. */
function bashValues({ path }: Node, flag: Flag): string[] {
  if (flag.value === undefined) return [];
  const values = valuesOf(flag);
  const start = `    '${path}:--${flag.name}')`;
  if (values === undefined) return [`${start} return ;;`];
  if (values === 'folders') return [`${start} COMPREPLY=($(compgen -d -- "$current")); return ;;`];
  // Nothing is known of the value: a blank keeps the shell from offering files.
  if (values.length === 0) return [`${start} compopt +o default +o bashdefault 2> /dev/null; return ;;`];
  return [`${start} COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current")); return ;;`];
}

function fishScript(commands: readonly Command[]): string {
  const nodes = nodesOf(commands);
  return [
    'function __lamina_at',
    "    set -l path ''",
    '    for word in (commandline -opc)[2..]',
    '        switch (string trim -- "$path $word")',
    `            case ${nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => `'${path}'`)
      .join(' ')}`,
    '                set path (string trim -- "$path $word")',
    '        end',
    '    end',
    '    test "$path" = "$argv[1]"',
    'end',
    'complete -c lamina -f',
    ...nodes.flatMap((node) => fishLines(node)),
    '',
  ].join('\n');
}

function fishLines(node: Node): string[] {
  const { path, command } = node;
  const start = `complete -c lamina -n '__lamina_at "${path}"'`;
  const words = wordsOf(node).map((name) => {
    const summary = command.commands?.find((each) => each.name === name)?.summary ?? '';
    return `${start} -a '${name}' -d '${quoted(summary)}'`;
  });
  const files = command.parameters?.some(({ name }) => name === 'FILE' || name === 'FOLDER') ? [`${start} -F`] : [];
  return [...words, ...files, ...flagsOf(node).map((flag) => `${start} ${fishFlag(flag)}`)];
}

function fishFlag(flag: Flag): string {
  const start = `-l ${flag.name} -d '${quoted(flag.description)}'`;
  if (flag.value === undefined) return start;
  const values = valuesOf(flag);
  if (values === undefined) return `${start} -r -F`;
  if (values === 'folders') return `${start} -x -a '(__fish_complete_directories)'`;
  return values.length === 0 ? `${start} -x` : `${start} -x -a '${values.join(' ')}'`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
