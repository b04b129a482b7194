/** Opens what the flags of `lamina export` and `lamina import` name: a database, or a service. */

import type { DatabaseEndOptions, OpenEnd } from '../../compose/bundle-end.ts';
import { NIL_TENANT, type PrincipalInput } from '../../domain/principal.ts';
import type { Given } from '../command.ts';
import { principalFrom } from '../memory-flags.ts';
import { configurationFrom, serviceOf, storedConfiguration } from '../open-memory.ts';
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
  if (url !== undefined) return remoteEnd(given, url, principal);
  const configuration = await (options.mustExist ? storedConfiguration(given) : configurationFrom(given));
  const { databaseEnd } = await import('../../compose/bundle-end.ts');
  return databaseEnd(configuration, { ...options, tenantId: principal.tenantId ?? options.tenantId ?? NIL_TENANT });
}

/** The role counts only where nobody has to prove who they are: else it is that of the token. */
async function remoteEnd(given: Given, url: string, principal: PrincipalInput): Promise<OpenEnd> {
  const remote = await serviceOf(given, url, principal);
  return { end: serviceEnd(remote.as({ ...principal, roles: ['admin'] })), close: () => remote.close() };
}
