/** The command line: help, version, mistakes and refusals, each with its exit code; as a process where that matters. */

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SETTING_KEYS, SETTINGS } from '../src/compose/settings.ts';
import { callCli } from './cli-caller.ts';
import { LaminaProcess, runLamina } from './lamina-process.ts';

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']], [[]]])('shows the commands for %j', async (args) => {
    const { code, stdout, stderr } = await callCli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/serve +Serve memory over HTTP/);
    expect(stdout).toContain('Exit codes');
  });

  it.each([[['help', 'serve']], [['serve', '--help']], [['serve', '--port', 'nonsense', '-h']]])(
    'explains every setting for %j',
    async (args) => {
      const { code, stdout } = await callCli(args);
      expect(code).toBe(0);
      for (const key of SETTING_KEYS) expect(stdout).toContain(SETTINGS[key].variable);
      expect(stdout).toContain('--database-url');
      expect(stdout).not.toContain('--openai-api-key');
    },
  );

  it('comes without touching the configuration', async () => {
    expect((await runLamina(['--help'], { LAMINA_PORT: 'nonsense' })).code).toBe(0);
  });
});

it.each(['--version', '-v'])('tells the version for %s', async (flag) => {
  const { code, stdout } = await runLamina([flag]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('answers a mistake as a process does', async () => {
  const { code, stdout, stderr } = await runLamina(['sevre']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Did you mean "serve"?');
});

describe('mistakes', () => {
  it.each([
    [['sevre'], 'Unknown command "sevre". Did you mean "serve"?'],
    [['help', 'sevre'], 'Unknown command "sevre". Did you mean "serve"?'],
    [['--verison'], 'Unknown flag "--verison". Did you mean "--version"?'],
    [['serve', '--prot', '1'], 'Unknown flag "--prot". Did you mean "--port"?'],
    [['serve', '--openai-api-key', 'sk-secret'], 'Unknown flag "--openai-api-key".'],
    [['serve', '-x'], 'Unknown flag "-x".'],
    [['serve', '--port'], '--port needs a value.'],
    [['serve', '--port', '--host', '::1'], '--port needs a value.'],
    [['serve', 'now'], '"now" is one word too many.'],
  ])('answers %j with code 2 and advice', async (args, message) => {
    const { code, stdout, stderr } = await callCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/See: lamina (--help|help serve)\n$/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('refusals', () => {
  it.each([
    [['--host', '0.0.0.0'], {}, '--host is "0.0.0.0"'],
    [[], { LAMINA_HOST: '0.0.0.0' }, 'LAMINA_HOST is "0.0.0.0"'],
    [['--port', '99999'], {}, '--port is 99999'],
    [['--port=-1'], {}, '--port is "-1"'],
    [[], { LAMINA_PORT: 'http' }, 'LAMINA_PORT is "http"'],
    [[], { LAMINA_PROT: '1' }, 'LAMINA_PROT is not a known variable. Did you mean "LAMINA_PORT"?'],
    [['--database-url', 'mysql://u:secret@db/x'], {}, 'postgres://'],
    [['--config', 'missing.json'], {}, 'does not exist'],
  ])('stops serve %j with %j', async (flags, environment, message) => {
    const { code, stdout, stderr } = await callCli(['serve', ...flags], { environment });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^CONFIGURATION_ERROR: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/secret|\n +at /);
  });

  it('names LAMINA_PORT when the port is taken', async () => {
    const other = createServer();
    const folder = await mkdtemp(join(tmpdir(), 'lamina-cli-'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo;
      const process = new LaminaProcess(['serve', '--port', String(port), '--log-level', 'silent'], folder);
      const { code, stderr } = await process.ended();
      expect(code).toBe(78);
      // An empty folder would be taken for the memory of a service.
      expect(await readdir(folder)).toEqual([]);
      expect(stderr).toContain(`127.0.0.1:${port} is in use already`);
      expect(stderr).toContain('--port');
      expect(stderr).toContain('LAMINA_PORT');
    } finally {
      other.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('bin/lamina.js', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const NEEDED = engines.node.replace('>=', '');
  const execute = promisify(execFile);

  /** The program in a folder of its own, between the files that are given. */
  async function copyWith(
    files: Readonly<Record<string, string>>,
    work: (program: string) => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'lamina-bin-'));
    try {
      await mkdir(join(folder, 'bin'));
      await cp('bin/lamina.js', join(folder, 'bin/lamina.js'));
      await cp('package.json', join(folder, 'package.json'));
      for (const [path, text] of Object.entries(files)) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await work(join(folder, 'bin/lamina.js'));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  const says = (word: string): string => `export const main = async (args) => (console.log('${word}', ...args), 3);`;

  it('runs src in a checkout, even when there is a dist, and ends with its code', async () => {
    await copyWith({ 'src/cli/main.ts': says('src'), 'dist/cli/main.js': says('dist') }, async (program) => {
      await expect(execute(process.execPath, [program, 'a'])).rejects.toMatchObject({ code: 3, stdout: 'src a\n' });
    });
  });

  it('runs dist where there is no src', async () => {
    await copyWith({ 'dist/cli/main.js': says('dist') }, async (program) => {
      await expect(execute(process.execPath, [program])).rejects.toMatchObject({ code: 3, stdout: 'dist\n' });
    });
  });

  it('says so when there is neither', async () => {
    await copyWith({}, async (program) => {
      const stderr: unknown = expect.stringContaining('not complete');
      await expect(execute(process.execPath, [program])).rejects.toMatchObject({ code: 1, stderr });
    });
  });

  it.each([
    ['20.19.0', { 'dist/cli/main.js': says('dist') }, `needs ${NEEDED} or newer`],
    ['22.9.9', { 'dist/cli/main.js': says('dist') }, `needs ${NEEDED} or newer`],
    ['22.17.9', { 'src/cli/main.ts': says('src') }, 'needs 22.18 or newer'],
  ])('advises on Node %s', async (version, files, advice) => {
    await copyWith(files, async (program) => {
      const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
      const preload = `data:text/javascript,${encodeURIComponent(versions)}`;
      const stderr: unknown = expect.stringContaining(advice);
      await expect(execute(process.execPath, ['--import', preload, program])).rejects.toMatchObject({
        code: 1,
        stderr,
      });
    });
  });
});
