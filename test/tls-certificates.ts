/** Certificates for tests, made by OpenSSL, and requests that trust them. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Signed by itself, for localhost. With a passphrase its key is encrypted. */
export function makeCertificate(folder: string, name: string, passphrase?: string): CertificateFiles {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const protection = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  execFileSync('openssl', [...how, ...protection, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { cert, key };
}

export interface TlsAnswer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly protocol: string | null;
}

/** Asks once, on a connection of its own, and trusts only that certificate. */
export async function askOverTls(
  url: string,
  cert: string,
  options: RequestOptions = {},
  body?: string,
): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    request(url, { ca: readFileSync(cert), agent: false, ...options }, (response) => {
      const protocol = (response.socket as TLSSocket).getProtocol();
      const answered = (told: string): void =>
        resolve({ status: response.statusCode, headers: response.headers, text: told, protocol });
      text(response).then(answered, reject);
    })
      .on('error', reject)
      .end(body);
  });
}
