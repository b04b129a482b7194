/**
 * Every operation of the OpenAPI document under generated requests: valid, spoilt and hostile; then HTTP itself bent. Never a
 * failure of the service, never a hang, every answer as the document has it, nothing written by what was refused.
 * LAMINA_FUZZ_REQUESTS asks for more, LAMINA_TEST_SEED for the same values; their order depends on who answers first.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { errorProblem } from './fuzz/answer-checks.ts';
import { fuzzApi, type FuzzReport } from './fuzz/api-fuzz.ts';
import { describedBy } from './fuzz/api-operations.ts';
import { exchangesWith, type Exchange } from './fuzz/exchange.ts';
import { startFuzzedService, type FuzzedService } from './fuzz/fuzzed-service.ts';
import type { Attack } from './fuzz/head-attacks.ts';
import { httpAttacks, SMUGGLED } from './fuzz/http-attacks.ts';
import { keptText } from './fuzz/kept-text.ts';
import { attackMcp } from './fuzz/mcp-attacks.ts';
import { rawExchange, type RawAnswers } from './fuzz/raw-exchange.ts';
import { token } from './identity-service.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { securedDatabase } from './secured-database.ts';
import { RUN_SEED } from './run-seed.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const REQUESTS = Number(process.env['LAMINA_FUZZ_REQUESTS'] ?? 20_000);
const REQUESTS_ON_POSTGRES = Math.ceil(REQUESTS / 4);
const CONNECTIONS = 24;
const ATTACKERS = 6;
const MEGABYTE = 1024 * 1024;
/** What a service may hold on to after tens of thousands of requests: caches fill, and nothing else. */
const HEAP_GROWTH = 96 * MEGABYTE;
const RSS_GROWTH = 600 * MEGABYTE;
const TIMEOUT_MS = 1_200_000;

const [BUSY, QUIET, DOOMED, CANARY] = ['a', 'b', 'c', 'd'].map((last) => `7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b0${last}`);
const USER = 'fuzzer';
const A_DAY = 86_400;

const admin = (tenantId: string | undefined): Promise<string> =>
  token({ tenant_id: tenantId, user_id: USER, roles: ['admin'], exp: Math.floor(Date.now() / 1000) + A_DAY });

/** Only where the service is run with a language model or a reranker, or where two requests have to agree on more than an id. */
const SELDOM_DONE = 12;

function printed(engine: string, report: FuzzReport, extra: object): void {
  const { requests, statuses, slowest, kinds } = report;
  const classes: Record<string, number> = {};
  for (const [status, count] of Object.entries(statuses)) {
    const name = `${status[0]}xx`;
    classes[name] = (classes[name] ?? 0) + count;
  }
  const figures = {
    seed: RUN_SEED,
    requests,
    ...classes,
    kinds,
    slowest: `${Math.round(slowest.ms)} ms: ${slowest.what}`,
    ...extra,
  };
  process.stdout.write(`API fuzz on ${engine}: ${JSON.stringify(figures)}\n`);
}

