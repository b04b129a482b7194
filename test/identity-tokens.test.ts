/** Tokens signed with a secret: the right ones open, and all others are answered alike. */

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { OTHER_TENANT, SECRET, startIdentityService, TENANT, token, type IdentityService } from './identity-service.ts';

const ENTRIES = '/v1/memory/entries';
const LIST = `${ENTRIES}?layer=user`;
const NOW = Math.floor(Date.now() / 1000);

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const CLAIMS = { tenant_id: TENANT, user_id: 'alice', exp: NOW + 600 };

/** Signed by hand, so that the header can say anything. */
function handmade(header: object, claims: object = CLAIMS, secret: string = SECRET, digest = 'sha256'): string {
  const text = `${base64(header)}.${base64(claims)}`;
  return `${text}.${createHmac(digest, secret).update(text).digest('base64url')}`;
}

const BAD_TOKENS: readonly (readonly [string, () => Promise<string> | string])[] = [
  ['another secret', () => token({}, { secret: 'another secret of which nobody knows' })],
  ['one that has expired', () => token({ exp: NOW - 60 })],
  ['one that never expires', () => token({ exp: undefined })],
  ['one that is far too long', () => token({ padding: 'x'.repeat(8192) })],
  ['one that is not valid yet', () => token({ nbf: NOW + 60 })],
  ['an expiry that is no number', () => handmade({ alg: 'HS256' }, { ...CLAIMS, exp: 'later' })],
  ['another issuer', () => token({ iss: 'https://other.example/', aud: 'lamina' })],
  ['no issuer', () => token({ aud: 'lamina', iss: undefined })],
  ['another audience', () => token({ iss: 'https://issuer.example/', aud: 'another' })],
  ['no audience', () => token({ iss: 'https://issuer.example/' })],
  ['no tenant', () => token({ tenant_id: undefined })],
  ['a tenant that is no UUID', () => token({ tenant_id: '../../etc' })],
  ['no user', () => token({ user_id: undefined })],
  ['a user that is no text', () => token({ user_id: 7 })],
  ['a user that is empty', () => token({ user_id: '' })],
  ['a user that is too long', () => token({ user_id: 'x'.repeat(101) })],
  ['a user with a NUL', () => token({ user_id: 'a\0b' })],
  ['an agent that is no text', () => token({ agent_id: ['x'] })],
  ['roles that are no list', () => token({ roles: 'admin' })],
  ['alg none', () => `${base64({ alg: 'none' })}.${base64(CLAIMS)}.`],
  ['alg None with a signature', () => handmade({ alg: 'None' })],
  ['no alg', () => handmade({ typ: 'JWT' })],
  ['a stronger alg with the same secret', () => handmade({ alg: 'HS512' }, CLAIMS, SECRET, 'sha512')],
  ['RS256 signed with the secret', () => handmade({ alg: 'RS256' })],
  [
    'a key that it brings along',
    () => handmade({ alg: 'HS256', jwk: { kty: 'oct', k: base64('own') } }, CLAIMS, 'own'),
  ],
  ['a key id that is a path', () => handmade({ alg: 'HS256', kid: '../../../../dev/null' }, CLAIMS, '')],
  ['a header that asks for more', () => handmade({ alg: 'HS256', crit: ['exp'] })],
  ['an unencoded payload', () => handmade({ alg: 'HS256', b64: false, crit: ['b64'] })],
  [
    'claims that were changed',
    async () => (await token()).replace(/\.[^.]+\./, `.${base64({ ...CLAIMS, user_id: 'bob' })}.`),
  ],
  ['claims that are no object', () => handmade({ alg: 'HS256' }, [1])],
  ['a signature that was cut off', async () => (await token()).replace(/[^.]+$/, '')],
  ['two parts', () => 'a.b'],
  ['five parts', () => 'a.b.c.d.e'],
  ['junk', () => 'junk'],
  ['a key that is none', () => 'lam_'],
];

/** Everything of an answer but what is new with every request. */
function told({ status, headers, json }: Awaited<ReturnType<IdentityService['call']>>): unknown {
  const { request_id: id, ...body } = json as Record<string, unknown>;
  expect(id).toBeTypeOf('string');
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, body, headers: shown };
}

const strict = { jwtIssuer: 'https://issuer.example/', jwtAudience: 'lamina' };

