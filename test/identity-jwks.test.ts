/** Tokens verified by the public keys of their issuer: every algorithm, rotation, and an issuer that does not answer. */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTokenVerifier } from '../src/identity/token-verifier.ts';
import { systemClock } from '../src/compose/system.ts';
import { authenticateByCredentials } from '../src/server/authenticate-by-credentials.ts';
import { SECRET, startIdentityService, TENANT, token, type IdentityService } from './identity-service.ts';

const LIST = '/v1/memory/entries?layer=user';
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

interface Signer {
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
  sign(kid?: string, header?: object): Promise<string>;
}

async function makeSigner(algorithm: string, kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return {
    algorithm,
    publicKey,
    jwk,
    sign: (named, header) =>
      new SignJWT({ tenant_id: TENANT, sub: 'alice' })
        .setProtectedHeader({ alg: algorithm, ...(named !== undefined && { kid: named }), ...header })
        .setExpirationTime('10m')
        .sign(privateKey),
  };
}

let signers: Record<Algorithm, Signer>;
beforeAll(async () => {
  const made = await Promise.all(ALGORITHMS.map((algorithm) => makeSigner(algorithm, `first-${algorithm}`)));
  signers = Object.fromEntries(made.map((signer) => [signer.algorithm, signer])) as Record<Algorithm, Signer>;
});

async function listen(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, server };
}

/** An issuer that publishes these keys, and counts how often it is asked. */
async function startIssuer(keys: JWK[]): Promise<{ url: string; keys: JWK[]; asked: () => number; server: Server }> {
  let count = 0;
  const { url, server } = await listen((_request, response) => {
    count += 1;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys }));
  });
  return { url, keys, asked: () => count, server };
}

function serviceBy(jwksUrl: string, cooldownMs?: number): Promise<IdentityService> {
  const keys = { jwksUrl, ...(cooldownMs !== undefined && { cooldownMs }) };
  return startIdentityService({
    authenticate: (lamina) =>
      authenticateByCredentials({
        verifyToken: createTokenVerifier({ keys, clock: systemClock }),
        verifyKey: (key) => lamina.principalOfKey(key),
      }),
  });
}

describe('public keys', () => {
  it.each(ALGORITHMS)('verify %s', async (algorithm) => {
    const issuer = await startIssuer(Object.values(signers).map(({ jwk }) => jwk));
    const { call } = await startIdentityService({ settings: { jwtSecret: undefined, jwksUrl: issuer.url } });
    const signer = signers[algorithm];
    expect((await call('GET', LIST, await signer.sign(`first-${algorithm}`))).status).toBe(200);
    // Without a name there is one key of that algorithm to choose from.
    expect((await call('GET', LIST, await signer.sign())).status).toBe(200);
    expect(issuer.asked()).toBe(1);
    const forger = await makeSigner(algorithm, `first-${algorithm}`);
    expect((await call('GET', LIST, await forger.sign(`first-${algorithm}`))).status).toBe(401);
  });

  it('are each tried where a token does not name its key', async () => {
    const [one, two] = [await makeSigner('ES256', 'one'), await makeSigner('ES256', 'two')];
    const issuer = await startIssuer([one.jwk, two.jwk]);
    const { call } = await serviceBy(issuer.url);
    for (const signer of [one, two]) expect((await call('GET', LIST, await signer.sign())).status).toBe(200);
    const forger = await makeSigner('ES256', 'three');
    expect((await call('GET', LIST, await forger.sign())).status).toBe(401);
  });

  it('are never taken for a secret, nor a secret for one of them', async () => {
    const signer = signers.RS256;
    const issuer = await startIssuer([signer.jwk]);
    const { call } = await serviceBy(issuer.url);
    const pem = await exportSPKI(signer.publicKey);
    const head = (header: object): string => Buffer.from(JSON.stringify(header)).toString('base64url');
    for (const secret of [pem, pem.trim(), JSON.stringify(signer.jwk), String(signer.jwk.n)]) {
      const text = `${head({ alg: 'HS256', kid: 'first-RS256' })}.${head({ tenant_id: TENANT, sub: 'alice', exp: 4e9 })}`;
      const forged = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      expect((await call('GET', LIST, forged)).status).toBe(401);
    }
    expect((await call('GET', LIST, await token())).status).toBe(401);
    const bySecret = await startIdentityService();
    expect((await bySecret.call('GET', LIST, await signer.sign('first-RS256'))).status).toBe(401);
    expect(issuer.asked()).toBe(0);
  });

  it('are only those of the issuer, whatever a token brings along or points to', async () => {
    const forger = await makeSigner('ES256', 'first-ES256');
    const elsewhere = await startIssuer([forger.jwk]);
    const issuer = await startIssuer([signers.ES256.jwk]);
    const { call } = await serviceBy(issuer.url);
    const headers = [
      { jwk: forger.jwk },
      { jku: elsewhere.url },
      { x5u: elsewhere.url },
      { x5c: [Buffer.from('certificate').toString('base64')] },
      { kid: 'first-ES256', jku: elsewhere.url, jwk: forger.jwk },
      { kid: elsewhere.url },
      { kid: '../../../../dev/null' },
      { kid: "' OR 1=1 --" },
      { kid: '__proto__' },
    ];
    for (const header of headers)
      expect((await call('GET', LIST, await forger.sign(undefined, header))).status).toBe(401);
    expect(elsewhere.asked()).toBe(0);
    expect((await call('GET', LIST, await signers.ES256.sign('first-ES256', { jku: elsewhere.url }))).status).toBe(200);
    expect(elsewhere.asked()).toBe(0);
  });

  it('of other algorithms and a secret among the keys open nothing', async () => {
    const other = await makeSigner('ES384', 'other');
    const oct: JWK = { kty: 'oct', k: Buffer.from(SECRET).toString('base64url'), kid: 'oct', alg: 'HS256' };
    const issuer = await startIssuer([other.jwk, oct]);
    const { call } = await serviceBy(issuer.url);
    expect((await call('GET', LIST, await other.sign('other'))).status).toBe(401);
    expect((await call('GET', LIST, await token())).status).toBe(401);
  });

  it('that are too weak open nothing', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const issuer = await startIssuer([{ ...publicKey.export({ format: 'jwk' }), kid: 'first-RS256', alg: 'RS256' }]);
    const { call } = await serviceBy(issuer.url);
    const answer = await call('GET', LIST, await signers.RS256.sign('first-RS256'));
    expect(answer.status).toBe(401);
  });
});

