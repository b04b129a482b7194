/** The service over TLS. */

import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from '../src/server/create-server.ts';
import { readTls, type TlsFiles } from '../src/server/tls-files.ts';
import { examine } from './doctor-caller.ts';
import { HEALTHY } from './server/running-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { askOverTls, makeCertificate } from './tls-certificates.ts';

async function testFolder(): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

async function serve(tls: TlsFiles): Promise<{ readonly url: string; readonly logLines: string[]; reload(): void }> {
  const logLines: string[] = [];
  const nobody = (): never => {
    throw new Error('Nobody asks for memory here.');
  };
  const server = createServer({
    invokeAs: nobody,
    followAs: nobody,
    health: async () => HEALTHY,
    metrics: async () => '',
    version: '1.2.3',
    logger: { level: 'info', stream: { write: (line) => void logLines.push(line) } },
    tls,
  });
  onTestFinished(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url: url.replace('127.0.0.1', 'localhost'), logLines, reload: () => server.reload() };
}

describe('TLS', () => {
  it('is looked at by lamina doctor, which says how a certificate of your own is trusted, without a warning of Node', async () => {
    const { url } = await serve(makeCertificate(await testFolder(), 'own'));
    const warned: string[] = [];
    const listen = ({ message }: Error): void => void warned.push(message);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const { code, found } = await examine(['--url', url.replace('localhost', '127.0.0.1')]);
    expect(code).toBe(1);
    for (const name of ['health', 'tls']) expect(found[name]?.[0]?.fix).toContain('NODE_EXTRA_CA_CERTS');
    expect(warned.filter((message) => message.includes('ServerName'))).toEqual([]);
  });

  it('is spoken, from version 1.2 on, and browsers are told to keep to it', async () => {
    const files = makeCertificate(await testFolder(), 'first');
    const { url } = await serve(files);
    expect(url).toMatch(/^https:/);
    const answer = await askOverTls(`${url}/live`, files.cert);
    expect([answer.status, answer.protocol]).toEqual([200, 'TLSv1.3']);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await askOverTls(`${url}/nothing`, files.cert)).headers['strict-transport-security']).toBeDefined();
    const older = await askOverTls(`${url}/live`, files.cert, { maxVersion: 'TLSv1.2' });
    expect(older.protocol).toBe('TLSv1.2');
    const outdated = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(askOverTls(`${url}/live`, files.cert, outdated)).rejects.toThrow();
    await expect(fetch(`${url.replace('https:', 'http:')}/live`)).rejects.toThrow();
  });

  it('takes a new certificate while connections stay open, and keeps the old one when the new one is none', async () => {
    const folder = await testFolder();
    const [first, second] = [makeCertificate(folder, 'first'), makeCertificate(folder, 'second')];
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const put = ({ cert, key }: TlsFiles): void => {
      copyFileSync(cert, files.cert);
      copyFileSync(key, files.key);
    };
    put(first);
    const { url, logLines, reload } = await serve(files);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(first.cert) });
    onTestFinished(() => agent.destroy());
    expect((await askOverTls(`${url}/live`, first.cert, { agent })).status).toBe(200);
    put(second);
    reload();
    expect((await askOverTls(`${url}/live`, second.cert)).status).toBe(200);
    await expect(askOverTls(`${url}/live`, first.cert)).rejects.toThrow();
    // The connection that was there before goes on.
    expect((await askOverTls(`${url}/live`, first.cert, { agent })).status).toBe(200);
    writeFileSync(files.key, 'no key');
    reload();
    expect((await askOverTls(`${url}/live`, second.cert)).status).toBe(200);
    expect(logLines.join('')).toContain('the one before stays in use');
  });

  it('asks clients for certificates where it is told whose', async () => {
    const folder = await testFolder();
    const [files, client, stranger] = ['service', 'client', 'stranger'].map((name) =>
      makeCertificate(folder, name),
    ) as [TlsFiles, TlsFiles, TlsFiles];
    const { url } = await serve({ ...files, clientCa: client.cert });
    const pair = ({ cert, key }: TlsFiles) => ({ cert: readFileSync(cert), key: readFileSync(key) });
    expect((await askOverTls(`${url}/live`, files.cert, pair(client))).status).toBe(200);
    await expect(askOverTls(`${url}/live`, files.cert, pair(stranger))).rejects.toThrow();
    await expect(askOverTls(`${url}/live`, files.cert)).rejects.toThrow();
  });

  it('opens a key by its passphrase, and says what is wrong with files without saying what is in them', async () => {
    const folder = await testFolder();
    const passphrase = 'the passphrase of a key';
    const files = makeCertificate(folder, 'first', passphrase);
    const other = makeCertificate(folder, 'other');
    const { url } = await serve({ ...files, passphrase });
    expect((await askOverTls(`${url}/live`, files.cert)).status).toBe(200);
    const code = 'CONFIGURATION_ERROR';
    for (const wrong of [
      files,
      { ...files, passphrase: 'another' },
      { cert: files.cert, key: other.key },
      { cert: other.key, key: other.key },
      { cert: files.cert, key: join(folder, 'nothing') },
    ]) {
      expect(() => readTls(wrong)).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining('LAMINA_TLS_') }),
      );
    }
  });

  it('stops while a client has said nothing yet', async () => {
    const files = makeCertificate(await testFolder(), 'first');
    const { url } = await serve(files);
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), ca: readFileSync(files.cert) });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    expect((await askOverTls(`${url}/live`, files.cert)).status).toBe(200);
  });
});
