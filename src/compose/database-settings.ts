/** The settings of where memory lies: the database, and Redis and Qdrant beside it. */

import { z } from 'zod';
import { DATABASE_ADDRESSES, databaseAddress } from './database-address.ts';
import { MASTER_KEY_FILE } from './master-key-setting.ts';
import { DEFAULT_NAME_PREFIX, isNamePrefix, NAME_PREFIX } from './name-prefix.ts';
import { isQdrantAddress, QDRANT_ADDRESS } from './qdrant-address.ts';
import { isRedisAddress, REDIS_ADDRESS } from './redis-address.ts';
import { MAX_SEARCH_MIB, MIN_SEARCH_MIB, SEARCH_MIB } from './search-memory.ts';
import { apiKeySetting, numberFromText, setting, type Setting } from './setting.ts';

const databaseUrl = z
  .string()
  .refine((url) => databaseAddress(url) !== undefined, { message: `it accepts ${DATABASE_ADDRESSES}` });

/** A second way to the same database, which may carry a password. */
function serverUrl(variable: Setting['variable'], description: string): Setting<z.ZodOptional<z.ZodString>> {
  return setting({
    variable,
    schema: z
      .string()
      .refine((url) => databaseAddress(url)?.engine === 'postgres', { message: `it accepts ${SERVER_ADDRESS}` })
      .optional(),
    accepts: SERVER_ADDRESS,
    description: `${description} From the environment only.`,
    sources: ['environment'],
    secret: true,
  });
}

/** For what several databases may share. */
function namePrefix(variable: Setting['variable'], names: string): Setting<z.ZodDefault<z.ZodString>> {
  return setting({
    variable,
    schema: z
      .string()
      .refine(isNamePrefix, { message: `it accepts ${NAME_PREFIX}` })
      .default(DEFAULT_NAME_PREFIX),
    accepts: NAME_PREFIX,
    description: `What the names of Lamina's ${names} begin with. Databases that share one need different ones.`,
  });
}

const SERVER_ADDRESS = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const MAX_POOL_SIZE = 1000;
const MAX_TIMEOUT_MS = 3_600_000;

export const DATABASE_SETTINGS = {
  databaseUrl: setting({
    variable: 'LAMINA_DATABASE_URL',
    schema: databaseUrl.default('sqlite:./lamina-data'),
    accepts: DATABASE_ADDRESSES,
    place: 'ADDRESS',
    description:
      'Where memory is stored: one SQLite file per tenant in a folder, a PostgreSQL server with pgvector, or PostgreSQL ' +
      'in this process (PGlite, for trying out).',
  }),
  masterKeyFile: MASTER_KEY_FILE,
  databaseOwnerUrl: serverUrl(
    'LAMINA_DATABASE_OWNER_URL',
    'PostgreSQL as the role that owns the tables, by which migrations are applied. Default: LAMINA_DATABASE_URL.',
  ),
  databaseDirectUrl: serverUrl(
    'LAMINA_DATABASE_DIRECT_URL',
    'PostgreSQL without a transaction pooler such as PgBouncer in between, for listening to events and for the lock of ' +
      'the leader. Default: LAMINA_DATABASE_URL.',
  ),
  databasePoolSize: setting({
    variable: 'LAMINA_DATABASE_POOL_SIZE',
    schema: z.int().min(1).max(MAX_POOL_SIZE).default(10),
    accepts: `a whole number from 1 to ${MAX_POOL_SIZE}`,
    description: 'Connections to PostgreSQL at most; further requests wait for a free one.',
    fromText: numberFromText,
  }),
  databaseTimeoutMs: setting({
    variable: 'LAMINA_DATABASE_TIMEOUT_MS',
    schema: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
    accepts: `a whole number from 1 to ${MAX_TIMEOUT_MS}`,
    description: 'Milliseconds after which PostgreSQL gives a statement up.',
    fromText: numberFromText,
  }),
  databasePrepare: setting({
    variable: 'LAMINA_DATABASE_PREPARE',
    schema: z.enum(['on', 'off']).default('on'),
    accepts: 'on or off',
    description: 'Prepared statements on PostgreSQL. Off behind a transaction pooler that does not know them.',
  }),
  migrate: setting({
    variable: 'LAMINA_MIGRATE',
    schema: z.enum(['auto', 'off']).default('auto'),
    accepts: 'auto or off',
    description: 'Whether a start brings the schema of PostgreSQL up to date, or leaves that to `lamina migrate`.',
  }),
  searchMemoryMib: setting({
    variable: 'LAMINA_SEARCH_MEMORY_MIB',
    schema: z.int().min(MIN_SEARCH_MIB).max(MAX_SEARCH_MIB).optional(),
    accepts: SEARCH_MIB,
    description:
      'MiB at most in which searches keep what they have read, such as vectors, for all tenants together: who searches again ' +
      'is answered from there. Default: 1/32 of the memory of the machine or container, but 256 to 1024.',
    fromText: numberFromText,
  }),
  redisUrl: setting({
    variable: 'LAMINA_REDIS_URL',
    schema: z
      .string()
      .refine(isRedisAddress, { message: `it accepts ${REDIS_ADDRESS}` })
      .optional(),
    accepts: REDIS_ADDRESS,
    description:
      'Redis, for working and short-term memory. Default: they lie in the database. From the environment only.',
    sources: ['environment'],
    secret: true,
  }),
  redisFallback: setting({
    variable: 'LAMINA_REDIS_FALLBACK',
    schema: z.enum(['none', 'database']).default('none'),
    accepts: 'none or database',
    description: 'What stands in while Redis cannot be reached: nothing, so that calls fail, or the database.',
  }),
  redisPrefix: namePrefix('LAMINA_REDIS_PREFIX', 'keys in Redis'),
  qdrantUrl: setting({
    variable: 'LAMINA_QDRANT_URL',
    schema: z
      .string()
      .refine(isQdrantAddress, { message: `it accepts ${QDRANT_ADDRESS}` })
      .optional(),
    accepts: QDRANT_ADDRESS,
    description: "Qdrant, as index of vectors. Default: the database's own index.",
  }),
  qdrantApiKey: apiKeySetting('LAMINA_QDRANT_API_KEY', 'The key for Qdrant.'),
  qdrantPrefix: namePrefix('LAMINA_QDRANT_PREFIX', 'collections in Qdrant'),
} as const satisfies Record<string, Setting>;
