/** TLS as it lies in files: read when the service starts, and again when it is told to or when they change. */

import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { LaminaError } from '../domain/error.ts';

export interface TlsFiles {
  /** The certificate, and those between it and the root, as PEM. */
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string | undefined;
  /** Who has to have signed the certificates of clients. Default: clients need none. */
  readonly clientCa?: string | undefined;
}

export type TlsOptions = SecureContextOptions & {
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
  readonly handshakeTimeout: number;
};

const HANDSHAKE_MS = 10_000;
const WATCH_MS = 5000;

/** Throws `CONFIGURATION_ERROR` when a file cannot be read, or they do not go together. */
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
    // What OpenSSL says is a code and never a part of the key.
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

/** New connections then get what the files say now; those that are open stay. Throws as {@link readTls}, and then changes nothing. */
export function reloadTls(server: Server, files: TlsFiles): void {
  server.setSecureContext(readTls(files));
}

/** Calls back when one of the files was replaced. Returns how to stop. */
export function watchTls({ cert, key, clientCa }: TlsFiles, changed: () => void): () => void {
  const paths = [cert, key, ...(clientCa === undefined ? [] : [clientCa])];
  // By looking, and not by being told: certificates are often links that are put somewhere else.
  for (const path of paths) watchFile(path, { interval: WATCH_MS, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
