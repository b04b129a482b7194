/** TLS files: read when the service starts, and again on request or when they change. */

import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { LaminaError } from '../domain/error.ts';

export interface TlsFiles {
  /** The certificate and its intermediates, as PEM. */
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string | undefined;
  /** The CA that must have signed client certificates. Default: clients need none. */
  readonly clientCa?: string | undefined;
}

export type TlsOptions = SecureContextOptions & {
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  readonly handshakeTimeout: number;
};

const HANDSHAKE_MS = 10_000;
const WATCH_MS = 5000;

/** Throws `CONFIGURATION_ERROR` if a file cannot be read, or they do not match. */
export function readTls({ cert, key, passphrase, clientCa }: TlsFiles): TlsOptions {
  const options: TlsOptions = {
    cert: read('LAMINA_TLS_CERT', cert),
    key: read('LAMINA_TLS_KEY', key),
    ...(passphrase !== undefined && { passphrase }),
    ...(clientCa !== undefined && { ca: read('LAMINA_TLS_CLIENT_CA', clientCa) }),
    minVersion: 'TLSv1.2',
    requestCert: clientCa !== undefined,
    rejectUnauthorized: clientCa !== undefined,
    handshakeTimeout: HANDSHAKE_MS,
  };
  try {
    createSecureContext(options);
  } catch (error) {
    // OpenSSL's message is a code, never a part of the key.
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      `LAMINA_TLS_CERT and LAMINA_TLS_KEY do not make a certificate with its key (${reason}): both are PEM files that belong together.`,
    );
  }
  return options;
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new LaminaError('CONFIGURATION_ERROR', `${variable}: the file "${path}" cannot be read (${code}).`, {
      cause,
    });
  }
}

/** New connections use the current files; open ones stay. Throws like {@link readTls}, and then changes nothing. */
export function reloadTls(server: Server, files: TlsFiles): void {
  server.setSecureContext(readTls(files));
}

/** Calls back when one of the files was replaced. Returns a function that stops it. */
export function watchTls({ cert, key, clientCa }: TlsFiles, changed: () => void): () => void {
  const paths = [cert, key, ...(clientCa === undefined ? [] : [clientCa])];
  // Polls instead of watching: certificates are often symlinks that are repointed.
  for (const path of paths) watchFile(path, { interval: WATCH_MS, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