describe('rotation', () => {
  it('brings new keys in and takes old ones out, without a restart', async () => {
    const [old, fresh] = [await makeSigner('EdDSA', 'old'), await makeSigner('EdDSA', 'fresh')];
    const issuer = await startIssuer([old.jwk]);
    const { call } = await serviceBy(issuer.url, 0);
    expect((await call('GET', LIST, await old.sign('old'))).status).toBe(200);
    expect((await call('GET', LIST, await fresh.sign('fresh'))).status).toBe(401);
    issuer.keys.splice(0, 1, fresh.jwk);
    expect((await call('GET', LIST, await fresh.sign('fresh'))).status).toBe(200);
    expect((await call('GET', LIST, await old.sign('old'))).status).toBe(401);
  });

  it('is not asked about for every token that names an unknown key', async () => {
    const issuer = await startIssuer([signers.ES256.jwk]);
    const { call } = await serviceBy(issuer.url);
    for (let count = 0; count < 5; count += 1) {
      expect((await call('GET', LIST, await signers.ES256.sign(`unknown-${count}`))).status).toBe(401);
    }
    expect(issuer.asked()).toBe(1);
  });
});

describe('an issuer that does not answer', () => {
  const expectUnavailable = async (url: string): Promise<void> => {
    const { call } = await serviceBy(url);
    const answer = await call('GET', LIST, await signers.ES256.sign('first-ES256'));
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(JSON.stringify(answer.json)).not.toContain('127.0.0.1');
    // Whoever has no token at all is still told so.
    expect((await call('GET', LIST)).status).toBe(401);
    expect((await call('GET', LIST, 'a.b.c')).status).toBe(401);
  };

  it('makes the service unavailable, not the caller unauthorized', async () => {
    const { url, server } = await startIssuer([]);
    await new Promise((resolve) => server.close(resolve));
    await expectUnavailable(url);
  });

  it.each([
    ['an error', 500, ''],
    ['a page', 200, '<html></html>'],
    ['no keys', 200, '{"keys": "none"}'],
    ['a redirect', 302, ''],
  ])('with keys but with %s does the same', async (_name, status, body) => {
    const { url } = await listen((_request, response) => {
      response.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end(body);
    });
    await expectUnavailable(url);
  });

  it('is needed no longer once its keys are known, nor for API keys', async () => {
    const issuer = await startIssuer([signers.ES256.jwk]);
    const { call, lamina } = await serviceBy(issuer.url);
    expect((await call('GET', LIST, await signers.ES256.sign('first-ES256'))).status).toBe(200);
    await new Promise((resolve) => {
      issuer.server.close(resolve);
      issuer.server.closeAllConnections();
    });
    expect((await call('GET', LIST, await signers.ES256.sign('first-ES256'))).status).toBe(200);
    const admin = lamina.as({ tenantId: TENANT, userId: 'root', roles: ['admin'] });
    const { key } = await admin.keys.create({ name: 'robot', userId: 'alice' });
    expect((await call('GET', LIST, key)).status).toBe(200);
  });
});
