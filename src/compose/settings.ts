/**
 * The one table of everything that can be configured. The environment, the configuration file, the flags of
 * `lamina serve`, its help text and `docs/configuration.md` are all read from it.
 */

import { z } from 'zod';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { LIFECYCLE_SETTINGS } from './lifecycle-settings.ts';
import { isOtlpAddress, OTLP_ADDRESS } from './otlp-address.ts';
import { RERANKER_SETTINGS } from './reranker-settings.ts';
import { apiKeySetting, numberFromText, setting, type Setting } from './setting.ts';
import { TRAFFIC_SETTINGS } from './traffic-settings.ts';
import { isCron } from '../core/maintenance/schedule.ts';
import { SENSITIVITIES, TRUSTS } from '../domain/kind.ts';
import { DEFAULT_LIMITS, type Limits } from '../domain/limits.ts';
import { DEFAULT_QUARANTINE, QUARANTINES } from '../domain/quarantine.ts';
import { DEFAULT_TURN_POLICY } from '../domain/turn.ts';
import { DEFAULT_OPENAI_BASE_URL, DEFAULT_OPENAI_MODEL } from '../embedding/openai/openai-embedder.ts';

const MAX_LIMIT = 100_000_000;

function limit(variable: Setting['variable'], key: keyof Limits, description: string): Setting<z.ZodDefault<z.ZodInt>> {
  return setting({
    variable,
    schema: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMITS[key]),
    accepts: `a whole number from 1 to ${MAX_LIMIT}`,
    description,
    fromText: numberFromText,
  });
}

export const LOCAL_MODEL = 'all-MiniLM-L6-v2';

export const LOOPBACK = '127.0.0.1 (or another of 127.0.0.0/8), ::1, localhost';

/** As many as SHA-256 has: a shorter secret could be brute-forced. */
const MIN_SECRET_BYTES = 32;
const SECRET = `at least ${MIN_SECRET_BYTES} bytes`;
const MAX_CLAIM_LENGTH = 1000;
const CLAIM = `a text of up to ${MAX_CLAIM_LENGTH} characters`;

const JWKS_ADDRESS = 'an https:// address; http:// only of this machine';

/** Whoever can alter the keys in transit can sign tokens. */
function isSafeForKeys(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url?.hostname ?? '');
}

