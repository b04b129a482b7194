/** The warning for a service whose database role bypasses row-level security. */

import { SERVICE_ROLE } from '../engines/postgres/postgres-database.ts';
import type { PostgresLogin } from '../engines/postgres/postgres-login.ts';

export interface PowerfulLogin {
  readonly told: string;
  readonly fix: string;
}

/** Undefined if the role is as it should be. */
export function powerfulLogin({ role, isSuperuser, mayBypass }: PostgresLogin): PowerfulLogin | undefined {
  if (!isSuperuser && !mayBypass) return undefined;
  const power = isSuperuser ? 'is a superuser' : 'has BYPASSRLS';
  return {
    told: `The service connects as "${role}", which ${power}: whoever gets hold of its password sees every tenant.`,
    fix: `CREATE ROLE lamina_login LOGIN PASSWORD '…'; GRANT ${SERVICE_ROLE} TO lamina_login, and connect as that one. See docs/postgres.md`,
  };
}
