/** `lamina serve` takes a renewed certificate: when it is told to, and when it finds one. */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LaminaProcess } from './lamina-process.ts';
import { askOverTls, makeCertificate, type CertificateFiles } from './tls-certificates.ts';

const TIMEOUT_MS = 120_000;

it('reads its certificate again on SIGHUP, and when the file changes', { timeout: TIMEOUT_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const certificates = ['first', 'second', 'third'].map((name) => makeCertificate(folder, name));
  const [first, second, third] = certificates as [CertificateFiles, CertificateFiles, CertificateFiles];
  const files = { LAMINA_TLS_CERT: join(folder, 'cert.pem'), LAMINA_TLS_KEY: join(folder, 'key.pem') };
  const put = ({ cert, key }: CertificateFiles): void => {
    copyFileSync(cert, files.LAMINA_TLS_CERT);
    copyFileSync(key, files.LAMINA_TLS_KEY);
  };
  put(first);
  const lamina = new LaminaProcess(['serve', '--port', '0'], folder, files);
  onTestFinished(async () => {
    lamina.child.kill('SIGKILL');
    await lamina.ended();
  });
  const url = (await lamina.listening(/https:\/\/[^"\s]+:\d+/)).replace('127.0.0.1', 'localhost');
  const statusFor = async ({ cert }: CertificateFiles): Promise<number | undefined> => {
    return (await askOverTls(`${url}/live`, cert).catch(() => undefined))?.status;
  };
  expect(await statusFor(first)).toBe(200);
  put(second);
  lamina.child.kill('SIGHUP');
  await expect.poll(() => statusFor(second), { timeout: 20_000 }).toBe(200);
  expect(await statusFor(first)).toBeUndefined();
  put(third);
  await expect.poll(() => statusFor(third), { timeout: 30_000, interval: 500 }).toBe(200);
  lamina.child.kill('SIGTERM');
  expect((await lamina.ended()).code).toBe(0);
});
