/** The engines by the addresses under which they are configured. */

import { LaminaError } from '../domain/error.ts';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import type { Engine } from '../ports/engine.ts';
import { sqliteFolder } from './settings.ts';
import { systemClock } from './system.ts';

/** Throws `CONFIGURATION_ERROR` for an address that no engine answers to. */
export function engineAt(databaseUrl: string): Engine {
  const folder = sqliteFolder(databaseUrl);
  if (folder !== undefined) return new SqliteEngine({ folder, clock: systemClock });
  throw new LaminaError('CONFIGURATION_ERROR', 'The database address is none that this version knows: sqlite:FOLDER.');
}
