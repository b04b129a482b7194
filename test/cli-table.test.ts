/** The table of commands: what help, completion, the reference and mistakes are made from. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Command } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { COMPLETION_SCRIPTS } from '../src/cli/completion-scripts.ts';
import { findCommand, readGiven } from '../src/cli/read-given.ts';
import { variablesAmong } from '../src/cli/setting-flags.ts';
import { processTerminal } from '../src/cli/terminal/terminal.ts';
import { callCli } from './cli-caller.ts';
import { readExample } from './example-line.ts';

interface Row {
  readonly path: string;
  readonly command: Command;
}

function rowsOf(commands: readonly Command[], above = ''): Row[] {
  return commands.flatMap((command) => {
    const path = `${above}${command.name}`;
    return [{ path, command }, ...rowsOf(command.commands ?? [], `${path} `)];
  });
}

const ROWS = rowsOf(COMMANDS);

describe.each(ROWS)('$path', ({ path, command }) => {
  it('has an example, and all of them are right', () => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { line } of command.examples) {
      const { program, args } = readExample(line);
      expect(program).toBe('lamina');
      const named = findCommand(COMMANDS, args);
      expect(named.path.startsWith(path), line).toBe(true);
      readGiven(named, { terminal: processTerminal(), signal: new AbortController().signal });
    }
  });

  it('is explained with everything that it takes, in lines that fit', async () => {
    const { code, stdout } = await callCli(['help', ...path.split(' ')]);
    expect(code).toBe(0);
    expect(stdout).toContain(command.summary);
    for (const { name } of command.flags) expect(stdout).toContain(`--${name}`);
    for (const { name } of command.parameters ?? []) expect(stdout).toContain(name);
    for (const { line } of command.examples) expect(stdout).toContain(`  ${line}\n`);
    expect(Math.max(...stdout.split('\n').map((each) => each.length))).toBeLessThanOrEqual(120);
  });

  it('takes a database by both names, and no flag for what only the environment gives', () => {
    const names = new Set(command.flags.map(({ name }) => name));
    expect(names.has('database')).toBe(names.has('database-url'));
    for (const { name } of variablesAmong()) {
      expect(names).not.toContain(name.slice('LAMINA_'.length).toLowerCase().replaceAll('_', '-'));
    }
  });

  it('names nothing twice, and tells it in one style', () => {
    const names = command.flags.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(command.summary).toMatch(/^[A-Z].*\.$/);
    for (const { name, value } of command.flags) expect(`${name} ${value ?? ''}`).toMatch(/^[a-z][a-z0-9-]* [A-Z:=]*$/);
    for (const { name } of command.parameters ?? []) expect(name).toMatch(/^[A-Z]+$/);
    expect(command.run !== undefined || (command.commands ?? []).length > 0).toBe(true);
  });
});

describe('mistakes', () => {
  it.each([
    [['keys', 'crate', 'x'], 'Unknown command "keys crate". Did you mean "create"? See: lamina help keys'],
    [['nope'], 'Unknown command "nope". See: lamina --help'],
    [
      ['add', '-5 degrees'],
      'Unknown flag "-5". Before a text that begins with a dash write --, as in: -- "-5 degrees".',
    ],
    [['list', '--nope'], 'Unknown flag "--nope". See: lamina help list'],
    [['keys', 'create', '--usr', 'x'], 'Unknown flag "--usr". Did you mean "--user"? See: lamina help keys create'],
    [['maintain', 'runz'], 'JOB is one of'],
    [['keys', 'create', 'x'], '--user is missing.'],
    [['list', '--json=yes'], '--json takes no value.'],
    [['list', '--status', 'activ'], '--status accepts active, archived, all, quarantined. Did you mean "active"?'],
    [['show'], 'ID is missing: the id of the memory'],
    [['list', '--limit', '0'], '--limit accepts a whole number from 1.'],
    [['list', '--all', '--limit', '3'], '--all and --limit exclude each other.'],
    [['add', 'x', '--expires', 'soon'], '--expires accepts a time'],
    [['add', 'x', '--metadata', '[1]'], '--metadata accepts a JSON object'],
    [['forget', '--tag', 'x', '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88'], 'Give ids or conditions, not both.'],
    [['tenants', 'erase', 'acme'], 'TENANT is a UUID.'],
  ])('answers %j with code 2', async (args, message) => {
    const { code, stdout, stderr } = await callCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('are JSON where JSON was asked for', async () => {
    const { stderr } = await callCli(['list', '--json', '--satus', 'x']);
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'VALIDATION_FAILED',
      retryable: false,
      message: expect.stringContaining('Unknown flag') as string,
    });
  });

  it('leave what follows -- alone', async () => {
    const { stderr } = await callCli(['show', '--', '--json', 'x']);
    expect(stderr).toContain('"x" is one word too many.');
  });
});

describe('completion in bash', () => {
  async function completed(...lines: readonly string[][]): Promise<string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'lamina-completion-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'some-folder'));
    await writeFile(join(folder, 'completion'), COMPLETION_SCRIPTS.bash(COMMANDS));
    const tries = lines.map((words) => `try ${words.map((word) => `'${word}'`).join(' ')}`);
    const script = [
      'source ./completion',
      'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lamina; echo "${COMPREPLY[*]}"; }',
      ...tries,
      'complete -p lamina',
    ].join('\n');
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
    expect(stderr).toBe('');
    const answers = stdout.trimEnd().split('\n');
    expect(answers.pop()).toContain('-F _lamina lamina');
    return answers;
  }

  it('offers commands, flags and values', async () => {
    const answers = await completed(
      ['lamina', 'hist'],
      ['lamina', 'keys', ''],
      ['lamina', 'help', 'ten'],
      ['lamina', 'help', 'tenants', 'er'],
      ['lamina', 'search', 'x', '--thr'],
      ['lamina', 'search', 'x', '--mode', ''],
      ['lamina', 'maintain', 'dedup'],
      ['lamina', 'list', '--limit', ''],
      ['lamina', 'bench', 'recall', 'x', '--resume', 'some'],
      ['lamina', 'list', '--st'],
      ['lamina', 'serve', '--reranker-folder', 'some'],
    );
    expect(answers).toEqual([
      'history',
      'create list revoke',
      'tenants',
      'erase',
      '--threshold',
      'hybrid keyword semantic',
      'deduplication',
      '',
      'some-folder',
      '--status',
      'some-folder',
    ]);
  });

  it('leaves files to the shell where a flag takes one', () => {
    const script = COMPLETION_SCRIPTS.bash(COMMANDS);
    for (const flag of ['config', 'master-key-file', 'tls-cert', 'database']) {
      expect(script).toContain(`'serve:--${flag}') return ;;`);
    }
  });

  it('is printed for each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await callCli(['completion', shell]);
      expect(code).toBe(0);
      for (const { name } of COMMANDS) expect(stdout).toContain(name);
    }
    expect((await callCli(['completion', 'csh'])).stderr).toContain('SHELL is one of bash, zsh, fish.');
  });
});
