/** Opens the memory that the flags of a command name, for as long as it works with it. */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfiguration, type Configuration } from '../compose/configuration.ts';
import { TOKEN_VARIABLE, type Flags } from '../compose/configuration-sources.ts';
import { databaseAddress, shownAddress } from '../compose/database-address.ts';
import type { OpenMemory } from '../compose/remote-memory.ts';
import { LaminaError } from '../domain/error.ts';
import { isDelegate, LOCAL_USER, type PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { usageError, type Given } from './command.ts';
import { databaseGiven } from './database-flags.ts';
import { EXIT_CODES } from './exit-code.ts';
import { databaseDefaults, homeDatabase } from './home-database.ts';
import { principalFrom } from './memory-flags.ts';
import { Stopped, unlessStopped } from './terminal/stop-signal.ts';

type Work<T> = (memory: Memory, as: OpenMemory['as']) => Promise<T>;

/** Lets the command work with its memory and closes it, also when it is told to stop. */
export function withMemory<T>(given: Given, principal: PrincipalInput, work: Work<T>): Promise<T> {
  return worked(given, principal, work, () => configurationFrom(given));
}

/** The same for a command that makes no memory where there is none. Throws as {@link storedConfiguration} does. */
export function readMemory<T>(given: Given, principal: PrincipalInput, work: Work<T>): Promise<T> {
  return worked(given, principal, work, () => storedConfiguration(given));
}

async function worked<T>(
  given: Given,
  principal: PrincipalInput,
  work: Work<T>,
  configured: () => Promise<Configuration>,
): Promise<T> {
  given.signal.throwIfAborted();
  const url = given.value('url');
  const opened =
    url === undefined ? await databaseOf(await configured(), principal) : await serviceOf(given, url, principal);
  try {
    return await unlessStopped(
      given.signal,
      work(opened.memory, (other) => opened.as(other)),
    );
  } finally {
    await opened.close();
  }
}

/** What it needs is loaded only now, so that help and refusals come at once. */
async function databaseOf(configuration: Configuration, principal: PrincipalInput): Promise<OpenMemory> {
  const { databaseMemory } = await import('../compose/database-memory.ts');
  return databaseMemory(configuration, principal);
}

/** Throws a usage error for a principal that is not the token's. */
export async function serviceOf(given: Given, url: string, principal: PrincipalInput): Promise<OpenMemory> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw usageError('--url accepts an address with http:// or https://', given.command);
  }
  const { remoteMemory } = await import('../compose/remote-memory.ts');
  const token = await tokenFrom(given);
  // Of an administrator's command `--user` names somebody else.
  const opened = remoteMemory(url, token, principal, {
    isUserNamed: given.has('user') && principal.roles === undefined,
  });
  try {
    if (token !== undefined) await assertOwn(given, opened.as({ userId: LOCAL_USER }), principal);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * A token speaks for one user, unless it is a delegate's. Of an administrator's command `--user` names somebody else. Throws
 * a usage error.
 */
export async function assertOwn(
  given: Given,
  memory: Memory,
  { tenantId, userId, roles }: PrincipalInput,
): Promise<void> {
  const isUserMeant = given.has('user') && roles === undefined;
  if (!isUserMeant && tenantId === undefined) return;
  const own = await memory.principal.get({});
  const wrong = (what: string, ownName: string): LaminaError =>
    usageError(`The token is of ${what} "${ownName}", and acts for no other: leave --${what} out.`, given.command);
  if (isUserMeant && own.userId !== userId && !isDelegate(own)) throw wrong('user', own.userId);
  if (tenantId !== undefined && own.tenantId !== tenantId.toLowerCase()) throw wrong('tenant', own.tenantId);
}

/** On whose behalf, where it must be known before anything is read. Of a service a token says it, and not the command line. */
export async function ownPrincipal(given: Given): Promise<PrincipalInput> {
  const principal = principalFrom(given);
  if (given.value('url') === undefined || given.has('user')) return principal;
  const { userId } = await withMemory(given, principal, (memory) => memory.principal.get({}));
  return { ...principal, userId };
}

/** With the database that the flags name, else the configured one, else that of {@link databaseDefaults}. */
export function configurationFrom(given: Given, settings: Flags = {}): Promise<Configuration> {
  const database = databaseGiven(given);
  const flags = { ...settings, ...(database !== undefined && { databaseUrl: database }) };
  return loadConfiguration(given.terminal.environment, flags, process.cwd(), databaseDefaults());
}

/** The same where something is stored. Throws `NOT_FOUND` for a folder that is not there, which an engine would make. */
export async function storedConfiguration(given: Given, settings: Flags = {}): Promise<Configuration> {
  const configuration = await configurationFrom(given, settings);
  const { databaseUrl } = configuration;
  const address = databaseAddress(databaseUrl);
  if (address === undefined || !('folder' in address) || isThere(address.folder)) return configuration;
  const isFresh = databaseUrl === homeDatabase();
  if (isFresh && !given.has('json')) {
    throw new Stopped(
      `Nothing is remembered yet in ${address.folder}. Begin with: lamina add TEXT`,
      EXIT_CODES.ok.code,
    );
  }
  throw new LaminaError('NOT_FOUND', `There is no memory: the folder "${resolve(address.folder)}" does not exist.`, {
    advice: isFresh
      ? 'Begin with: lamina add TEXT'
      : 'Check --database, LAMINA_DATABASE_URL and the working directory.',
  });
}

/** Throws what the file system says where that cannot be told. */
export function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false }) !== undefined;
}

/** The service or database that the command works with, as it may be shown: without a password. */
export async function memoryName(given: Given): Promise<string> {
  const url = given.value('url');
  if (url !== undefined) return shownAddress(url);
  const { databaseUrl } = await configurationFrom(given);
  const address = databaseAddress(databaseUrl);
  return address !== undefined && 'folder' in address
    ? `${address.engine}:${resolve(address.folder)}`
    : shownAddress(databaseUrl);
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
