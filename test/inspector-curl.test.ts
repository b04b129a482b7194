/** The commands that the inspector gives to paste: a shell makes of them what is meant. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { actAs, isRefused, refuse, signIn, signOut } from '../inspector/src/api/session.ts';
import { curlCommand } from '../inspector/src/components/curl-command.ts';

afterEach(() => {
  signOut();
  actAs({});
  vi.unstubAllGlobals();
});

/** What curl would be given. */
async function pasted(body: unknown): Promise<string[]> {
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1:8787' } });
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlCommand('/v1/memory/entries', body)}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { LAMINA_TOKEN: 'secret' } });
  return stdout.trimEnd().split('\n');
}

it('take the token from the environment after signing in, and never hold it', async () => {
  signIn('the-real-one');
  expect(await pasted({ content: "Ada's tea" })).toEqual([
    'http://127.0.0.1:8787/v1/memory/entries',
    '-H',
    'Content-Type: application/json',
    '-H',
    'Authorization: Bearer secret',
    '-d',
    `{"content":"Ada's tea"}`,
  ]);
});

it('name who one chose to be, whatever is in the name', async () => {
  actAs({ userId: "o'$(brien)" });
  expect(await pasted({})).toContain("X-User-ID: o'$(brien)");
});

it('tell a credential that was refused from one that was not', () => {
  signIn('wrong');
  expect(isRefused.value).toBe(false);
  refuse('The token is none.', 'wrong');
  expect(isRefused.value).toBe(true);
  signIn('right');
  expect(isRefused.value).toBe(false);
});
