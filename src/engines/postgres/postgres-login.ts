/** As whom one is connected to a server, and whether row-level security would bind that role itself. */

import { LaminaError } from '../../domain/error.ts';
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
