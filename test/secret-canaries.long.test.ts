/**
 * No secret is ever told: services with every secret that can be set, used well and badly, at the level at which all is logged;
 * then everything that they wrote, answered, measured and traced is searched. Secrets are those of the table, so that a new one is covered by itself.
 */

import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SETTING_KEYS, SETTINGS, type Setting } from '../src/compose/settings.ts';
import { adminToken, token } from './identity-service.ts';
import { LaminaProcess } from './lamina-process.ts';
import { makeCertificate, askOverTls, type TlsAnswer } from './tls-certificates.ts';
import { startTraceReceiver } from './trace-receiver.ts';

const TIMEOUT_MS = 120_000;

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:9';

interface Secret {
  readonly variable: string;
  readonly canary: string;
  readonly value: string;
}

/** A value that the setting takes, with a canary in it. */
function secretOf({ variable, schema }: Setting): Secret {
  const canary = `canary${variable.replaceAll('_', '').toLowerCase()}${'x'.repeat(32)}`;
  const candidates = [
    canary,
    `postgres://lamina:${canary}@${NOWHERE}/lamina`,
    `redis://:${canary}@${NOWHERE}`,
    `https://user:${canary}@${NOWHERE}`,
  ];
  const value = candidates.find((each) => schema.safeParse(each).success);
  if (value === undefined) throw new Error(`This test does not know a value for ${variable}: teach it one.`);
  return { variable, canary, value };
}

const SECRETS = SETTING_KEYS.map((key): Setting => SETTINGS[key])
  .filter(({ secret }) => secret)
  .map(secretOf);

/** Those of a PostgreSQL server; the service that is used has its data in a folder. */
const [SERVERS, OTHERS] = [true, false].map((isServer) =>
  Object.fromEntries(
    SECRETS.filter(({ value }) => value.startsWith('postgres:') === isServer).map(({ variable, value }) => [
      variable,
      value,
    ]),
  ),
) as [Record<string, string>, Record<string, string>];

const canaryOf = (variable: string): string => SECRETS.find((each) => each.variable === variable)?.canary ?? '';

