/** Whose memory a page looks at beyond one's own: the identifiers in the address, as `project=apollo`. */

import type { Identifiers } from '../../../src/domain/scope.ts';
import { keep, kept } from '../app/kept.ts';
import { queryOf } from '../app/location.ts';
import { me } from './me.ts';

export const SCOPE_FIELDS = [
  ['agent', 'agentId'],
  ['session', 'sessionId'],
  ['project', 'projectId'],
  ['team', 'teamId'],
  ['org', 'orgId'],
] as const;

export type ScopeName = (typeof SCOPE_FIELDS)[number][0];

/** Those that are given, by the names of the address. */
export function givenScope(): Readonly<Partial<Record<ScopeName, string>>> {
  const given = SCOPE_FIELDS.map(([name]) => [name, queryOf(name)] as const).filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}

/**
 * What to ask with: undefined where nothing is given, so that the service takes one's own. Identifiers that are given are
 * taken as they are, so one's own go along.
 */
export function identifiersOf(): Identifiers | undefined {
  const given = givenScope();
  if (Object.keys(given).length === 0) return undefined;
  const { tenantId, userId, agentId } = me.value ?? {};
  return {
    ...(userId !== undefined && { userId }),
    ...(agentId !== undefined && { agentId }),
    ...(tenantId !== undefined && { companyId: tenantId }),
    ...Object.fromEntries(SCOPE_FIELDS.filter(([name]) => given[name]).map(([name, field]) => [field, given[name]])),
  };
}

const MAX_RECENT = 8;

/** Ids that were looked at before, to choose from. */
export function recentIds(name: ScopeName): string[] {
  return (kept(`recent.${name}`) ?? '').split('\n').filter((id) => id !== '');
}

export function rememberId(name: ScopeName, id: string): void {
  if (id === '') return;
  keep(`recent.${name}`, [id, ...recentIds(name).filter((other) => other !== id)].slice(0, MAX_RECENT).join('\n'));
}
