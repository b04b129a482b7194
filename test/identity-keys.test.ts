/** API keys over HTTP: made, shown once, used, and ended in every way in which they end. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../src/testing/manual-clock.ts';
import type { Answer } from './http-caller.ts';
import {
  adminToken,
  OTHER_TENANT,
  startIdentityService,
  TENANT,
  token,
  type IdentityService,
} from './identity-service.ts';
import { tracesIn } from './sqlite-folder.ts';

const KEYS = '/v1/memory/admin/keys';
const ENTRIES = '/v1/memory/entries';
const LIST = `${ENTRIES}?layer=user`;
const DAY_MS = 86_400_000;

interface Made {
  readonly key: string;
  readonly key_id: string;
}

async function makeKey(service: IdentityService, body: object = {}, admin?: string): Promise<Made> {
  const all = { name: 'robot', user_id: 'robot', ...body };
  const answer = await service.call('POST', KEYS, admin ?? (await adminToken()), { body: all });
  expect(answer.status).toBe(201);
  return answer.json as Made;
}

const bodyOf = ({ json }: Answer): unknown => ({ ...(json as object), request_id: undefined });

async function expectRefused({ call }: IdentityService, key: string): Promise<void> {
  const nobody = await call('GET', LIST);
  for (const answer of [
    await call('GET', LIST, key),
    await call('GET', LIST, undefined, { headers: { 'X-API-Key': key } }),
  ]) {
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(bodyOf(answer)).toEqual(bodyOf(nobody));
  }
}

describe('an API key', () => {
  it('is shown once, and only its hash is kept', async () => {
    const service = await startIdentityService();
    const { call, folder, lamina } = service;
    const made = await makeKey(service, { agent_id: 'helper', roles: ['member', 'member'], expires_in_days: 30 });
    expect(made).toMatchObject({ name: 'robot', user_id: 'robot', agent_id: 'helper', roles: ['member'] });
    expect(made.key).toMatch(/^lam_[\w-]{43}_[\w-]{43}$/);
    const list = await call('GET', KEYS, await adminToken());
    expect(list.json).toMatchObject({ count: 1, next_cursor: null, keys: [{ key_id: made.key_id }] });
    const shown = JSON.stringify(list.json);
    const secret = made.key.slice(-43);
    const hash = createHash('sha256').update(secret).digest('hex');
    for (const hidden of [made.key, secret, hash, 'secret']) expect(shown).not.toContain(hidden);
    await lamina.close();
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(await tracesIn(folder, [bytes(secret)])).toEqual([]);
    expect(await tracesIn(folder, [bytes(hash)])).toHaveLength(1);
  });

  it('speaks for its user, in either header', async () => {
    const service = await startIdentityService();
    const { call } = service;
    const { key } = await makeKey(service);
    const body = { content: 'Beep', layer: 'user' };
    expect((await call('POST', ENTRIES, key, { body })).json.memory.owner_id).toBe('robot');
    const other = await call('GET', LIST, undefined, { headers: { 'x-api-key': key } });
    expect(other.json.total_count).toBe(1);
    expect((await call('GET', LIST, await token({ user_id: 'robot' }))).json.total_count).toBe(1);
    expect((await call('GET', LIST, await token())).json.total_count).toBe(0);
  });

  it('is kept to its agent and to its roles', async () => {
    const service = await startIdentityService();
    const { call } = service;
    const { key } = await makeKey(service, { agent_id: 'helper' });
    const body = { content: 'Beep', layer: 'agent', identifiers: { user_id: 'robot', agent_id: 'other' } };
    expect((await call('POST', ENTRIES, key, { body })).status).toBe(403);
    expect((await call('GET', KEYS, key)).status).toBe(403);
    const admin = await makeKey(service, { user_id: 'deputy', roles: ['admin'] });
    expect((await call('GET', KEYS, admin.key)).json.count).toBe(2);
  });

  it('ends at once when it is revoked', async () => {
    const service = await startIdentityService();
    const { call } = service;
    const { key, key_id: id } = await makeKey(service);
    expect((await call('GET', LIST, key)).status).toBe(200);
    const revoked = await call('DELETE', `${KEYS}/${id}`, await adminToken());
    expect([revoked.status, revoked.json]).toEqual([204, undefined]);
    await expectRefused(service, key);
    const [listed] = (await call('GET', KEYS, await adminToken())).json.keys as { revoked_at: string }[];
    expect(listed?.revoked_at).toMatch(/^\d{4}-/);
    expect((await call('DELETE', `${KEYS}/${id}`, await adminToken())).status).toBe(204);
    const [again] = (await call('GET', KEYS, await adminToken())).json.keys as { revoked_at: string }[];
    expect(again).toMatchObject({ revoked_at: listed?.revoked_at });
  });

  it('ends when its time has come', async () => {
    const clock = new ManualClock(Date.now());
    const service = await startIdentityService({ clock });
    const { key } = await makeKey(service, { expires_in_days: 1 });
    const at = new Date(clock.now() + DAY_MS / 2).toISOString();
    const other = await makeKey(service, { expires_at: at });
    clock.advance(DAY_MS / 2);
    await expectRefused(service, other.key);
    expect((await service.call('GET', LIST, key)).status).toBe(200);
    clock.advance(DAY_MS / 2);
    await expectRefused(service, key);
  });

  it.each([
    ['another secret', (key: string) => key.slice(0, -43) + 'A'.repeat(43)],
    ['another key id', (key: string) => `${key.slice(0, 40)}${key[40] === 'A' ? 'B' : 'A'}${key.slice(41)}`],
    ['another tenant', (key: string) => `lam_A${key.slice(5)}`],
    ['something after it', (key: string) => `${key}x`],
    ['something missing', (key: string) => key.slice(0, -1)],
    [
      'another spelling of the same bytes',
      (key: string) => `${key.slice(0, 46)}${nextSpelling(key[46])}${key.slice(47)}`,
    ],
  ])('is none with %s', async (_name, change) => {
    const service = await startIdentityService();
    const { key } = await makeKey(service);
    expect(change(key)).not.toBe(key);
    await expectRefused(service, change(key));
    expect((await service.call('GET', LIST, key)).status).toBe(200);
  });

  it('of a tenant that does not exist makes no file', async () => {
    const service = await startIdentityService();
    const { key } = await makeKey(service);
    const stranger = Buffer.from(key.slice(4, 47), 'base64url');
    stranger.set(Buffer.from(OTHER_TENANT.replaceAll('-', ''), 'hex'));
    await expectRefused(service, `lam_${stranger.toString('base64url')}${key.slice(47)}`);
    expect(existsSync(join(service.folder, 'tenants', `${TENANT}.db`))).toBe(true);
    expect(existsSync(join(service.folder, 'tenants', `${OTHER_TENANT}.db`))).toBe(false);
  });

  it('notes when it was used last, now and then', async () => {
    const clock = new ManualClock(Date.now());
    const service = await startIdentityService({ clock });
    const { key } = await makeKey(service);
    const lastUse = async (): Promise<string | undefined> => {
      const { keys } = (await service.call('GET', KEYS, await adminToken())).json as {
        keys: { last_used_at?: string }[];
      };
      return keys[0]?.last_used_at;
    };
    expect(await lastUse()).toBeUndefined();
    const first = new Date(clock.now()).toISOString();
    await service.call('GET', LIST, key);
    await expect.poll(lastUse).toBe(first);
    clock.advance(30_000);
    await service.call('GET', LIST, key);
    expect(await lastUse()).toBe(first);
    clock.advance(30_000);
    await service.call('GET', LIST, key);
    await expect.poll(lastUse).toBe(new Date(clock.now()).toISOString());
  });
});

/** The last character of 43 carries two bits that mean nothing. */
function nextSpelling(letter = 'A'): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const at = alphabet.indexOf(letter);
  return alphabet[at % 4 === 3 ? at - 1 : at + 1] ?? '';
}

