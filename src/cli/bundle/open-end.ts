/** Opens what the flags of `lamina export` and `lamina import` name: a database, or a service. */

import { existsSync } from 'node:fs';
import { databaseAddress } from '../../compose/database-address.ts';
import type { DatabaseEndOptions, OpenEnd } from '../../compose/bundle-end.ts';
import { LaminaError } from '../../domain/error.ts';
import { NIL_TENANT, type PrincipalInput } from '../../domain/principal.ts';
import type { Given } from '../command.ts';
import { principalFrom } from '../memory-flags.ts';
import { configurationFrom, tokenFrom } from '../open-memory.ts';
import { serviceEnd } from './service-end.ts';

interface EndOptions extends Omit<DatabaseEndOptions, 'tenantId'> {
  /** Where the flags name none. Default the nil tenant, and over a service the caller's own. */
  readonly tenantId?: string | undefined;
  /** Whether there has to be something: an engine would make the folder. */
  readonly mustExist: boolean;
}

/** What it needs is loaded only now, so that help and refusals come at once. */
export async function openEnd(given: Given, options: EndOptions): Promise<OpenEnd> {
  const principal = principalFrom(given);
  const url = given.value('url');
  if (url !== undefined) return serviceOf(given, url, { ...principal, roles: ['admin'] });
  const configuration = await configurationFrom(given);
  if (options.mustExist) assertThere(configuration.databaseUrl);
  const { databaseEnd } = await import('../../compose/bundle-end.ts');
  return databaseEnd(configuration, { ...options, tenantId: principal.tenantId ?? options.tenantId ?? NIL_TENANT });
}

/** The role counts only where nobody has to prove who they are: else it is that of the token. */
async function serviceOf(given: Given, url: string, principal: PrincipalInput): Promise<OpenEnd> {
  const { remoteMemory } = await import('../../compose/remote-memory.ts');
  const remote = remoteMemory(url, await tokenFrom(given), principal);
  return { end: serviceEnd(remote.memory), close: () => remote.close() };
}

function assertThere(databaseUrl: string): void {
  const address = databaseAddress(databaseUrl);
  if (address === undefined || !('folder' in address) || existsSync(address.folder)) return;
  throw new LaminaError('NOT_FOUND', `There is nothing to export: the folder "${address.folder}" does not exist.`);
}