async function add(exchange: Exchange, credential: string, content: string): Promise<string> {
  const { status, text } = await exchange({
    method: 'POST',
    path: '/v1/memory/entries',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${credential}` },
    body: JSON.stringify({ content, layer: 'user' }),
  });
  expect(status).toBe(201);
  return (JSON.parse(text) as { memory: { id: string } }).memory.id;
}

/** Whatever was done to it, it is there and has what it had. */
async function expectWell(service: FuzzedService, exchange: Exchange, credential: string, id: string): Promise<void> {
  const headers = { Authorization: `Bearer ${credential}` };
  const health = await exchange({ method: 'GET', path: '/health', headers: {} });
  expect([health.status, JSON.parse(health.text)]).toMatchObject([200, { status: 'healthy' }]);
  const canary = await exchange({ method: 'GET', path: `/v1/memory/entries/${id}`, headers });
  expect(JSON.parse(canary.text)).toMatchObject({ memory: { id, content: 'the canary sings', version: 1 } });
  expect(service.isRunning()).toBe(true);
}

async function fuzz(name: string, service: FuzzedService, requests: number): Promise<void> {
  const { exchange, close } = exchangesWith(service.url, CONNECTIONS);
  onTestFinished(close);
  const api = await describedBy(service.url);
  expect(api.operations.length).toBeGreaterThan(150);
  const [busy, doomed, watching] = [await admin(BUSY), await admin(DOOMED), await admin(CANARY)];
  const canary = await add(exchange, watching, 'the canary sings');
  const before = await service.memory();
  const started = performance.now();
  const asking = {
    userId: USER,
    given: { adminEraseUser: { user_id: 'gone' }, adminEraseTenant: { tenant_id: DOOMED ?? '' } },
    credential: ({ id }: { readonly id: string }) => (id === 'adminEraseTenant' ? doomed : busy),
  };
  const report = await fuzzApi(api, exchange, asking, { seed: RUN_SEED, requests });
  const mcp = await attackMcp(exchange, busy, new SeededRandom(RUN_SEED));
  const after = await service.memory();
  printed(name, report, {
    seconds: Math.round((performance.now() - started) / 1000),
    mcp: mcp.requests,
    rss: `${Math.round(before.rss / MEGABYTE)} to ${Math.round(after.rss / MEGABYTE)} MB`,
    heap: `${Math.round(before.heap / MEGABYTE)} to ${Math.round(after.heap / MEGABYTE)} MB`,
    neverDone: report.neverDone,
  });
  expect([...report.problems, ...mcp.problems].slice(0, 10).join('\n\n') + service.log().slice(-5000)).toBe('');
  // Most that is meant to succeed does, or it would all be about refusals.
  expect(report.kinds.valid.succeeded / report.kinds.valid.asked).toBeGreaterThan(0.5);
  expect(report.neverDone.length).toBeLessThan(SELDOM_DONE + (api.operations.length * 1000) / requests);
  expect(after.heap - before.heap).toBeLessThan(HEAP_GROWTH);
  expect(after.rss - before.rss).toBeLessThan(RSS_GROWTH);
  const marks = new Set((await keptText(exchange, busy)).match(/mark\d+z/g));
  expect(marks.size).toBeGreaterThan(0);
  expect([...marks].filter((mark) => report.refused.has(mark))).toEqual([]);
  await expectWell(service, exchange, watching, canary);
}

function problemsOf({ name, outcome, answers: expected }: Attack, { answers, rest }: RawAnswers): string[] {
  const statuses = answers.map(({ status }) => status);
  const wrong = {
    refused: statuses.length === 0 || statuses.some((status) => status < 400),
    harmless: statuses.some((status) => status >= 500),
    cut: statuses.length > 0,
  }[outcome];
  return [
    ...(wrong ? [`answered with ${statuses.join() || 'nothing'}`] : []),
    ...(expected !== undefined && expected !== answers.length ? [`${answers.length} answers`] : []),
    ...(rest === '' ? [] : [`a broken answer: ${rest.slice(0, 100)}`]),
    ...answers.filter(({ status }) => status >= 400).flatMap((answer) => errorProblem(answer) ?? []),
    ...answers.filter(({ text }) => text.includes('the secret file')).map(() => 'a file that is none of its business'),
  ].map((problem) => `${name}: ${problem}`);
}

async function attack(service: FuzzedService): Promise<void> {
  const { exchange, close } = exchangesWith(service.url, CONNECTIONS);
  onTestFinished(close);
  const [quiet, watching] = [await admin(QUIET), await admin(CANARY)];
  const canary = await add(exchange, watching, 'the canary sings');
  await add(exchange, quiet, 'what was here before');
  const before = await keptText(exchange, quiet);
  const problems: string[] = [];
  const attacks = httpAttacks(quiet);
  const left = [...attacks];
  const work = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      problems.push(...problemsOf(each, await rawExchange(service.url, each.parts)));
    }
  };
  await Promise.all(Array.from({ length: ATTACKERS }, work));
  expect(problems.join('\n') + service.log().slice(-5000)).toBe('');
  const after = await keptText(exchange, quiet);
  expect(after).not.toContain(SMUGGLED);
  expect(after).toBe(before);
  await expectWell(service, exchange, watching, canary);
  process.stdout.write(`API fuzz: ${attacks.length} attacks on HTTP itself\n`);
}

/** With the inspector, and a file beside its files that is nobody's. */
async function onSqlite(): Promise<FuzzedService> {
  const folder = await makeFolder();
  const inspectorFolder = join(folder, 'inspector');
  await mkdir(join(inspectorFolder, 'assets'), { recursive: true });
  await writeFile(join(inspectorFolder, 'index.html'), 'the page');
  await writeFile(join(inspectorFolder, 'assets', 'a.js'), 'the program');
  for (const place of [folder, inspectorFolder]) await writeFile(join(place, 'secret.txt'), 'the secret file');
  const service = await startFuzzedService({ database: `sqlite:${join(folder, 'data')}`, inspectorFolder });
  onTestFinished(async () => {
    await service.close();
    await removeFolder(folder);
  });
  return service;
}

it('every operation on SQLite bears generated requests', { timeout: TIMEOUT_MS }, async () => {
  await fuzz('SQLite', await onSqlite(), REQUESTS);
});

it('HTTP that is bent is refused and does nothing', { timeout: TIMEOUT_MS }, async () => {
  await attack(await onSqlite());
});

describeOnPostgres('PostgreSQL', () => {
  it('every operation bears generated requests', { timeout: TIMEOUT_MS }, async () => {
    const database = await securedDatabase();
    onTestFinished(database.drop);
    const service = await startFuzzedService({ database: database.serviceUrl });
    onTestFinished(service.close);
    await fuzz('PostgreSQL', service, REQUESTS_ON_POSTGRES);
  });
});
