/** The flags by which commands say which memory is meant, on whose behalf, and where in it. */

import { loadConfiguration } from '../compose/configuration.ts';
import { TOKEN_VARIABLE } from '../compose/configuration-sources.ts';
import { DATABASE_ADDRESSES } from '../compose/database-address.ts';
import type { OpenMemory } from '../compose/remote-memory.ts';
import { LOCAL_USER, principalSchema, type PrincipalInput } from '../domain/principal.ts';
import { LAYERS, REQUIRED_IDENTIFIERS, type IdentifierName, type Identifiers, type Layer } from '../domain/scope.ts';
import { usageError } from './command.ts';

type FlagValues = ReadonlyMap<string, string>;

const IDENTIFIER_FLAGS: Readonly<Record<string, IdentifierName>> = {
  agent: 'agentId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
};

export const MEMORY_FLAGS: readonly string[] = [
  'url',
  'database',
  'database-url',
  'layer',
  'user',
  'tenant',
  ...Object.keys(IDENTIFIER_FLAGS),
];

/** Which memory, as the help of a command says it. */
export function whichMemory(fallback = ''): readonly string[] {
  return [
    `  --url              The service to ask. ${TOKEN_VARIABLE} is its token or key, where it asks for one`,
    `  --database         Instead, the database: ${DATABASE_ADDRESSES}.`,
    '                     --database-url, as lamina mcp and lamina serve have it, is the same.',
    `                     Default: as configured (LAMINA_DATABASE_URL)${fallback}`,
  ];
}

/** Where in it, and on whose behalf. */
export function whereInMemory(fallback: Layer): readonly string[] {
  return [
    `  --layer            Where it lies: ${LAYERS.join(', ')}. Default: the layer of`,
    `                     the id that is given, else ${fallback}`,
    '  --project, --team, --org, --company, --session, --agent    Whose: the ids that the layer needs',
    '  --user, --tenant   On whose behalf. Default: the local user of the nil tenant',
  ];
}

/** Throws a usage error for flags that do not go together. */
export function principalFrom(command: string, values: FlagValues): PrincipalInput {
  const databases = ['database', 'database-url'].filter((name) => values.has(name));
  if (databases.length > 1) throw usageError('--database and --database-url are the same: give one.', command);
  if (values.has('url') && databases.length > 0) {
    throw usageError(`--url and --${databases[0]} exclude each other.`, command);
  }
  const tenant = values.get('tenant');
  const given = { userId: values.get('user') ?? LOCAL_USER, ...(tenant !== undefined && { tenantId: tenant }) };
  const { success } = principalSchema.safeParse(given);
  if (!success) throw usageError('--tenant accepts a UUID, --user a name of up to 100 characters.', command);
  return given;
}

export interface Place {
  readonly layer: Layer;
  readonly identifiers?: Identifiers;
}

/** The layer that is named, or that of the most specific id. Identifiers only where the defaults do not do. */
export function placeFrom(command: string, values: FlagValues, { userId }: PrincipalInput, fallback: Layer): Place {
  const given = Object.entries(IDENTIFIER_FLAGS).flatMap(([flag, name]) => {
    const value = values.get(flag);
    return value === undefined ? [] : [[name, value] as const];
  });
  const layer = layerFrom(command, values, new Set(given.map(([name]) => name))) ?? fallback;
  if (given.length === 0) return { layer };
  const isPersonal = REQUIRED_IDENTIFIERS[layer].includes('userId');
  return { layer, identifiers: { ...Object.fromEntries(given), ...(isPersonal && { userId }) } };
}

function layerFrom(command: string, values: FlagValues, named: ReadonlySet<IdentifierName>): Layer | undefined {
  const text = values.get('layer');
  const layer = LAYERS.find((each) => each === text);
  if (text !== undefined && layer === undefined) throw usageError(`--layer accepts ${LAYERS.join(', ')}.`, command);
  return layer ?? LAYERS.find((each) => each !== 'user' && REQUIRED_IDENTIFIERS[each].some((name) => named.has(name)));
}

/**
 * The service or database that the flags name, else the configured one, else `databaseUrl`. What it needs is loaded only
 * now, so that help and refusals come at once.
 */
export async function openMemory(
  values: FlagValues,
  principal: PrincipalInput,
  databaseUrl?: string,
): Promise<OpenMemory> {
  const url = values.get('url');
  if (url !== undefined) {
    const { remoteMemory } = await import('../compose/remote-memory.ts');
    // From the environment: other users of a machine can read command lines.
    return remoteMemory(url, process.env[TOKEN_VARIABLE]?.trim() || undefined, principal);
  }
  const database = values.get('database') ?? values.get('database-url');
  const flags = database === undefined ? {} : { databaseUrl: database };
  const defaults = databaseUrl === undefined ? {} : { databaseUrl };
  const configuration = await loadConfiguration(process.env, flags, process.cwd(), defaults);
  const { databaseMemory } = await import('../compose/database-memory.ts');
  return databaseMemory(configuration, principal);
}