describe('a token that does not do', () => {
  it.each(BAD_TOKENS)('is answered as none at all: %s', async (_name, make) => {
    // Only what the token is about may be wrong with it.
    const isAboutIssuer = /issuer|audience/.test(_name);
    const { call, logLines } = await startIdentityService({ settings: isAboutIssuer ? strict : {} });
    const bad = await make();
    const answer = await call('GET', LIST, bad);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(told(answer)).toEqual(told(await call('GET', LIST)));
    expect(answer.json).toMatchObject({ code: 'UNAUTHORIZED', operation: 'list', retryable: false });
    expect(Object.keys(answer.json).toSorted()).toEqual(['code', 'message', 'operation', 'request_id', 'retryable']);
    // The reason is in the log, the token is not.
    const reasons = logLines.filter((line) => line.includes('"reason"'));
    expect(reasons).toHaveLength(2);
    for (const part of bad.split('.').filter((each) => each.length > 12)) expect(logLines.join()).not.toContain(part);
  });

  it.each([
    ['no scheme', { Authorization: 'x' }],
    ['another scheme', { Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }],
    ['a scheme alone', { Authorization: 'Bearer' }],
    ['a token as an API key', { 'X-API-Key': handmade({ alg: 'HS256' }) }],
    ['an empty API key', { 'X-API-Key': '' }],
  ])('nor does %s', async (_name, headers) => {
    const { call } = await startIdentityService();
    const answer = await call('GET', LIST, undefined, { headers });
    expect(told(answer)).toEqual(told(await call('GET', LIST)));
  });

  it('is found out before the body is read, and nothing is written', async () => {
    const { call, lamina } = await startIdentityService();
    const answer = await call('POST', ENTRIES, 'junk', { body: { content: 'x', layer: 'user' } });
    expect(answer.status).toBe(401);
    const memory = lamina.as({ tenantId: TENANT, userId: 'alice' });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });

  it('is refused by every operation', async () => {
    const { call } = await startIdentityService();
    const { paths } = (await call('GET', '/openapi.json')).json as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      path.startsWith('/v1/') ? Object.keys(methods).map((method) => [method.toUpperCase(), path] as const) : [],
    );
    expect(routes.length).toBeGreaterThan(15);
    for (const [method, path] of routes) {
      expect((await call(method, path.replace(/\{\w+\}/g, 'x'))).status, `${method} ${path}`).toBe(401);
    }
  });
});

describe('a token that does', () => {
  it('says who is asking', async () => {
    const { call, lamina } = await startIdentityService({ settings: strict });
    const claims = { iss: strict.jwtIssuer, aud: ['other', 'lamina'] };
    const added = await call('POST', ENTRIES, await token(claims), { body: { content: 'Tea', layer: 'user' } });
    expect(added.status).toBe(201);
    expect(added.json.memory).toMatchObject({ owner_id: 'alice', identifiers: { user_id: 'alice' } });
    const list = (userId: string, tenantId = TENANT): Promise<number> =>
      lamina
        .as({ tenantId, userId })
        .list({ layer: 'user' })
        .then(({ totalCount }) => totalCount);
    expect([await list('alice'), await list('bob'), await list('alice', OTHER_TENANT)]).toEqual([1, 0, 0]);
    expect((await call('GET', LIST, await token({ ...claims, user_id: 'bob' }))).json.total_count).toBe(0);
  });

  it.each([
    ['user_id before sub', { user_id: 'alice', sub: 'someone' }],
    ['sub', { user_id: undefined, sub: 'alice' }],
    ['a tenant in capitals', { tenant_id: TENANT.toUpperCase() }],
    // Of this moment: those before it may have taken as long as clocks are allowed to differ.
    ['an expiry that the clocks disagree about', () => ({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ['roles of somebody else', { roles: ['owner', 7, null] }],
  ])('may have %s', async (_name, given) => {
    const claims = typeof given === 'function' ? given() : given;
    const { call, lamina } = await startIdentityService();
    await lamina.as({ tenantId: TENANT, userId: 'alice' }).add({ content: 'Tea', layer: 'user' });
    expect((await call('GET', LIST, await token(claims))).json.total_count).toBe(1);
  });

  it('is kept to its agent', async () => {
    const { call } = await startIdentityService();
    const own = await token({ agent_id: 'helper' });
    const body = { content: 'How to help', layer: 'agent' };
    expect((await call('POST', ENTRIES, own, { body })).json.memory.identifiers.agent_id).toBe('helper');
    const foreign = { ...body, identifiers: { user_id: 'alice', agent_id: 'other' } };
    expect((await call('POST', ENTRIES, own, { body: foreign })).status).toBe(403);
  });

  it('is asked for whatever host name the service is called by', async () => {
    const { call } = await startIdentityService();
    expect((await call('GET', LIST, await token(), { headers: { Host: 'memory.example' } })).status).toBe(200);
  });

  it('is what the client sends', async () => {
    const { url } = await startIdentityService();
    const client = new LaminaClient({ url, token: await token(), retry: { maxAttempts: 1 } });
    await client.as().add({ content: 'Tea', layer: 'user' });
    expect((await client.as({ userId: 'alice' }).list({ layer: 'user' })).memories[0]?.ownerId).toBe('alice');
    const stranger = new LaminaClient({ url, token: 'junk', retry: { maxAttempts: 1 } });
    await expect(stranger.as().list({ layer: 'user' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
