/** `lamina` as a process that is told to stop: Ctrl-C, a closed pipe, a terminal of a certain width. */

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { callCli } from './cli-caller.ts';
import { LaminaProcess } from './lamina-process.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const COUNT = 3000;
const PROGRAM = `${process.execPath} ${resolve('bin/lamina.js')}`;

let folder: string;

beforeAll(async () => {
  folder = await makeFolder();
  const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
  const memory = lamina.as({ userId: 'u' });
  for (let done = 0; done < COUNT; done += 100) {
    const texts = Array.from({ length: 100 }, (_, index) => `Memory number ${done + index}`);
    await memory.addMany(texts.map((content) => ({ content, layer: 'user' as const })));
  }
  await lamina.close();
}, 120_000);

afterAll(() => removeFolder(folder));

const listing = (): string[] => ['list', '--all', '--json', '--database', `sqlite:${folder}`, '--user', 'u'];

describe('Ctrl-C', () => {
  it('ends a long list between two pages, with whole lines and code 130', async () => {
    const process = new LaminaProcess(listing(), folder);
    while (process.stdout === '' && process.child.exitCode === null) await new Promise((done) => setTimeout(done, 1));
    process.child.kill('SIGINT');
    const { code, stdout, stderr } = await process.ended();
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'Stopped.\n' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(COUNT);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('id');
  }, 60_000);

  it('ends one in this process at once, also while it waits for an answer', async () => {
    const { Stopped } = await import('../src/cli/terminal/stop-signal.ts');
    const controller = new AbortController();
    let pages = 0;
    const { code, stdout } = await callCli(listing(), {
      signal: controller.signal,
      written: () => {
        pages += 1;
        if (pages === 2) controller.abort(new Stopped('Stopped.', 130));
      },
    });
    expect(code).toBe(130);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(300);
  });

  it('is 143 for SIGTERM', async () => {
    const process = new LaminaProcess(listing(), folder);
    while (process.stdout === '' && process.child.exitCode === null) await new Promise((done) => setTimeout(done, 1));
    process.child.kill('SIGTERM');
    expect((await process.ended()).code).toBe(143);
  }, 60_000);
});

describe('a closed pipe', () => {
  it.each([
    ['list', `${COUNT} lines`],
    ['help serve', 'help'],
  ])(
    'ends lamina %s quietly',
    async (command) => {
      const args = command === 'list' ? listing().join(' ') : command;
      const shell = `set -o pipefail; ${PROGRAM} ${args} | head -n 1; echo "codes \${PIPESTATUS[*]}"`;
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', shell], { cwd: folder });
      expect(stderr).toBe('');
      expect(stdout.trimEnd().split('\n')).toHaveLength(2);
      expect(stdout).toMatch(/codes 0 0\n$/);
    },
    60_000,
  );
});

describe('a full disk', () => {
  it.each(['list', 'export -', 'help serve'])(
    'is told by lamina %s in a line',
    async (command) => {
      const where = command === 'help serve' ? '' : `--database sqlite:${folder} --user u`;
      const shell = `${PROGRAM} ${command} ${where} >/dev/full; echo "code $?"`;
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', shell], { cwd: folder });
      expect(stdout).toBe('code 1\n');
      expect(stderr).toMatch(
        /UNAVAILABLE: The output could not be written: it is not complete\. \(ENOSPC.*\)\nMake room/,
      );
      expect(stderr).not.toContain('    at ');
    },
    60_000,
  );
});

it('fits a real terminal, with colour', async () => {
  const args = ['list', '--limit', '3', '--database', `sqlite:${folder}`, '--user', 'u'];
  const shell = `stty cols 70; ${PROGRAM} ${args.join(' ')}`;
  const run = promisify(execFile)('script', ['-qec', shell, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', HOME: join(folder, 'home') },
  });
  const { stdout } = await run;
  expect(stdout).toContain('\u001B[1mID');
  const lines = stripVTControlCharacters(stdout).split('\r\n');
  for (const line of lines.slice(0, 4)) expect(line.length).toBeLessThanOrEqual(70);
}, 60_000);
