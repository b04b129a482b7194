/** As whom one is connected to a server, and whether row-level security would bind that role itself. */

import { LaminaError } from '../../domain/error.ts';
import { SERVICE_ROLE } from './postgres-database.ts';
import type { PostgresDriver } from './postgres-driver.ts';
import { translated } from './postgres-error.ts';

export interface PostgresLogin {
  readonly role: string;
  readonly isSuperuser: boolean;
  readonly mayBypass: boolean;
}

/** The columns of it, for a statement that asks for more as well. */
export const LOGIN_COLUMNS = `
  coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false) AS "isSuperuser",
  coalesce((SELECT rolbypassrls FROM pg_roles WHERE rolname = current_user), false) AS "mayBypass",
  current_user AS role`;

/** What is told a role that may not even look into the schema. */
export function shutOut(role: string, cause?: unknown): LaminaError {
  const fix = `GRANT ${SERVICE_ROLE} TO "${role}"`;
  return new LaminaError(
    'CONFIGURATION_ERROR',
    `The database role "${role}" may not use the schema "lamina": it is no member of ${SERVICE_ROLE}. As its owner: ${fix}`,
    { advice: fix, ...(cause !== undefined && { cause }) },
  );
}

export async function loginOf(driver: PostgresDriver): Promise<PostgresLogin> {
  try {
    const connection = await driver.reserve();
    try {
      const { rows } = await connection.query<PostgresLogin>(`SELECT ${LOGIN_COLUMNS}`);
      const [login] = rows;
      if (login === undefined) throw new LaminaError('UNAVAILABLE', 'The database gave no answer.');
      return login;
    } finally {
      connection.release();
    }
  } catch (error) {
    throw translated(error);
  }
}
