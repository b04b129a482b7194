/**
 * What a whole test run shares: caches, and one PostgreSQL server. It belongs to the main process and is started when the first test file
 * asks for it, over HTTP: runs that need none do not wait for it.
 */

import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findPostgres } from './postgres-installation.ts';
import { PostgresProcess } from './postgres-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the database. */
    readonly postgresDesk: string;
  }
}

let desk: Server | undefined;
let started: Promise<PostgresProcess> | undefined;

/** For hundreds of processes, some with a home of their own: code without its types, and the converted model. */
function shareCaches(): void {
  process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/lamina-tests');
  process.env['XDG_CACHE_HOME'] ??= join(homedir(), '.cache');
}

async function start(): Promise<PostgresProcess> {
  const installation = findPostgres();
  if (typeof installation === 'string') throw new Error(installation);
  return PostgresProcess.create({ installation, isDurable: false });
}

export async function setup(project: TestProject): Promise<void> {
  shareCaches();
  desk = createServer((_request, response) => {
    started ??= start();
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  project.provide('postgresDesk', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
}

export async function teardown(): Promise<void> {
  desk?.close();
  desk?.closeAllConnections();
  const server = await started?.catch(() => undefined);
  await server?.close();
}
