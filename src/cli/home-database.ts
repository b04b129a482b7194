/** Which database a command means where neither its flags nor the configuration name one. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Flags } from '../compose/configuration-sources.ts';
import { databaseAddress } from '../compose/database-address.ts';
import { defaultOf } from '../compose/settings.ts';

/** In the words of the help. */
export const DATABASE_FALLBACK =
  'as configured (LAMINA_DATABASE_URL), else the folder lamina-data where it is there, else .lamina of your home';

/** The memory that `lamina mcp` serves. */
export function homeDatabase(): string {
  return `sqlite:${join(homedir(), '.lamina')}`;
}

/** What a service or a program has stored in this folder, else the memory of whoever runs the command. */
export function databaseDefaults(): Flags {
  const address = databaseAddress(defaultOf('databaseUrl') ?? '');
  const isServiceHere = address?.engine === 'sqlite' && existsSync(address.folder);
  return isServiceHere ? {} : { databaseUrl: homeDatabase() };
}
