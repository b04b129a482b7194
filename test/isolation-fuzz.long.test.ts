/**
 * Random people of three tenants do thousands of random things over HTTP, with tokens, and a simple model says who may see and change
 * what. Secrets are in all that anybody writes: no answer to anybody else may hold one; what is not theirs answers as what never was.
 * LAMINA_FUZZ_RUNS multiplies how much is done, LAMINA_TEST_SEED does the same again.
 */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { exchangesWith } from './fuzz/exchange.ts';
import { startFuzzedService } from './fuzz/fuzzed-service.ts';
import { fuzzIsolation } from './fuzz/isolation-fuzz.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { RUN_SEED } from './run-seed.ts';
import { securedDatabase } from './secured-database.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const RUNS = Number(process.env['LAMINA_FUZZ_RUNS'] ?? 1);
const OPERATIONS = 3000 * RUNS;
/** The same SQL as PostgreSQL's, in one thread. */
const FEWER_OPERATIONS = 800 * RUNS;
const CONNECTIONS = 2;
const TIMEOUT_MS = 300_000 * RUNS;

async function fuzz(name: string, database: string, operations: number, redis?: string): Promise<void> {
  const service = await startFuzzedService({ database, ...(redis !== undefined && { redis }) });
  onTestFinished(service.close);
  const { exchange, close } = exchangesWith(service.url, CONNECTIONS);
  onTestFinished(close);
  process.stdout.write(`Isolation fuzz on ${name}: seed ${RUN_SEED}\n`);
  const started = performance.now();
  const { steps, unseen, ...report } = await fuzzIsolation(exchange, { seed: RUN_SEED, operations });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  process.stdout.write(
    `Isolation fuzz on ${name}: ${JSON.stringify({ seed: RUN_SEED, ...report, unseen, seconds, steps })}\n`,
  );
  expect(service.log()).toBe('');
  // Both were often so: seen by those who may, and not there for others.
  expect(unseen).toBeGreaterThan(operations / 20);
  for (const step of ['make', 'read', 'change', 'remove', 'fill', 'grant', 'summary', 'replay', 'attack']) {
    expect(steps[step], step).toBeGreaterThan(0);
  }
}

async function folder(): Promise<string> {
  const made = await makeFolder();
  onTestFinished(() => removeFolder(made));
  return made;
}

it('nobody sees, counts or changes on SQLite what is not theirs', { timeout: TIMEOUT_MS }, async () => {
  await fuzz('SQLite', `sqlite:${await folder()}`, OPERATIONS);
});

it('nor on PGlite', { timeout: TIMEOUT_MS }, async () => {
  await fuzz('PGlite', `pglite:${join(await folder(), 'data')}`, FEWER_OPERATIONS);
});

describeOnPostgres('PostgreSQL', () => {
  it('nor as a login that row-level security binds', { timeout: TIMEOUT_MS }, async () => {
    const database = await securedDatabase();
    onTestFinished(database.drop);
    await fuzz('PostgreSQL', database.serviceUrl, OPERATIONS);
  });
});

describeOnRedis('Redis', () => {
  it('nor where working and short-term memory lie in Redis', { timeout: TIMEOUT_MS }, async () => {
    const server = await RedisServer.create();
    onTestFinished(() => server.close());
    await fuzz('SQLite with Redis', `sqlite:${await folder()}`, FEWER_OPERATIONS, server.url);
  });
});
