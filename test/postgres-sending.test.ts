/** How the statements of a transaction reach a server: in one message where no answer is looked at, and all or none either way. */

import { expect, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import type { PostgresConnection, PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

const WRITE = 'INSERT INTO lamina.users (tenant_id, id, created_at) VALUES ($1::uuid, $2, 0)';
const ENTER = 'INSERT INTO lamina.tenants (id, created_at) VALUES ($1::uuid, 0) ON CONFLICT DO NOTHING';
const READ = 'SELECT u.id FROM lamina.users u ORDER BY u.id';

const { tenantId } = TENANT;
const CONTEXT = { tenantId, purpose: 'administration' } as const;

const server = await serverUnderTest();

/** A driver that writes down how it was asked. */
function watched(driver: PostgresDriver, seen: string[]): PostgresDriver {
  const reserve = async (): Promise<PostgresConnection> => {
    const connection = await driver.reserve();
    const transact = connection.transact?.bind(connection);
    return {
      query: (sql, values, patienceMs) => {
        seen.push(sql.split(' ', 1).join());
        return connection.query(sql, values, patienceMs);
      },
      ...(transact && {
        transact: (statements, patienceMs) => {
          seen.push(`${statements.length} at once`);
          return transact(statements, patienceMs);
        },
      }),
      release: (spoiled) => connection.release(spoiled),
    };
  };
  return { ...driver, reserve };
}

function opened(): { database: PostgresDatabase; seen: string[] } {
  if (server === undefined) throw new Error('There is no server.');
  const seen: string[] = [];
  const driver = watched(server.driver, seen);
  return { database: new PostgresDatabase({ driver, clock: systemClock, statementTimeoutMs: 30_000 }), seen };
}

async function names(): Promise<string[]> {
  return (await opened().database.read<{ id: string }>(CONTEXT, READ)).map(({ id }) => id);
}

describeOnPostgres('the statements of a transaction', () => {
  it('are one message where no answer is looked at', async () => {
    const { database, seen } = opened();
    await database.transaction(CONTEXT, async (transaction) => {
      transaction.send(ENTER, [tenantId]);
      transaction.send(WRITE, [tenantId, 'ada']);
    });
    expect(seen).toEqual(['3 at once']);
    expect(await names()).toEqual(['ada']);
  });

  it('are sent before the first one whose answer is wanted, which sees what they did', async () => {
    const { database, seen } = opened();
    const found = await database.transaction(CONTEXT, async (transaction) => {
      transaction.send(WRITE, [tenantId, 'bob']);
      return (await transaction.query<{ id: string }>(READ, [])).rows.map(({ id }) => id);
    });
    expect(found).toEqual(['ada', 'bob']);
    expect(seen[0]).toBe('BEGIN');
    expect(seen.at(-1)).toBe('COMMIT');
  });

  it.each([[true], [false]])(
    'leave nothing behind when one fails, and say which way (asked in between: %s)',
    async (asks) => {
      const { database } = opened();
      const told: unknown[] = [];
      const attempt = database.transaction(CONTEXT, async (transaction) => {
        transaction.send(WRITE, [tenantId, 'eve']);
        if (asks) await transaction.query(READ, []);
        transaction.send('SELECT 1 / $1::int', [0], (error) => told.push(error));
      });
      await expect(attempt).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
      expect(told).toMatchObject([{ code: '22012' }]);
      expect(await names()).not.toContain('eve');
    },
  );

  it('are not even sent where the work gives up before', async () => {
    const { database, seen } = opened();
    const attempt = database.transaction(CONTEXT, async (transaction) => {
      transaction.send(WRITE, [tenantId, 'eve']);
      throw new Error('Given up.');
    });
    await expect(attempt).rejects.toThrow('Given up.');
    expect(seen).toEqual([]);
  });
});
