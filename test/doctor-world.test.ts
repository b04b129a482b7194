/** `lamina doctor` on what is configured and what stands around the data: settings, models, Redis, services. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { skewFinding } from '../src/compose/doctor/database-checks.ts';
import { CHECK_LIST } from '../src/compose/doctor/doctor.ts';
import { memoryFinding, nodeFinding } from '../src/compose/doctor/machine-checks.ts';
import { runChecks } from '../src/compose/doctor/run-checks.ts';
import { redisFindings } from '../src/compose/doctor/service-checks.ts';
import { callCli } from './cli-caller.ts';
import { examine, type Examined } from './doctor-caller.ts';
import { startIdentityService, token } from './identity-service.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { QdrantServer } from './qdrant-server.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, serveLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let models: ModelServer;
let folder: string;

beforeAll(async () => {
  [models, folder] = await Promise.all([startModelServer(), makeFolder()]);
});
afterAll(async () => {
  models.close();
  await removeFolder(folder);
});

const environment = (): Record<string, string> => ({ ...models.environment, LAMINA_PORT: '0' });

/** At a folder that is not there. */
const look = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<Examined> =>
  examine(['--database', `sqlite:${join(folder, 'data')}`, ...args], { ...environment(), ...more });

describe('models', () => {
  it('that do not answer are found', async () => {
    const { found } = await look([], { LAMINA_EMBEDDING_MODEL: 'nothing' });
    expect(found['model']?.[0]).toMatchObject({ state: 'problem', message: expect.stringContaining('cannot be used') });
  });
});