describe('managing keys', () => {
  it('is for administrators', async () => {
    const service = await startIdentityService();
    const { key_id: id } = await makeKey(service);
    for (const roles of [undefined, [], ['member'], ['Admin'], ['owner']]) {
      const member = await token({ roles });
      for (const [method, path, body] of [
        ['POST', KEYS, { name: 'x', user_id: 'alice', roles: ['admin'] }],
        ['GET', KEYS],
        ['DELETE', `${KEYS}/${id}`],
      ] as const) {
        const answer = await service.call(method, path, member, body ? { body } : {});
        expect([answer.status, answer.json.code]).toEqual([403, 'FORBIDDEN']);
      }
    }
    expect((await service.call('GET', KEYS, await adminToken())).json.count).toBe(1);
  });

  it('ends at the border of the tenant', async () => {
    const service = await startIdentityService();
    const { key, key_id: id } = await makeKey(service);
    const foreign = await adminToken({ tenant_id: OTHER_TENANT });
    expect((await service.call('GET', KEYS, foreign)).json).toEqual({ keys: [], count: 0, next_cursor: null });
    const answer = await service.call('DELETE', `${KEYS}/${id}`, foreign);
    expect([answer.status, answer.json.code]).toEqual([404, 'NOT_FOUND']);
    expect((await service.call('GET', LIST, key)).status).toBe(200);
    const other = await makeKey(service, {}, foreign);
    const body = { content: 'Beep', layer: 'user' };
    await service.call('POST', ENTRIES, other.key, { body });
    expect((await service.call('GET', LIST, key)).json.total_count).toBe(0);
    // Asking about a tenant in which there is nothing must not make it one.
    const third = await adminToken({ tenant_id: OTHER_TENANT.replace(/b$/, 'c') });
    await service.call('GET', KEYS, third);
    await service.call('DELETE', `${KEYS}/${id}`, third);
    await service.call('GET', '/v1/memory/admin/audit', third);
    expect(existsSync(join(service.folder, 'tenants', `${OTHER_TENANT.replace(/b$/, 'c')}.db`))).toBe(false);
  });

  it('lists page by page, newest first', async () => {
    const clock = new ManualClock(Date.now());
    const service = await startIdentityService({ clock });
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      made.unshift((await makeKey(service)).key_id);
      if (count % 2 === 0) clock.advance(1000);
    }
    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await service.call('GET', `${KEYS}?limit=2${page}`, await adminToken());
      listed.push(...(json.keys as Made[]).map(({ key_id: id }) => id));
      expect(json.count).toBe(json.keys.length);
      cursor = json.next_cursor as string | null;
    }
    expect(listed).toEqual(made);
    expect((await service.call('GET', `${KEYS}?cursor=nonsense`, await adminToken())).json.code).toBe(
      'VALIDATION_FAILED',
    );
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['no user', { user_id: undefined }],
    ['a user that is too long', { user_id: 'x'.repeat(101) }],
    ['an unknown role', { roles: ['owner'] }],
    ['no role at all', { roles: [] }],
    ['an expiry that is past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an expiry that is no time', { expires_at: 'soon' }],
    ['two expiries', { expires_at: '2099-01-01T00:00:00Z', expires_in_days: 1 }],
    ['no days', { expires_in_days: 0 }],
    ['a tenant', { tenant_id: OTHER_TENANT }],
  ])('refuses a key with %s', async (_name, wrong) => {
    const service = await startIdentityService();
    const body = { name: 'robot', user_id: 'robot', ...wrong };
    const { status, json } = await service.call('POST', KEYS, await adminToken(), { body });
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await service.call('GET', KEYS, await adminToken())).json.count).toBe(0);
  });

  it('is written down, without secrets', async () => {
    const service = await startIdentityService();
    const { key, key_id: id } = await makeKey(service);
    await service.call('DELETE', `${KEYS}/${id}`, await adminToken({ user_id: 'other-root' }));
    await service.call('DELETE', `${KEYS}/no-such-key`, await adminToken());
    const { json } = await service.call('GET', '/v1/memory/admin/audit', await adminToken());
    expect(json).toMatchObject({
      count: 2,
      next_cursor: null,
      entries: [
        { action: 'keys.revoke', actor: 'other-root', key_id: id },
        { action: 'keys.create', actor: 'root', key_id: id },
      ],
    });
    expect(JSON.stringify(json)).not.toContain(key.slice(-43));
  });
});
