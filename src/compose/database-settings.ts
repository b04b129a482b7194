/** The settings of where memory lies: the database, and Redis and Qdrant beside it. */

import { z } from 'zod';
import { DATABASE_ADDRESSES, databaseAddress } from './database-address.ts';
import { MASTER_KEY_FILE } from './master-key-setting.ts';
import {
  DEFAULT_QDRANT_PREFIX,
  isQdrantAddress,
  isQdrantPrefix,
  QDRANT_ADDRESS,
  QDRANT_PREFIX,
} from './qdrant-address.ts';
import { isRedisAddress, REDIS_ADDRESS } from './redis-address.ts';
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
  qdrantPrefix: setting({
    variable: 'LAMINA_QDRANT_PREFIX',
    schema: z
      .string()
      .refine(isQdrantPrefix, { message: `it accepts ${QDRANT_PREFIX}` })
      .default(DEFAULT_QDRANT_PREFIX),
    accepts: QDRANT_PREFIX,
    description:
      "What the names of Lamina's collections in Qdrant begin with. Databases that share one need different ones.",
  }),
} as const satisfies Record<string, Setting>;
