/**
 * A real PostgreSQL server for those tests that need one: that of LAMINA_TEST_POSTGRES_URL (a superuser's address), else
 * a private one where PostgreSQL with pgvector is installed, else none, and the tests are skipped and say so.
 */

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { findPostgres } from './postgres-installation.ts';
import { PostgresProcess } from './postgres-process.ts';

/** Continuous integration must not pass because something was not there. */
const IS_REQUIRED = Boolean(process.env['CI'] || process.env['LAMINA_TEST_POSTGRES_REQUIRED']);

/** The address of the one that the tests share, as superuser; undefined where there is none. */
export async function postgresServer(): Promise<string | undefined> {
  const given = process.env['LAMINA_TEST_POSTGRES_URL'];
  if (given) return given;
  if (typeof findPostgres() === 'string') return undefined;
  const answer = await fetch(inject('postgresDesk'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The PostgreSQL server of the tests could not be started. ${text}`);
  return text;
}

/** As `describe`, for tests on a real server. Without one they are skipped by name, or fail where one is required. */
export function describeOnPostgres(name: string, body: () => void): void {
  describeWith(name, whyNoServer(), body);
}

/** The same for tests that start servers of their own; an address is of no use to them. */
export function describeOnOwnPostgres(name: string, body: () => void): void {
  const found = findPostgres();
  describeWith(name, typeof found === 'string' ? found : undefined, body);
}

/** Declares the tests, or why there are none. */
export function describeWith(name: string, missing: string | undefined, body: () => void): void {
  const isMissing = missing !== undefined;
  const isSkipped = isMissing && !IS_REQUIRED;
  const failing = (): unknown => it('can be tested', () => expect.fail(`It cannot be: ${missing}.`));
  describe.skipIf(isSkipped)(`${name}${isSkipped ? ` (skipped: ${missing})` : ''}`, () => {
    const declare = isMissing ? failing : body;
    declare();
  });
}

function whyNoServer(): string | undefined {
  if (process.env['LAMINA_TEST_POSTGRES_URL']) return undefined;
  const found = findPostgres();
  return typeof found === 'string' ? found : undefined;
}

export interface FreshDatabase {
  readonly name: string;
  /** As superuser. */
  readonly url: string;
  /** Drops it, also under those who are still connected. */
  drop(): Promise<void>;
}

/** An empty database of one's own on the shared server, or on the one at `serverUrl`. */
export async function freshDatabase(serverUrl?: string): Promise<FreshDatabase> {
  const server = serverUrl ?? (await postgresServer());
  if (server === undefined) throw new Error('There is no PostgreSQL server: declare the test with describeOnPostgres.');
  const name = `lamina_test_${randomBytes(6).toString('hex')}`;
  // Sorted by a language, as most databases are: what relies on the order of bytes must say so.
  await execute(server, `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`);
  return {
    name,
    url: urlOf(server, { database: name }),
    drop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

interface Elsewhere {
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** The same server, as another role or on another database. */
export function urlOf(server: string, { database, user, password = '' }: Elsewhere): string {
  const url = new URL(server);
  if (database !== undefined) url.pathname = `/${database}`;
  if (user !== undefined) Object.assign(url, { username: user, password });
  return url.href;
}

/** A server that nobody else uses, for tests that stop it. Writes are on the disk when they are acknowledged. */
export async function ownServer(settings?: Readonly<Record<string, string>>): Promise<PostgresProcess> {
  const installation = findPostgres();
  if (typeof installation === 'string') throw new Error(installation);
  return PostgresProcess.create({ installation, isDurable: true, settings });
}

/** A plain connection, with nothing of ours in between. Being cut off is no failure until it is used again. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs one statement, on a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
