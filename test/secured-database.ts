/** A database as a careful administrator sets it up: owned by one role, used by another, neither of them a superuser. */

import { randomBytes } from 'node:crypto';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { connect, freshDatabase, urlOf } from './postgres-server.ts';

export interface SecuredDatabase {
  /** As superuser, whom row-level security does not bind. */
  readonly superuserUrl: string;
  /** As the role that owns the tables. */
  readonly ownerUrl: string;
  readonly ownerRole: string;
  /** As the role that the service connects as, which is a member of lamina_service and of nothing else. */
  readonly serviceUrl: string;
  drop(): Promise<void>;
}

/**
 * Migrated by its owner; the extension was there before, as managed services do it. On the shared server, or on the one
 * at `serverUrl`.
 */
export async function securedDatabase(serverUrl?: string): Promise<SecuredDatabase> {
  const { url: superuserUrl, name: database, drop } = await freshDatabase(serverUrl);
  const [suffix, password] = [6, 16].map((size) => randomBytes(size).toString('hex'));
  const [ownerRole, serviceRole] = [`lamina_owner_${suffix}`, `lamina_login_${suffix}`];
  const ownerUrl = urlOf(superuserUrl, { user: ownerRole, password });
  const superuser = await connect(superuserUrl);
  try {
    await superuser.query(`
      CREATE ROLE ${ownerRole} LOGIN CREATEROLE PASSWORD '${password}';
      CREATE ROLE ${serviceRole} LOGIN PASSWORD '${password}';
      ALTER DATABASE ${database} OWNER TO ${ownerRole};
      CREATE EXTENSION vector;`);
    // Other tests may have made it as somebody else, and since PostgreSQL 16 only who made a role may grant it.
    const { rowCount } = await superuser.query(`SELECT 1 FROM pg_roles WHERE rolname = 'lamina_service'`);
    if (rowCount === 1) await superuser.query(`GRANT lamina_service TO ${ownerRole} WITH ADMIN OPTION`);
    await migrate(ownerUrl);
    await superuser.query(`GRANT lamina_service TO ${serviceRole}`);
  } finally {
    await superuser.end();
  }
  return {
    superuserUrl,
    ownerUrl,
    ownerRole,
    serviceUrl: urlOf(superuserUrl, { user: serviceRole, password }),
    drop: async () => {
      await drop();
      const server = await connect(urlOf(superuserUrl, { database: 'postgres' }));
      await server.query(`DROP ROLE ${ownerRole}, ${serviceRole}`);
      await server.end();
    },
  };
}

async function migrate(url: string): Promise<void> {
  const driver = await openServer({ url, poolSize: 1, preparesStatements: false });
  try {
    await migratePostgres(driver, { now: 0 });
  } finally {
    await driver.close();
  }
}
