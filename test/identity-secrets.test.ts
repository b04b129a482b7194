/** Secrets stay secret: a service that logs all that it can says nothing of them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { caller } from './http-caller.ts';
import { adminToken, SECRET, token } from './identity-service.ts';
import { LaminaProcess } from './lamina-process.ts';

const STARTING_MS = 60_000;

function start(environment: Record<string, string>): LaminaProcess {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-secrets-'));
  const lamina = new LaminaProcess(['serve', '--port', '0', '--log-level', 'trace'], folder, environment);
  onTestFinished(async () => {
    lamina.child.kill('SIGKILL');
    await lamina.ended();
    rmSync(folder, { recursive: true });
  });
  return lamina;
}

it(
  'logs neither secrets nor tokens nor keys, however much it logs',
  async () => {
    const lamina = start({ LAMINA_AUTH: 'jwt', LAMINA_JWT_SECRET: SECRET });
    const url = await lamina.listening();
    const call = caller(url);
    const bearer = (credential: string): Record<string, string> => ({ Authorization: `Bearer ${credential}` });
    const [member, admin, expired] = [await token(), await adminToken(), await token({ exp: 1 })];
    const wrong = await token({}, { secret: 'another secret of which nobody knows' });
    const keys = '/v1/memory/admin/keys';
    const made = await call('POST', keys, { name: 'robot', user_id: 'robot' }, bearer(admin));
    expect(made.status).toBe(201);
    const { key, key_id: id } = made.json as { key: string; key_id: string };
    const list = '/v1/memory/entries?layer=user';
    for (const [status, headers] of [
      [200, bearer(member)],
      [200, bearer(key)],
      [200, { 'X-API-Key': key }],
      [401, bearer(expired)],
      [401, bearer(wrong)],
      [401, bearer(`${key}x`)],
      [401, bearer(SECRET.replaceAll(' ', ''))],
      [401, {}],
    ] as const) {
      expect((await call('GET', list, undefined, headers)).status).toBe(status);
    }
    expect((await call('DELETE', `${keys}/${id}`, undefined, bearer(admin))).status).toBe(204);
    expect((await call('GET', list, undefined, bearer(key))).status).toBe(401);
    expect((await call('POST', '/v1/memory/entries', { content: 7 }, bearer(member))).status).toBe(400);
    lamina.child.kill('SIGTERM');
    const { code, stdout, stderr } = await lamina.ended();
    expect(code).toBe(0);
    expect(stdout).toContain('"reason":"ERR_JWT_EXPIRED (exp)"');
    expect(stdout).toContain('"reason":"the API key is unknown, expired or revoked"');
    const parts = [member, admin, expired, wrong].flatMap((each) => each.split('.').slice(1));
    for (const secret of [SECRET, SECRET.replaceAll(' ', ''), key, key.slice(-43), ...parts]) {
      expect(stdout + stderr).not.toContain(secret);
    }
  },
  STARTING_MS,
);

it(
  'listens beyond the loopback address once it authenticates',
  async () => {
    const lamina = start({ LAMINA_AUTH: 'jwt', LAMINA_JWT_SECRET: SECRET, LAMINA_HOST: '0.0.0.0' });
    const { port } = new URL(await lamina.listening());
    const url = `http://127.0.0.1:${port}/v1/memory/entries?layer=user`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { Authorization: `Bearer ${await token()}` } })).status).toBe(200);
  },
  STARTING_MS,
);