function start(environment: Record<string, string>, folder = newFolder()): LaminaProcess {
  const lamina = new LaminaProcess(['serve', '--port', '0', '--log-level', 'trace'], folder, environment);
  onTestFinished(async () => {
    lamina.child.kill('SIGKILL');
    await lamina.ended();
  });
  return lamina;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-canaries-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Repeats in its refusal what it was given, as some providers do. */
async function startTattler(): Promise<string> {
  const server = createServer((request, response) => {
    const message = `Incorrect API key provided: ${JSON.stringify(request.headers)}`;
    response.writeHead(401, { 'Content-Type': 'application/json', 'X-Echo': 'none' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' }, status: { error: message } }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function expectSilence(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const place = text.indexOf(secret);
    // A part of it at most, so that the failure itself does not tell all of it.
    if (place >= 0) expect.fail(`${where} tells a secret: …${text.slice(Math.max(0, place - 200), place + 12)}…`);
  }
}

const ALL = SECRETS.map(({ canary }) => canary);

describe('secrets', { timeout: TIMEOUT_MS }, () => {
  it('are known to this test', () => {
    expect(SECRETS.length).toBeGreaterThanOrEqual(10);
  });

  it('are not told by a service that uses them, whatever it is asked', async () => {
    const [folder, tattler, traces] = [newFolder(), await startTattler(), await startTraceReceiver()];
    onTestFinished(() => traces.close());
    const files = makeCertificate(folder, 'service', canaryOf('LAMINA_TLS_KEY_PASSPHRASE'));
    const secret = canaryOf('LAMINA_JWT_SECRET');
    const lamina = start(
      {
        ...OTHERS,
        LAMINA_AUTH: 'jwt',
        LAMINA_TLS_CERT: files.cert,
        LAMINA_TLS_KEY: files.key,
        LAMINA_REDIS_FALLBACK: 'database',
        // It does not start where Qdrant refuses it: that is asked below.
        LAMINA_QDRANT_API_KEY: '',
        LAMINA_EMBEDDINGS: 'openai',
        LAMINA_OPENAI_BASE_URL: `${tattler}/v1`,
        LAMINA_RERANKER_URL: tattler,
        LAMINA_LANGUAGE_MODEL_URL: `${tattler}/v1`,
        LAMINA_LANGUAGE_MODEL: 'model',
        LAMINA_OTLP_URL: traces.url,
      },
      folder,
    );
    const url = (await lamina.listening(/https:\/\/[^"\s]+:\d+/)).replace('127.0.0.1', 'localhost');
    const answers: TlsAnswer[] = [];
    const ask = async (method: string, path: string, credential?: string, body?: unknown): Promise<TlsAnswer> => {
      const headers = {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await askOverTls(url + path, files.cert, { method, headers }, text);
      answers.push(answer);
      return answer;
    };
    const by = { secret };
    const [member, admin] = [await token({}, by), await adminToken({}, by)];
    const wrong = await token({}, { secret: 'another secret of which nobody knows' });
    const expired = await token({ exp: 1 }, by);
    const made = await ask('POST', '/v1/memory/admin/keys', admin, { name: 'robot', user_id: 'robot' });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    answers.pop();
    const { key } = JSON.parse(made.text) as { key: string };
    const entries = '/v1/memory/entries';
    for (const credential of [member, key, admin, wrong, expired, `${key}x`, secret, `${member}x`, undefined]) {
      await ask('GET', `${entries}?layer=user`, credential);
      await ask('POST', entries, credential, { content: 'Something to embed', layer: 'user' });
      await ask('POST', `${entries}/search`, credential, { query: 'something' });
      await ask('POST', '/v1/memory/remember', credential, { messages: [{ role: 'user', content: 'Hello' }] });
      await ask('PUT', '/v1/memory/working/plan/key', credential, { value: 1 });
    }
    // Where they do not belong: in addresses, and in bodies that are no JSON.
    for (const credential of [member, key, wrong]) {
      for (const path of [
        `${entries}?layer=user&access_token=${credential}`,
        `${entries}/${credential}`,
        `/${credential}`,
        `/mcp?token=${credential}`,
        `/v1/memory/working/${credential}/key`,
      ]) {
        await ask('GET', path);
        await ask('GET', path, member);
        answers.splice(-2);
      }
      await ask('POST', entries, member, `{"token": "${credential}`);
      await ask('POST', entries, member, { content: 7, [credential]: credential });
      await ask('POST', '/mcp', member, { token: credential });
      // What somebody sent may be in the answer to them, and in nothing else.
      answers.splice(-3);
    }
    for (const path of ['/health', '/ready', '/metrics', '/docs', '/openapi.json', '/']) await ask('GET', path);
    expect(answers.map(({ status }) => status)).toContain(401);
    expect(answers.map(({ status }) => status)).toContain(502);
    lamina.child.kill('SIGTERM');
    const { code, stdout, stderr } = await lamina.ended();
    expect(code).toBe(0);
    expect(stdout).toContain('"level":50');
    expect(traces.spans.length).toBeGreaterThan(0);
    const tokens = [member, admin, wrong, expired].map((each) => each.split('.').at(-1) ?? '');
    const told = [...ALL, ...tokens, key, key.slice(-43)];
    expectSilence('The log', stdout + stderr, told);
    expectSilence('A trace', traces.text(), told);
    for (const { text, headers } of answers) expectSilence('An answer', text + JSON.stringify(headers), told);
  });

  it('are not told by a service that cannot start', async () => {
    const database = `postgres://lamina:canarydatabase@${NOWHERE}/lamina`;
    const { code, stdout, stderr } = await start({ LAMINA_DATABASE_URL: database, ...SERVERS }).ended();
    expect(code).not.toBe(0);
    expectSilence('The output', stdout + stderr, [...ALL, 'canarydatabase']);
  });

  it('are not told by a service whose key for Qdrant is refused', async () => {
    const [folder, key] = [newFolder(), 'LAMINA_QDRANT_API_KEY'];
    const qdrant = { LAMINA_QDRANT_URL: await startTattler(), [key]: canaryOf(key) };
    const { code, stdout, stderr } = await start(qdrant, folder).ended();
    expect(code).toBe(78);
    expectSilence('The output', stdout + stderr, ALL);
  });

  it('are not told when they are wrong', async () => {
    const bad = Object.fromEntries(
      SECRETS.map(({ variable }) => [variable, `bad canary\u0000 of ${variable}`.replace('\0', '\t')]),
    );
    const { code, stdout, stderr } = await start({ ...bad, LAMINA_AUTH: 'jwt' }).ended();
    expect(code).toBe(78);
    expectSilence('The output', stdout + stderr, ['bad canary']);
  });
});
