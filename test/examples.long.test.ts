/** Every example runs to its end, as its reader would run it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const EXAMPLES = readdirSync('examples', { withFileTypes: true })
  .filter((each) => each.isDirectory() && existsSync(join('examples', each.name, 'main.ts')))
  .map(({ name }) => name);

async function run(name: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  // Whatever this machine's own LAMINA_ variables say must not leak in.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('LAMINA_')));
  const child = spawn(process.execPath, [join('examples', name, 'main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

describe('examples', () => {
  it('are there', () => {
    expect(EXAMPLES).toContain('delegation');
  });

  it.each(EXAMPLES)(
    '%s runs, and has a page that says how',
    async (name) => {
      expect(existsSync(join('examples', name, 'README.md'))).toBe(true);
      const { code, stdout, stderr } = await run(name);
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
      expect(stdout.split('\n').length).toBeGreaterThan(3);
    },
    60_000,
  );

  it('ai-sdk-chat knows in a later run what it was told in an earlier one, and nobody saved', async () => {
    const { stdout } = await run('ai-sdk-chat');
    const answers = [...stdout.matchAll(/^kitchen-helper: (.*)$/gm)].map(([, answer]) => answer);
    expect(answers).toEqual([
      'Pesto with hazelnuts?',
      'I am sorry to hear that.',
      'Pesto with pine nuts, as hazelnuts are not for you.',
      'Noted, I will remember that.',
      'Pesto with pine nuts, as hazelnuts are not for you. Enough for you and two children.',
    ]);
    expect(stdout).toMatch(/\| - \d{4}-\d\d-\d\d, user: I am allergic to hazelnuts/);
  }, 60_000);

  it('delegation answers once, though a result came twice', async () => {
    const { stdout } = await run('delegation');
    expect(stdout.match(/The task is complete\./g)).toHaveLength(1);
    expect(stdout.match(/found/g)?.length).toBeGreaterThanOrEqual(4);
    expect(stdout).toContain('Answers sent: 1. Left in memory: nothing.');
  });
});
