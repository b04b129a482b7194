/** The flags by which commands say which memory is meant, on whose behalf, and where in it. */

import { TOKEN_VARIABLE } from '../compose/configuration-sources.ts';
import { DATABASE_ADDRESSES } from '../compose/database-address.ts';
import { LOCAL_USER, principalSchema, type PrincipalInput } from '../domain/principal.ts';
import { LAYERS, REQUIRED_IDENTIFIERS, type IdentifierName, type Identifiers, type Layer } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { usageError, type Flag, type Given } from './command.ts';
import { databaseFlags, databaseGiven } from './database-flags.ts';
import { DATABASE_FALLBACK } from './home-database.ts';

/** By the names of flags. */
export const IDENTIFIER_FLAGS: Readonly<Record<string, IdentifierName>> = {
  agent: 'agentId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
};

const WHICH = 'Which memory';
const WHOSE = 'On whose behalf, and where';

/** Which memory. */
export function whichMemory(): readonly Flag[] {
  return [
    { name: 'url', value: 'URL', group: WHICH, description: 'The service to ask' },
    {
      name: 'token',
      value: 'TOKEN',
      group: WHICH,
      variable: TOKEN_VARIABLE,
      description:
        'The token or key for the service. Others on this machine can read command lines: rather use the variable',
    },
    { name: 'token-file', value: 'FILE', group: WHICH, description: 'A file that holds the token' },
    ...databaseFlags({
      value: 'ADDRESS',
      group: WHICH,
      description: `Instead of a service, the database: ${DATABASE_ADDRESSES}`,
      fallback: DATABASE_FALLBACK,
    }),
  ];
}

const IN_WORDS: Readonly<Record<string, string>> = {
  agent: 'The agent, for the layer agent',
  session: 'The session, for the layer session',
  project: 'The project, for the layer project',
  team: 'The team, for the layer team',
  org: 'The organisation, for the layer org',
  company: 'The company, for the layer company',
};

/** On whose behalf. */
export const WHO: readonly Flag[] = [
  { name: 'user', value: 'NAME', group: WHOSE, description: 'The user', fallback: 'the local user' },
  { name: 'tenant', value: 'UUID', group: WHOSE, description: 'The tenant', fallback: 'the nil tenant' },
];

/** Of a command for administrators, who have no memory of their own to speak of. */
export const TENANT_FLAG: Flag = {
  name: 'tenant',
  value: 'UUID',
  group: WHOSE,
  description: 'The tenant',
  fallback: 'the nil tenant',
};

/** Where in it, and on whose behalf. */
export function whereInMemory(layer: string, fallback: string): readonly Flag[] {
  return [
    { name: 'layer', value: 'LAYER', group: WHOSE, choices: LAYERS, description: layer, fallback },
    ...Object.keys(IDENTIFIER_FLAGS).map((name) => ({
      name,
      value: 'ID',
      group: WHOSE,
      description: IN_WORDS[name] ?? '',
    })),
    ...WHO,
  ];
}

/** For what is written, or lies in one place. */
export function oneLayer(fallback: Layer): readonly Flag[] {
  return whereInMemory('Where it lies', `the layer of the id that is given, else ${fallback}`);
}

/** Throws a usage error for flags that do not go together. */
export function principalFrom(given: Given): PrincipalInput {
  databaseGiven(given);
  const tenant = given.value('tenant');
  const principal = { userId: given.value('user') ?? LOCAL_USER, ...(tenant !== undefined && { tenantId: tenant }) };
  assertPrincipal(given.command, principal);
  return principal;
}

/** Throws a usage error that names the flag. */
export function assertPrincipal(command: string, { userId, tenantId }: PrincipalInput): void {
  const { shape } = principalSchema;
  if (!shape.userId.safeParse(userId).success)
    throw usageError('--user accepts a name of 1 to 100 characters.', command);
  if (!shape.tenantId.safeParse(tenantId).success) throw usageError('--tenant accepts a UUID.', command);
}

/** The tenant that the first word names, else the nil tenant. Throws a usage error. */
export function tenantWord(given: Given): string {
  const { success, data } = principalSchema.shape.tenantId.safeParse(given.words[0]);
  if (!success) throw usageError('TENANT is a UUID.', given.command);
  return data;
}

/** Whoever holds the database administers it. To a service the token says who that is. */
export function adminFrom(given: Given): PrincipalInput {
  const { tenantId } = principalFrom(given);
  return { userId: LOCAL_USER, roles: ['admin'], ...(tenantId !== undefined && { tenantId }) };
}

/** Of a command for all tenants, or one. Throws a usage error. */
export function tenantFrom(given: Given): string | undefined {
  const text = given.value('tenant');
  if (text === undefined) return undefined;
  const { success, data } = principalSchema.shape.tenantId.safeParse(text);
  if (!success) throw usageError('--tenant accepts a UUID.', given.command);
  return data;
}

export interface Place {
  readonly layer: Layer;
  readonly identifiers?: Identifiers;
}

/** Something that lies in one. */
interface Placed {
  readonly layer: Layer;
  readonly identifiers?: Identifiers | undefined;
}

/** The layer that is named, or that of the most specific id. Identifiers only where the defaults do not do; see {@link withOwnUser}. */
export function placeFrom(given: Given, fallback: Layer): Place {
  const named = Object.entries(IDENTIFIER_FLAGS).flatMap(([flag, name]) => {
    const value = given.value(flag);
    return value === undefined ? [] : [[name, value] as const];
  });
  const layer = layerFrom(given, new Set(named.map(([name]) => name))) ?? fallback;
  return named.length === 0 ? { layer } : { layer, identifiers: Object.fromEntries(named) };
}

/** Whose agent or session it is: one's own. Who that is, a token says and not the command line. */
export async function withOwnUser<In extends Placed>(memory: Memory, placed: In): Promise<In> {
  const { layer, identifiers } = placed;
  if (identifiers === undefined || !REQUIRED_IDENTIFIERS[layer].includes('userId')) return placed;
  const { userId } = await memory.principal.get({});
  return { ...placed, identifiers: { ...identifiers, userId } };
}

function layerFrom(given: Given, named: ReadonlySet<IdentifierName>): Layer | undefined {
  const layer = LAYERS.find((each) => each === given.value('layer'));
  return layer ?? LAYERS.find((each) => each !== 'user' && REQUIRED_IDENTIFIERS[each].some((name) => named.has(name)));
}
