/** Opens the memory that the flags of a command name, for as long as it works with it. */

import { readFile } from 'node:fs/promises';
import { loadConfiguration, type Configuration } from '../compose/configuration.ts';
import { TOKEN_VARIABLE } from '../compose/configuration-sources.ts';
import type { OpenMemory } from '../compose/remote-memory.ts';
import { LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { usageError, type Given } from './command.ts';
import { homeDatabase } from './home-database.ts';
import { unlessStopped } from './stop-signal.ts';

/** Where neither the flags nor the configuration say: the folder of `lamina mcp`, or that of `lamina serve`. */
type Fallback = 'home' | 'service';

/** Lets the command work with its memory and closes it, also when it is told to stop. */
export async function withMemory<T>(
  given: Given,
  principal: PrincipalInput,
  work: (memory: Memory, as: OpenMemory['as']) => Promise<T>,
  fallback: Fallback = 'home',
): Promise<T> {
  given.signal.throwIfAborted();
  const opened = await openMemory(given, principal, fallback);
  try {
    return await unlessStopped(given.signal, work(opened.memory, opened.as));
  } finally {
    await opened.close();
  }
}

/** What it needs is loaded only now, so that help and refusals come at once. */
async function openMemory(given: Given, principal: PrincipalInput, fallback: Fallback): Promise<OpenMemory> {
  const url = given.value('url');
  if (url !== undefined) {
    const { remoteMemory } = await import('../compose/remote-memory.ts');
    return remoteMemory(url, await tokenFrom(given), principal);
  }
  const { databaseMemory } = await import('../compose/database-memory.ts');
  return databaseMemory(await configurationFrom(given, fallback), principal);
}

/** With the database that the flags name, else the configured one, else the fallback. */
export function configurationFrom(given: Given, fallback: Fallback = 'home'): Promise<Configuration> {
  const database = given.value('database') ?? given.value('database-url');
  const flags = database === undefined ? {} : { databaseUrl: database };
  const defaults = fallback === 'home' ? { databaseUrl: homeDatabase() } : {};
  return loadConfiguration(given.terminal.environment, flags, process.cwd(), defaults);
}

/** From the command line, a file or the environment. Throws a usage error for more than one of the former. */
export async function tokenFrom(given: Given): Promise<string | undefined> {
  const file = given.value('token-file');
  if (file === undefined)
    return given.value('token') ?? (given.terminal.environment[TOKEN_VARIABLE]?.trim() || undefined);
  if (given.has('token')) throw usageError('--token and --token-file exclude each other.', given.command);
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (cause) {
    throw new LaminaError('CONFIGURATION_ERROR', `The file "${file}" of --token-file cannot be read.`, { cause });
  }
}
