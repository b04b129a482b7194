/** The chain of the audit log on a PostgreSQL server, with two nodes on it. */

import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { tamperingTests } from './audit-tampering.ts';
import { serverUnderTest, type ServerUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres, execute } from './postgres-server.ts';

const server = await serverUnderTest();

const TENANT = '3f6a0f7e-21cb-4b0e-9a49-9a6f2d6f5f10';

async function open(): Promise<{ readonly lamina: Lamina; readonly url: string }> {
  const { url } = server as ServerUnderTest;
  const engine = await (server as ServerUnderTest).open(systemClock);
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  onTestFinished(() => lamina.close());
  return { lamina, url };
}

function rootOf(lamina: Lamina) {
  return lamina.as({ tenantId: TENANT, userId: 'root', roles: ['admin'] });
}

describeOnPostgres('the audit log on PostgreSQL', () => {
  tamperingTests(async () => {
    const { lamina, url } = await open();
    return {
      root: rootOf(lamina),
      table: 'lamina.audit_log',
      // Past the triggers, as only a superuser can.
      execute: (sql) => execute(url, `SET session_replication_role = replica; ${sql}`),
    };
  });

  it('is neither changed nor shortened: not by the service, and not by a superuser who leaves the triggers alone', async () => {
    const { lamina, url } = await open();
    await rootOf(lamina).keys.create({ name: 'robot', userId: 'robot' });
    const asService = "SET role lamina_service; SET app.purpose = 'administration'; SET app.current_tenant = ";
    for (const role of ['', `${asService}'${TENANT}'; `]) {
      await expect(execute(url, `${role}DELETE FROM lamina.audit_log`)).rejects.toThrow(/permission|nothing is taken/);
      const changes = ["action = 'keys.revoke'", "details = '{}'", "actor = 'nobody'", 'sequence = 7'];
      for (const change of changes) {
        await expect(execute(url, `${role}UPDATE lamina.audit_log SET ${change}`)).rejects.toThrow(
          /permission|not changed/,
        );
      }
    }
  });

  it('is one chain when two nodes write to it', async () => {
    const { lamina } = await open();
    const engine = await (server as ServerUnderTest).another(systemClock);
    const other = await Lamina.open({ engine, embedder: new HashEmbedder() });
    onTestFinished(() => other.close());
    const acts = Array.from({ length: 30 }, (_, index) =>
      rootOf(index % 2 === 0 ? lamina : other).keys.create({ name: 'robot', userId: 'robot' }),
    );
    await Promise.all(acts);
    expect(await rootOf(lamina).admin.verifyAudit({})).toMatchObject({ ok: true, entries: 30 });
  });

  it('outlives its tenant in one chain over all of them', async () => {
    const { lamina } = await open();
    for (const digit of ['1', '2', '3']) {
      const tenantId = TENANT.replace('3', digit);
      const root = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
      await root.keys.create({ name: 'robot', userId: 'robot' });
      await root.admin.eraseTenant({ tenantId });
      const { entries } = await root.admin.audit({});
      expect(entries.map(({ action, sequence }) => [action, sequence])).toEqual([['tenants.erase', Number(digit)]]);
    }
  });
});
