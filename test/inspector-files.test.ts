/** The inspector as files: what is served at which path, with which headers, and that nothing else can be had. */

import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createServer } from '../src/server/create-server.ts';
import { makeFolder } from './sqlite-folder.ts';
import { untilTestEnds } from './running-lamina.ts';

async function built(): Promise<string> {
  const folder = join(await makeFolder(), 'inspector');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Inspector</title>');
  await writeFile(join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(join(folder, 'assets', 'index-Ab12.js'), 'console.log(1)');
  await writeFile(join(folder, 'assets', 'index-Ab12.js.br'), brotliCompressSync('console.log(1)'));
  await writeFile(join(folder, '..', 'secret.txt'), 'a secret');
  return folder;
}

async function served(inspectorFolder: string | undefined): Promise<string> {
  const nobody = (): never => {
    throw new Error('Nobody asks for memory here.');
  };
  const server = untilTestEnds(
    createServer({
      invokeAs: nobody,
      followAs: nobody,
      health: nobody,
      metrics: nobody,
      version: '0.0.0',
      logger: { level: 'silent' },
      ...(inspectorFolder !== undefined && { inspectorFolder }),
    }),
  );
  return server.listen({ host: '127.0.0.1', port: 0 });
}

/** As it is spelled: `fetch` would tidy the path up before it is sent. */
function raw(url: string, path: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path, headers: { host: `${hostname}:${port}` } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the inspector', () => {
  it('is one page at / and at every path below /inspect, under a strict policy', async () => {
    const url = await served(await built());
    for (const path of ['/', '/inspect', '/inspect/search?q=tea', '/inspect/entries/a/b']) {
      const answer = await fetch(`${url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([200, '<!doctype html><title>Inspector</title>']);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
    }
  });

  it('has assets that are cached for ever, compressed for whoever takes it', async () => {
    const url = await served(await built());
    const small = await fetch(`${url}/assets/index-Ab12.js`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(await small.text()).toBe('console.log(1)');
    expect(small.headers.get('content-encoding')).toBe('br');
    expect(small.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(small.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const plain = await fetch(`${url}/assets/index-Ab12.js`, { headers: { 'accept-encoding': 'br;q=0' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, 'console.log(1)']);
    expect((await fetch(`${url}/favicon.svg`)).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('gives nothing that was not built', async () => {
    const url = await served(await built());
    const paths = [
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/index-Ab12.js.br',
      '/assets/',
      '/assets/gone.js',
      '/secret.txt',
    ];
    for (const path of paths) {
      const { status, body } = await raw(url, path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toContain('a secret');
      expect(JSON.parse(body)).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('is read again when it was built anew', async () => {
    const folder = await built();
    const url = await served(folder);
    await (await fetch(url)).text();
    await writeFile(join(folder, 'index.html'), 'another');
    await utimes(join(folder, 'index.html'), new Date(), new Date(Date.now() + 5000));
    expect(await (await fetch(url)).text()).toBe('another');
  });

  it('says how to build it where it was not, and leads to the documentation where it is off', async () => {
    const unbuilt = await (await fetch(await served(join(await makeFolder(), 'none')))).text();
    expect(unbuilt).toContain('node scripts/build-inspector.ts');
    expect(unbuilt).toContain('href="/docs"');
    const off = await fetch(await served(undefined), { redirect: 'manual' });
    expect([off.status, off.headers.get('location')]).toEqual([302, '/docs']);
  });
});
