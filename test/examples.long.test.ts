/** Every example runs to its end, as its reader would run it. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const EXAMPLES = readdirSync('examples', { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);
const PROGRAMS = EXAMPLES.filter((name) => existsSync(join('examples', name, 'main.ts')));

const TIMEOUT_MS = 120_000;
const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Run {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function runCommand(command: string, ...args: readonly string[]): Promise<Run> {
  // Whatever this machine's own LAMINA_ variables say must not leak in.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('LAMINA_')));
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

async function run(name: string): Promise<string> {
  return succeeded(await runCommand(process.execPath, join('examples', name, 'main.ts')));
}

function succeeded({ code, stdout, stderr }: Run): string {
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** What an example has to show besides running to its end, which includes its own checks. */
const SHOWS: Readonly<Record<string, (stdout: string) => void>> = {
  'ai-sdk-chat'(stdout) {
    const answers = [...stdout.matchAll(/^kitchen-helper: (.*)$/gm)].map(([, answer]) => answer);
    expect(answers).toEqual([
      'Pesto with hazelnuts?',
      'I am sorry to hear that.',
      'Pesto with pine nuts, as hazelnuts are not for you.',
      'Noted, I will remember that.',
      'Pesto with pine nuts, as hazelnuts are not for you. Enough for you and two children.',
    ]);
    expect(stdout).toMatch(/\| - \d{4}-\d\d-\d\d, user: I am allergic to hazelnuts/);
  },
  delegation(stdout) {
    expect(stdout.match(/The task is complete\./g)).toHaveLength(1);
    expect(stdout.match(/found/g)?.length).toBeGreaterThanOrEqual(4);
    expect(stdout).toContain('Answers sent: 1. Left in memory: nothing.');
  },
  'research-plan'(stdout) {
    expect(stdout.match(/research\.completed/g)).toHaveLength(1);
    expect(stdout).toContain('a report from 4 sources');
    expect(stdout).toContain('the pool is not there for me');
    expect(stdout).toContain('working memory left: none');
    expect(stdout).toContain('How did the prices of heat pumps change? Prices of heat pumps fell by a tenth');
  },
  'coding-agent'(stdout) {
    const first = [...stdout.matchAll(/use in TypeScript\?\n {2}(\w+) +(.*)/g)].map(([, layer, rule]) => [layer, rule]);
    expect(first).toEqual([
      ['project', 'TypeScript is indented with tabs'],
      ['team', 'TypeScript is indented with two spaces'],
      ['team', 'TypeScript is indented with two spaces'],
    ]);
  },
  'billing-support'(stdout) {
    expect(stdout).toContain('When discussing billing, check Stripe status first.');
    expect(stdout).toContain(
      'Agent: I looked at your account acc_123. Billing failed with error 402. Error 402 means insufficient funds.',
    );
    expect(stdout).toMatch(/Bob finds 0 turns, 0 cards and [1-9]/);
  },
  'personal-agent'(stdout) {
    expect(stdout).toContain('It knew: true, true, false, false, false');
    expect(stdout).toContain('(without memory)');
  },
};

describe('examples', () => {
  it('have a page each, and a line in the list of them', () => {
    const list = readFileSync('examples/README.md', 'utf8');
    for (const name of EXAMPLES) {
      expect(existsSync(join('examples', name, 'README.md')), name).toBe(true);
      expect(list).toContain(`| [${name}](${name})`);
    }
    expect(EXAMPLES).toEqual(expect.arrayContaining([...Object.keys(SHOWS), 'curl', 'python']));
  });

  it.each(PROGRAMS)(
    '%s runs, and shows what it is for',
    async (name) => {
      const stdout = await run(name);
      expect(stdout.split('\n').length).toBeGreaterThan(3);
      SHOWS[name]?.(stdout);
    },
    TIMEOUT_MS,
  );

  it(
    'curl gets the answers that it expects',
    async () => {
      const stdout = succeeded(await runCommand('bash', 'examples/curl/run.sh'));
      expect(stdout).toMatch(/-> 409\n/);
      expect(stdout).toMatch(/Everything was as expected\.\n$/);
    },
    TIMEOUT_MS,
  );

  // With CI set there must be a Python, so that the client is not left untried unnoticed.
  it.skipIf(!hasPython && !process.env['CI'])(
    'python does without anything but the standard library (needs python3)',
    async () => {
      // Isolated: no packages of the user's or of the machine's. Without bytecode, which would stay behind.
      const path = [
        '-c',
        'import runpy, sys; sys.path.insert(0, "examples/python"); runpy.run_module("demo", run_name="__main__")',
      ];
      const stdout = succeeded(await runCommand('python3', '-I', '-S', '-B', '-W', 'error', ...path));
      expect(stdout).toContain('Told twice: created, then unchanged.');
      expect(stdout).toContain('Overloaded once: the client tried again, and found it.');
      expect(stdout).toMatch(/Forgotten: 1\.\n$/);
    },
    TIMEOUT_MS,
  );
});
