/** The client in a real browser: its modules as they are published, loaded by Chromium, talking to a real service. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaProcess } from './lamina-process.ts';

const CHROMIUM = process.env['LAMINA_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const STARTING_MS = 120_000;
const FLAGS = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(' ');
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.html': 'text/html' };

/** What a bundler would do: tells the browser where the two packages are that the client needs. */
const PAGE = `<!doctype html><title>Lamina</title>
<script type="importmap">{"imports": {"zod": "/packages/zod/index.js", "uuid": "/packages/uuid/dist/index.js"}}</script>`;

/** As text: what a test runner makes of an import is not what a browser understands. */
const PROGRAM = `(async () => {
  const { LaminaClient, LaminaError } = await import('/dist/client/index.js');
  const memory = new LaminaClient({ url: location.origin }).as({ userId: 'ünï ☕' });
  const { memory: stored } = await memory.add({ content: 'Alice drinks her coffee black', layer: 'user' });
  const { results } = await memory.search({ query: 'does Alice take milk?' });
  const error = await memory.list({ layer: 'session' }).catch((thrown) => thrown);
  return { found: results[0]?.memory.id === stored.id, owner: stored.ownerId, code: error instanceof LaminaError && error.code };
})()`;

let folder: string;
let lamina: LaminaProcess;
let site: Server;
let browser: Browser;
let origin: string;

/** The page, the built client, its packages; everything else is the service's: one origin, as CORS is off. */
async function answer(request: IncomingMessage, response: ServerResponse, service: string): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (path === '/') return void response.setHeader('content-type', 'text/html').end(PAGE);
  const [, room, ...rest] = path.split('/');
  const root = { dist: folder, packages: resolve('node_modules') }[room ?? ''];
  if (root !== undefined) {
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    return void response.end(await readFile(join(root, ...rest)));
  }
  const body = (await request.toArray()) as Buffer[];
  const forwarded = await fetch(service + request.url, {
    method: request.method ?? 'GET',
    headers: { 'content-type': 'application/json', 'x-user-id': String(request.headers['x-user-id'] ?? 'local') },
    ...(body.length > 0 && { body: Buffer.concat(body) }),
  });
  response.writeHead(forwarded.status, { 'content-type': 'application/json' });
  response.end(await forwarded.text());
}

// A machine of a developer may do without a browser; continuous integration may not.
const mayBeSkipped = !existsSync(CHROMIUM) && process.env['CI'] === undefined;

describe.skipIf(mayBeSkipped)('the client in Chromium (skipped where it is not installed)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-browser-'));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder]);
    lamina = new LaminaProcess(['serve', '--port', '0'], folder);
    const service = await lamina.listening();
    site = createServer((request, response) => {
      answer(request, response, service).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, STARTING_MS);

  afterAll(async () => {
    await browser.close();
    site.close();
    lamina.child.kill('SIGKILL');
    await lamina.ended();
    await rm(folder, { recursive: true });
  });

  it('stores a memory, finds it again and gets typed errors', { timeout: STARTING_MS }, async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const told = await page.evaluate(PROGRAM);
    expect(told).toEqual({ found: true, owner: 'ünï ☕', code: 'MISSING_IDENTIFIER' });
  });
});