const CRON = 'off or a cron expression such as 0 4 * * * (every day at four)';
const MAX_INTERVAL_SECONDS = 86_400;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const SETTINGS = {
  config: setting({
    variable: 'LAMINA_CONFIG',
    schema: z.string().min(1).optional(),
    accepts: 'the path of a JSON file',
    place: 'FILE',
    description: 'The configuration file. Default: lamina.config.json in the working directory, where there is one.',
    sources: ['environment', 'flag'],
  }),
  host: setting({
    variable: 'LAMINA_HOST',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9._:-]+$/)
      .default('127.0.0.1'),
    accepts: `a loopback address: ${LOOPBACK}; with authentication any address or host name`,
    description: 'The address to listen on. Without authentication only loopback.',
  }),
  port: setting({
    variable: 'LAMINA_PORT',
    schema: z.int().min(0).max(65_535).default(8787),
    accepts: 'a whole number from 0 to 65535 (0: any free port)',
    description: 'The port to listen on.',
    fromText: numberFromText,
  }),
  inspector: setting({
    variable: 'LAMINA_INSPECTOR',
    schema: z.enum(['on', 'off']).default('on'),
    accepts: 'on or off',
    description: 'Whether the inspector, a page on which to look at memory, is served at /.',
  }),
  auth: setting({
    variable: 'LAMINA_AUTH',
    schema: z.enum(['none', 'jwt']).default('none'),
    accepts: 'none or jwt',
    description: 'How callers prove who they are: not at all (loopback only), or by JSON Web Tokens and API keys.',
  }),
  jwtSecret: setting({
    variable: 'LAMINA_JWT_SECRET',
    schema: z
      .string()
      .refine((secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES, { message: `it accepts ${SECRET}` })
      .optional(),
    accepts: SECRET,
    description:
      'The secret with which tokens are signed (HS256). Either this or LAMINA_JWKS_URL. From the environment only.',
    sources: ['environment'],
    secret: true,
  }),
  jwksUrl: setting({
    variable: 'LAMINA_JWKS_URL',
    schema: z
      .url({ protocol: /^https?$/ })
      .refine(isSafeForKeys, { message: `it accepts ${JWKS_ADDRESS}` })
      .optional(),
    accepts: JWKS_ADDRESS,
    description: 'Where the public keys of the issuer of tokens are (RS256, ES256, EdDSA).',
  }),
  jwtIssuer: setting({
    variable: 'LAMINA_JWT_ISSUER',
    schema: z.string().min(1).max(MAX_CLAIM_LENGTH).optional(),
    accepts: CLAIM,
    description: 'Where it is set, tokens must name it in "iss".',
  }),
  jwtAudience: setting({
    variable: 'LAMINA_JWT_AUDIENCE',
    schema: z.string().min(1).max(MAX_CLAIM_LENGTH).optional(),
    accepts: CLAIM,
    description: 'Where it is set, tokens must name it in "aud".',
  }),
  ...DATABASE_SETTINGS,
  embeddings: setting({
    variable: 'LAMINA_EMBEDDINGS',
    schema: z.enum(['local', 'openai']).default('local'),
    accepts: 'local or openai',
    description: 'Who turns text into vectors: a model in this process, or an OpenAI-compatible HTTP endpoint.',
  }),
  openaiBaseUrl: setting({
    variable: 'LAMINA_OPENAI_BASE_URL',
    schema: z.url({ protocol: /^https?$/ }).default(DEFAULT_OPENAI_BASE_URL),
    accepts: 'an http:// or https:// address',
    description: 'The OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, …), up to and including /v1.',
  }),
  openaiApiKey: apiKeySetting('LAMINA_OPENAI_API_KEY', 'The key for that endpoint.'),
  embeddingModel: setting({
    variable: 'LAMINA_EMBEDDING_MODEL',
    schema: z.string().min(1).max(200).optional(),
    accepts: `the name of a model of the endpoint; for local embeddings ${LOCAL_MODEL} only`,
    description: `The embedding model. Default: ${LOCAL_MODEL} for local, ${DEFAULT_OPENAI_MODEL} for openai.`,
  }),
  embeddingDimensions: setting({
    variable: 'LAMINA_EMBEDDING_DIMENSIONS',
    schema: z.int().min(2).max(16_000).optional(),
    accepts: 'a whole number from 2 to 16000',
    description:
      'How many numbers its vectors should have, for models of the endpoint that can do with fewer. Default: all.',
  }),
  otherApiKey: apiKeySetting(
    'LAMINA_OTHER_API_KEY',
    'The key for the other endpoint, while the embedding model is changed from one endpoint to another.',
  ),
  maintenanceSchedule: setting({
    variable: 'LAMINA_MAINTENANCE_SCHEDULE',
    schema: z
      .string()
      .refine((text) => text === 'off' || isCron(text), { message: `it accepts ${CRON}` })
      .default('0 4 * * *'),
    accepts: CRON,
    description:
      'When short-term memory is consolidated, duplicates are merged, contexts are cleared of what nobody uses and ' +
      'hashes are checked; in local time.',
  }),
  expiryIntervalSeconds: setting({
    variable: 'LAMINA_EXPIRY_INTERVAL_SECONDS',
    schema: z.int().min(1).max(MAX_INTERVAL_SECONDS).default(600),
    accepts: `a whole number from 1 to ${MAX_INTERVAL_SECONDS}`,
    description: 'Seconds between two rounds of removing what has expired, which is out of sight at once.',
    fromText: numberFromText,
  }),
  otlpUrl: setting({
    variable: 'LAMINA_OTLP_URL',
    standardVariable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z
      .string()
      .refine(isOtlpAddress, { message: `it accepts ${OTLP_ADDRESS}` })
      .optional(),
    accepts: OTLP_ADDRESS,
    description:
      'Where traces are sent, over OTLP/HTTP; /v1/traces is added. Default: OTEL_EXPORTER_OTLP_ENDPOINT, and where that is ' +
      'not set either, nowhere.',
  }),
  traceRatio: setting({
    variable: 'LAMINA_TRACE_RATIO',
    schema: z.number().min(0).max(1).default(1),
    accepts: 'a number from 0 to 1',
    description: 'The share of requests that are traced, of those whose caller has not decided it.',
    fromText: (text) => (/^\d(\.\d{1,10})?$/.test(text) ? Number(text) : text),
  }),
  ...LIFECYCLE_SETTINGS,
  ...RERANKER_SETTINGS,
  ...TRAFFIC_SETTINGS,
  'turn.maxSensitivity': setting({
    variable: 'LAMINA_TURN_MAX_SENSITIVITY',
    schema: z.enum(SENSITIVITIES).default(DEFAULT_TURN_POLICY.maxSensitivity),
    accepts: SENSITIVITIES.join(', '),
    description:
      'What is more sensitive than this never goes into the prompt of a turn, nor into what tools for agents tell a model over MCP. A call can only narrow it.',
  }),
  'turn.minTrust': setting({
    variable: 'LAMINA_TURN_MIN_TRUST',
    schema: z.enum(TRUSTS).default(DEFAULT_TURN_POLICY.minTrust),
    accepts: TRUSTS.join(', '),
    description:
      'What is less trusted than this never goes into the prompt of a turn, nor into what tools for agents tell a model over MCP. A call can only narrow it. By default everything goes, and what comes from a tool or from outside is marked.',
  }),
  quarantine: setting({
    variable: 'LAMINA_QUARANTINE',
    schema: z.enum(QUARANTINES).default(DEFAULT_QUARANTINE),
    accepts: QUARANTINES.join(', '),
    description:
      'What waits for review before anybody finds it: nothing (off), what a tool or somebody outside wrote and reads like instructions to a model (suspicious), that and all from outside (outside), or all that tools and others wrote (tool).',
  }),
  logLevel: setting({
    variable: 'LAMINA_LOG_LEVEL',
    schema: z.enum(LOG_LEVELS).default('info'),
    accepts: LOG_LEVELS.join(', '),
    description: 'How much is logged.',
  }),
  'limits.contentLength': limit(
    'LAMINA_LIMIT_CONTENT_LENGTH',
    'contentLength',
    'Characters in the content of an entry.',
  ),
  'limits.queryLength': limit('LAMINA_LIMIT_QUERY_LENGTH', 'queryLength', 'Characters in a search query.'),
  'limits.metadataBytes': limit(
    'LAMINA_LIMIT_METADATA_BYTES',
    'metadataBytes',
    "Bytes of an entry's metadata as JSON.",
  ),
  'limits.batchSize': limit('LAMINA_LIMIT_BATCH_SIZE', 'batchSize', 'Entries in one batch.'),
  'limits.valueBytes': limit('LAMINA_LIMIT_VALUE_BYTES', 'valueBytes', 'Bytes of a value of working memory as JSON.'),
} as const satisfies Record<string, Setting>;

export type { Setting, SettingSource } from './setting.ts';
export type SettingKey = keyof typeof SETTINGS;
export type SettingValues = { [Key in SettingKey]: z.output<(typeof SETTINGS)[Key]['schema']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** `LAMINA_LOG_LEVEL` is `--log-level`. The database has a shorter name, and the command line takes both. */
export function flagOf(key: SettingKey): string {
  if (key === 'databaseUrl') return 'database';
  return SETTINGS[key].variable.slice('LAMINA_'.length).toLowerCase().replaceAll('_', '-');
}

/** What the setting is when nobody gives it, as somebody would write it; undefined where there is no such value. */
export function defaultOf(key: SettingKey): string | undefined {
  const value = SETTINGS[key].schema.parse(undefined);
  return value === undefined ? undefined : String(value);
}
