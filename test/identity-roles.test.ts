/** What roles open, who is an administrator without authentication, and when users come to be. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Lamina } from '../src/compose/lamina.ts';
import { failure } from '../src/testing/contract-assertions.ts';
import { adminToken, startIdentityService, TENANT, token } from './identity-service.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

const ADMIN = '/v1/memory/admin';

function usersIn(folder: string, tenantId = TENANT): string[] {
  const db = new Sqlite(join(folder, 'tenants', `${tenantId}.db`), { readonly: true });
  const users = db.prepare<[], { id: string }>('SELECT id FROM users ORDER BY id').all();
  db.close();
  return users.map(({ id }) => id);
}

describe('administration', () => {
  const tenantId = TENANT;
  it('is closed to members, over HTTP and embedded', async () => {
    const { call, lamina } = await startIdentityService();
    const admin = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
    await lamina.as({ tenantId, userId: 'bob' }).add({ content: 'Tea', layer: 'user' });
    const { erasureId } = await admin.admin.eraseUser({ userId: 'nobody' });
    for (const roles of [undefined, ['member' as const]]) {
      const member = await token({ roles });
      for (const [method, path] of [
        ['DELETE', `${ADMIN}/users/bob`],
        ['DELETE', `${ADMIN}/users/alice`],
        ['DELETE', `${ADMIN}/tenants/${TENANT}`],
        ['GET', `${ADMIN}/erasures/${erasureId}?user_id=nobody`],
        ['GET', `${ADMIN}/audit`],
        ['GET', `${ADMIN}/keys`],
      ] as const) {
        const { status, json } = await call(method, path, member);
        expect([status, json.code], path).toEqual([403, 'FORBIDDEN']);
      }
      const embedded = lamina.as({ tenantId, userId: 'alice', ...(roles && { roles }) });
      await failure('FORBIDDEN', embedded.admin.eraseUser({ userId: 'bob' }));
      await failure('FORBIDDEN', embedded.admin.eraseTenant({ tenantId }));
      await failure('FORBIDDEN', embedded.admin.verifyErasure({ erasureId, userId: 'nobody' }));
      await failure('FORBIDDEN', embedded.admin.audit({}));
      await failure('FORBIDDEN', embedded.keys.create({ name: 'x', userId: 'alice' }));
      await failure('FORBIDDEN', embedded.keys.list({}));
      await failure('FORBIDDEN', embedded.keys.revoke({ keyId: 'x' }));
    }
    expect((await lamina.as({ tenantId, userId: 'bob' }).list({ layer: 'user' })).totalCount).toBe(1);
  });

  it('does not open the memory of others', async () => {
    const { call, lamina } = await startIdentityService();
    const { memory } = await lamina.as({ tenantId, userId: 'bob' }).add({ content: 'Tea', layer: 'user' });
    expect((await call('GET', `/v1/memory/entries/${memory.id}`, await adminToken())).status).toBe(404);
    expect((await call('GET', '/v1/memory/entries?layer=user&user_id=bob', await adminToken())).json.total_count).toBe(
      0,
    );
  });

  it('is for whoever runs the machine, or says so, where there is no authentication', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const statusFor = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}${ADMIN}/keys`, { headers })).status;
    expect(await statusFor({})).toBe(200);
    expect(await statusFor({ 'X-User-ID': 'anyone', 'X-Roles': 'member, admin' })).toBe(200);
    expect(await statusFor({ 'X-User-ID': 'anyone' })).toBe(403);
  });

  it('is not asked for with a role that does not exist', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const message = 'is no role; known are: member, admin, delegate';
    expect(() => lamina.as({ userId: 'root', roles: ['administrator' as 'admin'] })).toThrow(`roles.0: ${message}`);
    const answer = await fetch(`${url}${ADMIN}/keys`, { headers: { 'X-Roles': 'administrator' } });
    const { details } = (await answer.json()) as { details: unknown };
    expect([answer.status, details]).toEqual([400, { problems: [{ path: 'X-Roles', message }] }]);
  });
});

describe('users', () => {
  const tenantId = TENANT;

  it('come to be when they first write, whatever they write', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    const as = (userId: string): ReturnType<Lamina['as']> => lamina.as({ tenantId, userId });
    await as('entry').add({ content: 'Tea', layer: 'user' });
    await as('state').working.set({ planId: 'p', key: 'k', value: 1 });
    await as('plan').plans.create({ planId: 'q', goalEvent: 'goal' });
    await as('session').sessions.create({ sessionId: 's' });
    await as('task').tasks.save({ taskId: 't', eventType: 'asked' });
    expect(usersIn(folder)).toEqual(['entry', 'plan', 'session', 'state', 'task']);
  });

  it('are not made by reading, nor is their tenant', async () => {
    const { call, folder, lamina } = await startIdentityService();
    const file = join(folder, 'tenants', `${TENANT}.db`);
    const read = async (): Promise<void> => {
      const reader = await token({ user_id: 'reader' });
      for (const path of ['entries?layer=user', 'working/p/k', 'plans', 'sessions', 'task-context/t']) {
        expect((await call('GET', `/v1/memory/${path}`, reader)).status, path).toBeLessThan(500);
      }
      await call('POST', '/v1/memory/entries/search', reader, { body: { query: 'tea' } });
    };
    await read();
    expect(existsSync(file)).toBe(false);
    await lamina.as({ tenantId, userId: 'writer' }).add({ content: 'Tea', layer: 'user' });
    await read();
    expect(usersIn(folder)).toEqual(['writer']);
  });

  it('are not made by a write that is refused', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    const { memory } = await lamina.as({ tenantId, userId: 'a' }).add({ content: 'Tea', layer: 'user' });
    await failure(
      'MEMORY_NOT_FOUND',
      lamina.as({ tenantId, userId: 'b' }).update({ id: memory.id, content: 'Coffee' }),
    );
    expect(usersIn(folder)).toEqual(['a']);
  });

  it('come to be once, also when they write at once', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    const memory = lamina.as({ tenantId, userId: 'busy' });
    const writes = Array.from({ length: 50 }, (_, n) => [
      memory.add({ content: `Note ${n}`, layer: 'user' }),
      memory.working.set({ planId: 'p', key: `${n}`, value: n }),
    ]).flat();
    await Promise.all(writes);
    expect(usersIn(folder)).toEqual(['busy']);
  });
});