describe('the configuration', () => {
  it('with mistakes gives a finding for each, without what is secret', async () => {
    const { code, found, text } = await look([], {
      LAMINA_HOST: '0.0.0.0',
      LAMINA_PROT: '1',
      LAMINA_JWT_SECRET: 'shh',
      LAMINA_REDIS_FALLBACK: 'database',
    });
    expect(code).toBe(1);
    expect(found['configuration']?.map(({ message }) => message)).toEqual([
      expect.stringContaining('LAMINA_PROT is not a known variable'),
      expect.stringContaining('LAMINA_JWT_SECRET'),
      expect.stringContaining('without authentication'),
      expect.stringContaining('LAMINA_REDIS_URL is not set'),
    ]);
    expect(text).not.toContain('shh');
  });

  it('that names what does not answer gives findings without passwords', async () => {
    const { found, text, code } = await examine(['--database', 'postgres://ada:hush-hush@127.0.0.1:1/memory'], {
      ...environment(),
      LAMINA_REDIS_URL: 'redis://:hush-hush@127.0.0.1:1',
      LAMINA_QDRANT_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(found['database']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('ada@127.0.0.1:1/memory'),
    });
    expect(found['redis']?.[0]).toMatchObject({ state: 'problem' });
    expect(found['qdrant']?.[0]).toMatchObject({ state: 'warning' });
    expect(Object.keys(found)).not.toContain('schema');
    expect(text).not.toContain('hush-hush');
  });
});

describe('what a machine and its neighbours say', () => {
  it('is judged', () => {
    expect([nodeFinding('20.20.2').state, nodeFinding('24.1.0').state]).toEqual(['problem', 'ok']);
    expect([memoryFinding(5e8, 1).state, memoryFinding(4e9, 1).state]).toEqual(['warning', 'ok']);
    expect([0, 5000, -90_000].map((skew) => skewFinding(skew, 'x').state)).toEqual(['ok', 'warning', 'problem']);
    const redis =
      'redis_version:7.4.0\r\nrole:master\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n';
    expect(redisFindings(redis).map(({ state }) => state)).toEqual(['problem', 'warning']);
  });

  it('is no reason to stop: a check that fails or hangs is a finding', async () => {
    const check = { group: 'Machine', looksAt: 'Nothing' } as const;
    const reports = await runChecks(
      [
        { ...check, name: 'fails', run: () => Promise.reject(new Error('postgres://a:secret@b broke')) },
        { ...check, name: 'hangs', run: () => new Promise(() => {}) },
        { ...check, name: 'works', run: async () => [{ state: 'ok', message: 'Well.' }] },
      ],
      undefined,
      { signal: new AbortController().signal, limitMs: 50 },
    );
    expect(reports.map(({ findings }) => findings[0]?.state)).toEqual(['problem', 'problem', 'ok']);
    expect(JSON.stringify(reports)).not.toContain('secret');
  });
});

describeOnRedis('a Redis', () => {
  it('that forgets is found', async () => {
    const server = await RedisServer.create(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru']);
    onTestFinished(() => server.close());
    const { found } = await look([], { LAMINA_REDIS_URL: server.url, LAMINA_REDIS_PREFIX: 'staging' });
    expect(found['redis']?.map(({ state }) => state)).toEqual(['problem', 'warning', 'ok']);
    expect(found['redis']?.at(-1)?.message).toContain('"staging:"');
  });
});

describe('a Qdrant', () => {
  it('that lacks vectors is found', async () => {
    const server = await QdrantServer.start();
    onTestFinished(() => server.stop());
    const database = `sqlite:${join(folder, 'indexed')}`;
    await callCli(['add', 'I like tea', '--database', database], { environment: environment() });
    const qdrant = { ...environment(), LAMINA_QDRANT_URL: server.url };
    const { found, code } = await examine(['--database', database], qdrant);
    expect(code).toBe(0);
    expect(found['qdrant']).toMatchObject([
      { state: 'warning', message: expect.stringContaining('has 0 vectors, and the database 1') },
    ]);
    const built = await callCli(['reindex', 'qdrant', '--database-url', database], { environment: qdrant });
    expect(built).toMatchObject({ code: 0 });
    expect((await examine(['--database', database], qdrant)).found['qdrant']?.[0]?.state).toBe('ok');
  });
});

describe('a service', () => {
  it('is looked at from outside', async () => {
    const opened = await openLamina();
    const served = await serveLamina(opened.lamina);
    onTestFinished(async () => {
      await served.close();
      await opened.close();
    });
    const { code, found } = await examine(['--url', served.url]);
    expect(code).toBe(0);
    expect(Object.keys(found)).toEqual(['health', 'version', 'authentication', 'clock-skew']);
    const silent = await examine(['--url', 'http://127.0.0.1:1']);
    expect(silent.found['health']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('no answer'),
    });
  });

  it('with authentication accepts the token that is given, or not', async () => {
    const { url } = await startIdentityService();
    const stranger = await examine(['--url', url]);
    expect(stranger.found['authentication']?.[0]?.message).toContain('Strangers are refused.');
    const known = await examine(['--url', url], { LAMINA_TOKEN: await token() });
    expect(known.found['authentication']?.[0]?.message).toContain('the token is accepted');
    const wrong = await examine(['--url', url], { LAMINA_TOKEN: 'no-token-at-all' });
    expect(wrong.found['authentication']?.[0]).toMatchObject({ state: 'problem' });
    expect(wrong.text).not.toContain('no-token-at-all');
  });

  it('is missed where something else answers', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect((await examine(['--url', `http://127.0.0.1:${port}`])).found['health']?.[0]?.message).toContain(
      'is no Lamina',
    );
    const configured = { ...environment(), LAMINA_DATABASE_URL: `sqlite:${join(folder, 'data')}` };
    const { found } = await examine([], { ...configured, LAMINA_PORT: String(port) });
    expect(found['service']?.[0]).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('Something else'),
    });
  });

  it('is left out where a database is named: it may have another', async () => {
    const opened = await openLamina();
    const served = await serveLamina(opened.lamina);
    onTestFinished(async () => {
      await served.close();
      await opened.close();
    });
    const { found } = await look([], { LAMINA_PORT: new URL(served.url).port });
    expect(found['service']).toBeUndefined();
  });
});

it('the documentation lists every check, as the table has it', () => {
  const [, page = ''] = readFileSync('docs/doctor.md', 'utf8').split('## What it looks at');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, name, looksAt]) => ({ name, looksAt }));
  expect(listed).toEqual(CHECK_LIST.map(({ name, looksAt }) => ({ name, looksAt })));
  expect(new Set(CHECK_LIST.map(({ name }) => name)).size).toBe(CHECK_LIST.length);
});
