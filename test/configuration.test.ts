/** The configuration: where values come from, which are refused, and what the refusal says. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import type { LaminaOptions } from '../src/compose/lamina-options.ts';
import {
  isLoopback,
  loadConfiguration,
  parseConfiguration,
  type ConfigurationSources,
} from '../src/compose/configuration.ts';
import { nearestName } from '../src/compose/nearest-name.ts';
import { databaseAddress, shownAddress } from '../src/compose/database-address.ts';
import { SETTING_KEYS, SETTINGS } from '../src/compose/settings.ts';
import { LaminaError } from '../src/domain/error.ts';
import { DEFAULT_LIFECYCLE_POLICY } from '../src/domain/lifecycle-policy.ts';
import { DEFAULT_LIMITS } from '../src/domain/limits.ts';
import { DEFAULT_BODY_LIMIT } from '../src/server/dependencies.ts';
import { DEFAULT_RATES, DEFAULT_SERVICE_LIMITS } from '../src/server/service-limits.ts';

function refusal(sources: ConfigurationSources): LaminaError {
  try {
    parseConfiguration(sources);
  } catch (error) {
    if (error instanceof LaminaError) return error;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

const file = (content: unknown): ConfigurationSources['file'] => ({ path: 'c.json', text: JSON.stringify(content) });

/** Variable, a value that it does not take, and what the refusal must say. */
const WRONG_VALUES = [
  ['LAMINA_PORT', '65536', '0 to 65535'],
  ['LAMINA_PORT', '-1', '0 to 65535'],
  ['LAMINA_PORT', '80.5', '0 to 65535'],
  ['LAMINA_PORT', '0x50', '0 to 65535'],
  ['LAMINA_PORT', 'http', '0 to 65535'],
  ['LAMINA_HOST', '0.0.0.0', 'loopback'],
  ['LAMINA_HOST', '::', 'loopback'],
  ['LAMINA_HOST', '192.168.1.5', 'loopback'],
  ['LAMINA_HOST', 'example.org', 'loopback'],
  ['LAMINA_HOST', '127.0.0.1.example.org', 'loopback'],
  ['LAMINA_HOST', 'a b', 'loopback'],
  ['LAMINA_INSPECTOR', 'yes', 'on or off'],
  ['LAMINA_AUTH', 'basic', 'none or jwt'],
  ['LAMINA_AUTH', 'jwt', 'LAMINA_JWT_SECRET or LAMINA_JWKS_URL'],
  ['LAMINA_JWT_SECRET', 'x'.repeat(31), 'at least 32 bytes'],
  ['LAMINA_JWT_SECRET', 'x'.repeat(32), 'LAMINA_AUTH=jwt'],
  ['LAMINA_JWKS_URL', 'ftp://x/keys', 'http'],
  ['LAMINA_JWKS_URL', 'https://x/keys', 'LAMINA_AUTH=jwt'],
  ['LAMINA_JWT_ISSUER', 'https://x/', 'LAMINA_AUTH=jwt'],
  ['LAMINA_JWT_AUDIENCE', 'x'.repeat(1001), '1000 characters'],
  ['LAMINA_DATABASE_URL', './data', 'sqlite:FOLDER'],
  ['LAMINA_DATABASE_URL', 'mysql://x', 'sqlite:FOLDER'],
  ['LAMINA_DATABASE_URL', 'mysql://db/x', 'postgres://'],
  ['LAMINA_DATABASE_URL', 'postgres://db', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ['LAMINA_DATABASE_OWNER_URL', 'sqlite:./x', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ['LAMINA_DATABASE_DIRECT_URL', 'pglite:./x', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ['LAMINA_DATABASE_POOL_SIZE', '0', 'from 1 to 1000'],
  ['LAMINA_SEARCH_MEMORY_MIB', '8', 'from 16 to 65536'],
  ['LAMINA_DATABASE_TIMEOUT_MS', '1.5', 'from 1 to 3600000'],
  ['LAMINA_DATABASE_PREPARE', 'yes', 'on or off'],
  ['LAMINA_MIGRATE', 'on', 'auto or off'],
  ['LAMINA_REDIS_URL', 'localhost:6379', 'redis://USER:PASSWORD@HOST:PORT/NUMBER'],
  ['LAMINA_REDIS_URL', 'redis://localhost/name', 'rediss://'],
  ['LAMINA_REDIS_FALLBACK', 'memory', 'none or database'],
  ['LAMINA_QDRANT_URL', 'localhost:6333', 'http://HOST:PORT'],
  ['LAMINA_QDRANT_URL', 'http://user:key@localhost:6333', 'with no user in it'],
  ['LAMINA_QDRANT_API_KEY', 'a b', 'visible ASCII characters'],
  ['LAMINA_MASTER_KEY_FILE', 'a key\non two lines', 'the path of a file'],
  ['LAMINA_QDRANT_PREFIX', 'a_b', 'letters, digits and hyphens'],
  ['LAMINA_REDIS_PREFIX', 'a:b', 'letters, digits and hyphens'],
  ['LAMINA_OTLP_URL', 'collector:4318', 'off or an http:// or https:// address'],
  ['LAMINA_OTLP_URL', 'http://user:hush@collector', 'OTEL_EXPORTER_OTLP_HEADERS'],
  ['LAMINA_TRACE_RATIO', '1.5', 'a number from 0 to 1'],
  ['LAMINA_MAINTENANCE_SCHEDULE', 'nightly', 'off or a cron expression'],
  ['LAMINA_MAINTENANCE_SCHEDULE', '0 4 30 2 *', 'off or a cron expression'],
  ['LAMINA_EXPIRY_INTERVAL_SECONDS', '0', 'from 1 to 86400'],
  ['LAMINA_DECAY_ENABLED', 'yes', 'on or off'],
  ['LAMINA_DECAY_RATE_PER_DAY', '1.5', 'a number from 0 to 1'],
  ['LAMINA_DECAY_ARCHIVE_THRESHOLD', '-0.1', 'a number from 0 to 1'],
  ['LAMINA_DECAY_EXEMPT_LAYERS', 'user,galaxy', 'none, or layers'],
  ['LAMINA_CONSOLIDATION_ENABLED', 'true', 'on or off'],
  ['LAMINA_CONSOLIDATION_SIMILARITY_THRESHOLD', '0,9', 'a number from 0 to 1'],
  ['LAMINA_CONSOLIDATION_MAX_MEMORIES', '0', 'from 1 to 10000000'],
  ['LAMINA_CONSOLIDATION_TARGET_LAYERS', 'agent;user', 'none, or layers'],
  ['LAMINA_DEDUPLICATION', 'similarity', 'words or meaning'],
  ['LAMINA_EVENT_RETENTION_PERIOD', '90', '0 for ever, or a whole number of hours, days or weeks'],
  ['LAMINA_CONTEXT_LOG_RETENTION_PERIOD', '0d', '0 for ever, or a whole number of hours, days or weeks'],
  ['LAMINA_SESSION_AUTO_DELETE', '1', 'on or off'],
  ['LAMINA_SESSION_RETENTION_PERIOD', 'a week', 'such as 12h, 7d or 4w'],
  ['LAMINA_SESSION_PROMOTE_IMPORTANT', 'no', 'on or off'],
  ['LAMINA_SESSION_PROMOTION_THRESHOLD', '80%', 'a number from 0 to 1'],
  ['LAMINA_LANGUAGE_MODEL_URL', 'localhost:11434', 'an http'],
  ['LAMINA_LANGUAGE_MODEL', 'm'.repeat(201), 'the name of a model'],
  ['LAMINA_LANGUAGE_MODEL_API_KEY', 'two words', 'visible ASCII'],
  ['LAMINA_LANGUAGE_MODEL_INPUT_PRICE', 'much', 'a number from 0 to 1000000'],
  ['LAMINA_LANGUAGE_MODEL_OUTPUT_PRICE', '-1', 'a number from 0 to 1000000'],
  ['LAMINA_RERANKER_URL', 'api.cohere.com/v2', 'an http'],
  ['LAMINA_RERANKER_FOLDER', 'f'.repeat(5000), 'the path of a folder'],
  ['LAMINA_RERANKER_MODEL', 'm'.repeat(201), 'the name of a model'],
  ['LAMINA_RERANKER_API_KEY', 'two words', 'visible ASCII'],
  ['LAMINA_RERANKER_API', 'jina', 'cohere or tei'],
  ['LAMINA_RERANKER_SCORES', 'percent', 'probability or logit'],
  ['LAMINA_RERANKER_CANDIDATES', '101', 'from 1 to 100'],
  ['LAMINA_RERANKER_BUDGET_MS', '0.5', 'from 1 to 60000'],
  ['LAMINA_RERANKER_MAX_SENSITIVITY', 'secret', 'public, internal, confidential, restricted'],
  ['LAMINA_EMBEDDINGS', 'Local', 'local or openai'],
  ['LAMINA_OPENAI_BASE_URL', 'api.openai.com', 'http'],
  ['LAMINA_OPENAI_BASE_URL', 'ftp://x/v1', 'http'],
  ['LAMINA_OPENAI_API_KEY', 'schlüssel', 'ASCII'],
  ['LAMINA_EMBEDDING_MODEL', 'text-embedding-3-small', 'all-MiniLM-L6-v2'],
  ['LAMINA_EMBEDDING_MODEL', 'x'.repeat(201), 'model'],
  ['LAMINA_EMBEDDING_DIMENSIONS', '1', 'whole number'],
  ['LAMINA_OTHER_API_KEY', 'schlüssel', 'ASCII'],
  ['LAMINA_TURN_MAX_SENSITIVITY', 'secret', 'public, internal, confidential, restricted'],
  ['LAMINA_TURN_MIN_TRUST', 'nobody', 'user, agent, tool, outside'],
  ['LAMINA_QUARANTINE', 'maybe', 'off, suspicious, outside, tool'],
  ['LAMINA_LOG_LEVEL', 'verbose', 'debug'],
  ['LAMINA_LIMIT_CONTENT_LENGTH', '0', '1 to'],
  ['LAMINA_LIMIT_QUERY_LENGTH', 'many', '1 to'],
  ['LAMINA_LIMIT_METADATA_BYTES', '1e3', '1 to'],
  ['LAMINA_LIMIT_BATCH_SIZE', '999999999999', '1 to'],
  ['LAMINA_LIMIT_VALUE_BYTES', '1MiB', '1 to'],
  ['LAMINA_BODY_LIMIT', '10', '1024 to'],
  ['LAMINA_RATE_LIMIT', '-1', '0 to'],
  ['LAMINA_RATE_LIMIT_ADDRESS', 'many', '0 to'],
  ['LAMINA_RATE_LIMIT_FAILURES', '1.5', '0 to'],
  ['LAMINA_RECEIVE_TIMEOUT_MS', '10', '1000 to'],
  ['LAMINA_REQUEST_TIMEOUT_MS', '1m', '0 to'],
  ['LAMINA_MAX_CONNECTIONS', '-1', '0 to'],
  ['LAMINA_MAX_REQUESTS', '0', '1 to'],
  ['LAMINA_MAX_REQUESTS_PER_TENANT', '0', '1 to'],
  ['LAMINA_MAX_REQUESTS_SHARED', '0', '1 to'],
  ['LAMINA_QUEUE_TIMEOUT_MS', '0', '1 to'],
  ['LAMINA_MAX_STREAMS', '0', '1 to'],
  ['LAMINA_MAX_LOOP_DELAY_MS', 'none', '0 to'],
  ['LAMINA_MAX_HEAP_BYTES', '1GiB', '0 to'],
  ['LAMINA_MAX_RSS_BYTES', '1GiB', '0 to'],
  ['LAMINA_TRUST_PROXY', '10.0.0.0/33', 'such as 10.0.0.0/8'],
  ['LAMINA_TRUST_PROXY', 'everybody', 'such as 10.0.0.0/8'],
  ['LAMINA_JWKS_URL', 'http://issuer.example/keys', 'https://'],
  ['LAMINA_TLS_CERT', 'x'.repeat(4097), 'PEM'],
  ['LAMINA_TLS_KEY', 'x'.repeat(4097), 'PEM'],
  ['LAMINA_TLS_CLIENT_CA', 'x'.repeat(4097), 'PEM'],
  ['LAMINA_TLS_KEY_PASSPHRASE', 'x'.repeat(1025), '1024'],
] as const;

describe('values', () => {
  it('has a default for everything', () => {
    expect(parseConfiguration({})).toEqual({
      host: '127.0.0.1',
      port: 8787,
      inspector: 'on',
      auth: 'none',
      jwtSecret: undefined,
      jwksUrl: undefined,
      jwtIssuer: undefined,
      jwtAudience: undefined,
      databaseUrl: 'sqlite:./lamina-data',
      masterKeyFile: undefined,
      databaseOwnerUrl: undefined,
      databaseDirectUrl: undefined,
      databasePoolSize: 10,
      databaseTimeoutMs: 30_000,
      databasePrepare: 'on',
      migrate: 'auto',
      searchMemoryMib: undefined,
      embeddings: 'local',
      openaiBaseUrl: 'https://api.openai.com/v1',
      openaiApiKey: undefined,
      embeddingModel: undefined,
      redisUrl: undefined,
      redisFallback: 'none',
      redisPrefix: 'lamina',
      qdrantUrl: undefined,
      qdrantApiKey: undefined,
      qdrantPrefix: 'lamina',
      otlpUrl: undefined,
      traceRatio: 1,
      maintenanceSchedule: '0 4 * * *',
      expiryIntervalSeconds: 600,
      logLevel: 'info',
      lifecycle: DEFAULT_LIFECYCLE_POLICY,
      languageModel: undefined,
      limits: DEFAULT_LIMITS,
      quarantine: 'suspicious',
      turn: { maxSensitivity: 'internal', minTrust: 'outside' },
      reranker: undefined,
      reranking: { candidates: 30, budgetMs: 500, maxSensitivity: 'internal' },
      tls: undefined,
      traffic: { limits: DEFAULT_SERVICE_LIMITS, bodyLimit: DEFAULT_BODY_LIMIT, trustedProxies: undefined },
    });
  });

  it('limits rates once callers have to prove who they are, and not before', () => {
    const jwt = { LAMINA_AUTH: 'jwt', LAMINA_JWT_SECRET: 'x'.repeat(32) };
    expect(parseConfiguration({ environment: jwt }).traffic.limits).toEqual({
      ...DEFAULT_SERVICE_LIMITS,
      ...DEFAULT_RATES,
    });
    const own = { LAMINA_RATE_LIMIT: '0', LAMINA_RATE_LIMIT_FAILURES: '5', LAMINA_TRUST_PROXY: '10.0.0.1, fd00::/8' };
    expect(parseConfiguration({ environment: { ...jwt, ...own } }).traffic).toMatchObject({
      limits: { principalRate: 0, addressRate: DEFAULT_RATES.addressRate, failureRate: 5 },
      trustedProxies: ['10.0.0.1', 'fd00::/8'],
    });
    expect(parseConfiguration({ environment: own }).traffic.limits.failureRate).toBe(5);
  });

  it('speaks TLS by a certificate with its key, and nothing less', () => {
    const [LAMINA_TLS_CERT, LAMINA_TLS_KEY] = ['cert.pem', 'key.pem'];
    expect(parseConfiguration({ environment: { LAMINA_TLS_CERT, LAMINA_TLS_KEY } }).tls).toEqual({
      cert: 'cert.pem',
      key: 'key.pem',
    });
    expect(refusal({ environment: { LAMINA_TLS_CERT } }).message).toContain('LAMINA_TLS_KEY is not');
    expect(refusal({ environment: { LAMINA_TLS_KEY } }).message).toContain('LAMINA_TLS_CERT is not');
    expect(refusal({ environment: { LAMINA_TLS_CLIENT_CA: 'ca.pem' } }).message).toContain(
      'LAMINA_TLS_CLIENT_CA is set, but',
    );
  });

  it('takes a reranker by its address or by its folder, and nothing of it without', () => {
    const LAMINA_RERANKER_URL = 'https://rerank.example/v1';
    const remote = { LAMINA_RERANKER_URL, LAMINA_RERANKER_MODEL: 'm', LAMINA_RERANKER_API_KEY: 'k' };
    expect(parseConfiguration({ environment: remote })).toMatchObject({
      reranker: { url: LAMINA_RERANKER_URL, model: 'm', apiKey: 'k', api: 'cohere', scores: 'probability' },
    });
    const LAMINA_RERANKER_FOLDER = './encoder';
    expect(parseConfiguration({ environment: { LAMINA_RERANKER_FOLDER } })).toMatchObject({
      reranker: { folder: './encoder' },
    });
    expect(refusal({ environment: { ...remote, LAMINA_RERANKER_FOLDER } }).message).toMatch(
      /LAMINA_RERANKER_FOLDER is set together with LAMINA_RERANKER_URL/,
    );
    expect(refusal({ environment: { LAMINA_RERANKER_API_KEY: 'hush' } }).message).toMatch(
      /^LAMINA_RERANKER_API_KEY is set, but LAMINA_RERANKER_URL is not\.$/,
    );
  });

  it('lets flags win over the environment, and that over the file', () => {
    const sources = {
      file: file({ port: 1, host: '::1', logLevel: 'debug', limits: { batchSize: 7 } }),
      environment: { LAMINA_PORT: '2', LAMINA_HOST: 'localhost', LAMINA_LIMIT_QUERY_LENGTH: '9' },
      flags: { port: '3' },
    };
    expect(parseConfiguration(sources)).toMatchObject({
      port: 3,
      host: 'localhost',
      logLevel: 'debug',
      limits: { ...DEFAULT_LIMITS, batchSize: 7, queryLength: 9 },
    });
  });

  it('takes empty variables for unset ones, also unknown ones', () => {
    const environment = { LAMINA_PORT: '', LAMINA_HOST: '  ', LAMINA_NONSENSE: '', LAMINA_LOG_LEVEL: undefined };
    expect(parseConfiguration({ environment })).toEqual(parseConfiguration({}));
  });

  it('does not mind white space around a value, or a byte order mark', () => {
    expect(parseConfiguration({ environment: { LAMINA_PORT: ' 80\r' } }).port).toBe(80);
    expect(parseConfiguration({ file: { path: 'c.json', text: '\uFEFF{"port": 81}' } }).port).toBe(81);
  });

  it('takes the key from the environment', () => {
    const environment = { LAMINA_EMBEDDINGS: 'openai', LAMINA_OPENAI_API_KEY: 'sk-1' };
    expect(parseConfiguration({ environment })).toMatchObject({ embeddings: 'openai', openaiApiKey: 'sk-1' });
  });

  it('makes a lifecycle and a language model of their settings', () => {
    const environment = {
      LAMINA_DECAY_ENABLED: 'on',
      LAMINA_DECAY_RATE_PER_DAY: '0.02',
      LAMINA_DECAY_EXEMPT_LAYERS: 'org, company',
      LAMINA_CONSOLIDATION_TARGET_LAYERS: 'none',
      LAMINA_SESSION_RETENTION_PERIOD: '12h',
      LAMINA_DEDUPLICATION: 'meaning',
      LAMINA_EVENT_RETENTION_PERIOD: '0',
      LAMINA_CONTEXT_LOG_RETENTION_PERIOD: '4w',
      LAMINA_LANGUAGE_MODEL_URL: 'http://127.0.0.1:11434/v1',
      LAMINA_LANGUAGE_MODEL: 'llama3',
      LAMINA_LANGUAGE_MODEL_INPUT_PRICE: '0.5',
      LAMINA_LANGUAGE_MODEL_OUTPUT_PRICE: '2',
    };
    const { decay, consolidation, sessionCleanup } = DEFAULT_LIFECYCLE_POLICY;
    expect(parseConfiguration({ environment, file: file({ sessionCleanup: { autoDelete: 'on' } }) })).toMatchObject({
      lifecycle: {
        decay: { ...decay, enabled: true, ratePerDay: 0.02, exemptLayers: ['org', 'company'] },
        consolidation: { ...consolidation, targetLayers: [] },
        sessionCleanup: { ...sessionCleanup, autoDelete: true, retentionPeriod: '12h' },
        deduplication: { by: 'meaning' },
        events: { retentionPeriod: '0' },
        contextLog: { retentionPeriod: '4w' },
      },
      languageModel: { url: 'http://127.0.0.1:11434/v1', name: 'llama3', prices: { input: 0.5, output: 2 } },
    });
    const { LAMINA_LANGUAGE_MODEL: _name, ...nameless } = environment;
    expect(refusal({ environment: nameless }).message).toMatch(/LAMINA_LANGUAGE_MODEL is not set/);
    const homeless = { LAMINA_LANGUAGE_MODEL: 'llama3', LAMINA_LANGUAGE_MODEL_INPUT_PRICE: '1' };
    expect(refusal({ environment: homeless }).message).toMatch(/LAMINA_LANGUAGE_MODEL is set, but .*_URL is not/);
  });

  it('sends traces where OpenTelemetry is told to, unless it is told otherwise', () => {
    const standard = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    const own = { LAMINA_OTLP_URL: 'https://traces.example', LAMINA_TRACE_RATIO: '0.25' };
    expect(parseConfiguration({ environment: standard }).otlpUrl).toBe('http://collector:4318');
    expect(parseConfiguration({ environment: { ...standard, ...own } })).toMatchObject({
      otlpUrl: 'https://traces.example',
      traceRatio: 0.25,
    });
    expect(parseConfiguration({ environment: { ...standard, LAMINA_OTLP_URL: 'off' } }).otlpUrl).toBe('off');
    const error = refusal({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' } });
    expect(error.message).toContain('OTEL_EXPORTER_OTLP_ENDPOINT is "collector"; it accepts off or an http://');
  });

  it('lets the database stand in for Redis only where there is one', () => {
    const environment = { LAMINA_REDIS_URL: 'rediss://:p@db:6380/2', LAMINA_REDIS_FALLBACK: 'database' };
    expect(parseConfiguration({ environment })).toMatchObject({ redisUrl: 'rediss://:p@db:6380/2' });
    const error = refusal({ environment: { LAMINA_REDIS_FALLBACK: 'database' } });
    expect(error.message).toMatch(/LAMINA_REDIS_FALLBACK .* LAMINA_REDIS_URL is not set/);
    const keyOnly = refusal({ environment: { LAMINA_QDRANT_API_KEY: 'secret' } });
    expect(keyOnly.message).toMatch(/LAMINA_QDRANT_API_KEY is set, but LAMINA_QDRANT_URL is not/);
  });

  it.each([
    ['sqlite:./data', { engine: 'sqlite', folder: './data' }],
    ['sqlite:data', { engine: 'sqlite', folder: 'data' }],
    ['sqlite:/var/lib/lamina', { engine: 'sqlite', folder: '/var/lib/lamina' }],
    ['sqlite:///var/lib/lamina', { engine: 'sqlite', folder: '/var/lib/lamina' }],
    ['sqlite:C:\\data', { engine: 'sqlite', folder: 'C:\\data' }],
    ['pglite:./data', { engine: 'pglite', folder: './data' }],
    ['postgres://db/x', { engine: 'postgres', url: 'postgres://db/x' }],
    ['postgresql://u:p@db:1/x?sslmode=require', { engine: 'postgres', url: 'postgresql://u:p@db:1/x?sslmode=require' }],
    ['postgres://db', undefined],
    ['postgres:x', undefined],
    ['sqlite://data', undefined],
    ['sqlite::memory:', undefined],
    ['sqlite:', undefined],
    ['pglite:', undefined],
    ['./data', undefined],
  ])('reads the address %s', (url, address) => {
    expect(databaseAddress(url)).toEqual(address);
  });

  it.each([
    ['postgres://u:p@db/x', 'postgres://u@db/x'],
    ['postgres://u@db/x', 'postgres://u@db/x'],
    ['postgres://u:p@p:q@db/x?options=a@b', 'postgres://u@db/x?options=a@b'],
    ['postgres://db/x?user=u&password=p&a=b', 'postgres://db/x?user=u&password=…&a=b'],
    ['sqlite:./data', 'sqlite:./data'],
  ])('shows %s without its password', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });
});

describe('refusals', () => {
  it.each(WRONG_VALUES)('refuses %s=%s', (variable, value, accepts) => {
    const error = refusal({ environment: { [variable]: value } });
    expect(error.code).toBe('CONFIGURATION_ERROR');
    expect(error.message).toContain(variable);
    expect(error.message).toContain(accepts);
    expect(error.details?.['problems']).toHaveLength(1);
  });

  it('is tried above for every variable but the one that names the file', () => {
    const tried = new Set([...WRONG_VALUES.map(([variable]) => variable), 'LAMINA_CONFIG']);
    expect([...tried].toSorted()).toEqual(SETTING_KEYS.map((key) => SETTINGS[key].variable).toSorted());
  });

  it('names the flag or the file key where the value stands there', () => {
    expect(refusal({ flags: { databaseUrl: 'x' } }).message).toMatch(/^--database is "x"; it accepts sqlite:FOLDER/);
    expect(refusal({ flags: { port: '' } }).message).toMatch(/^--port is ""/);
    expect(refusal({ file: file({ port: '8787' }) }).message).toMatch(
      /^"port" in c\.json is "8787"; it accepts a whole/,
    );
    expect(refusal({ file: file({ limits: { batchSize: null } }) }).message).toMatch(
      /^"limits.batchSize" in c\.json is null/,
    );
    expect(refusal({ file: file({ limits: 5 }) }).message).toMatch(
      /^"limits" in c\.json must be an object that holds content/,
    );
    expect(refusal({ file: file({ host: '0.0.0.0' }) }).message).toMatch(/^"host" in c\.json is "0\.0\.0\.0"/);
  });

  it('suggests the nearest name', () => {
    expect(refusal({ environment: { LAMINA_DATABSE_URL: 'x' } }).message).toContain(
      'Did you mean "LAMINA_DATABASE_URL"?',
    );
    expect(refusal({ file: file({ databaseURL: 'sqlite:x' }) }).message).toContain('Did you mean "databaseUrl"?');
    expect(refusal({ file: file({ limits: { batchsize: 1 } }) }).message).toContain('Did you mean "limits.batchSize"?');
    expect(refusal({ environment: { LAMINA_FOO: 'x' } }).message).not.toContain('Did you mean');
    expect(refusal({ environment: { LAMINA_QQQQQQQQQQQQ: 'x' } }).message).not.toContain('Did you mean');
  });

  it('knows the variables that Kubernetes sets', () => {
    const environment = { LAMINA_SERVICE_HOST: '10.0.0.1', LAMINA_PORT: 'tcp://10.0.0.1:8787' };
    const { message } = refusal({ environment });
    expect(message).toContain('enableServiceLinks');
    expect(message).toContain('LAMINA_PORT');
  });

  it('reports everything at once', () => {
    const error = refusal({
      file: { path: 'c.json', text: '{' },
      environment: { LAMINA_PORT: 'x', LAMINA_HOST: '0.0.0.0', LAMINA_WHAT: 'x' },
      flags: { logLevel: 'loud' },
    });
    for (const at of ['c.json', 'LAMINA_PORT', 'LAMINA_HOST', 'LAMINA_WHAT', '--log-level']) {
      expect(error.message).toContain(at);
    }
    expect(error.details?.['problems']).toHaveLength(5);
  });

  it('refuses a wrong value even where another source outdoes it', () => {
    expect(refusal({ environment: { LAMINA_PORT: 'x' }, flags: { port: '1' } }).message).toContain('LAMINA_PORT');
  });

  it('keeps secrets out of files, flags and messages', () => {
    const inFile = refusal({ file: file({ openaiApiKey: 'sk-secret' }) });
    expect(inFile.message).toContain('set LAMINA_OPENAI_API_KEY in the environment');
    const asFlag = refusal({ flags: { openaiApiKey: 'sk-secret' } });
    const wrong = refusal({ environment: { LAMINA_OPENAI_API_KEY: 'sk-secret x' } });
    const inAddress = refusal({ environment: { LAMINA_DATABASE_URL: 'mysql://user:sk-secret@db/x' } });
    const inQuery = refusal({ environment: { LAMINA_DATABASE_URL: 'postgres://db?password=sk-secret' } });
    for (const error of [inFile, asFlag, wrong, inAddress, inQuery]) {
      expect(JSON.stringify(error)).not.toContain('sk-secret');
    }
  });

  it('wants a key for the endpoint that needs one, and only for that', () => {
    expect(refusal({ environment: { LAMINA_EMBEDDINGS: 'openai' } }).message).toContain(
      'LAMINA_OPENAI_API_KEY is not set',
    );
    const ollama = { LAMINA_EMBEDDINGS: 'openai', LAMINA_OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' };
    expect(parseConfiguration({ environment: ollama }).openaiApiKey).toBeUndefined();
  });

  it('wants one way to verify tokens by, and then any host', () => {
    const jwt = { LAMINA_AUTH: 'jwt', LAMINA_HOST: '0.0.0.0' };
    const secret = { LAMINA_JWT_SECRET: 'ü'.repeat(16) };
    const url = { LAMINA_JWKS_URL: 'https://issuer.example/keys' };
    expect(parseConfiguration({ environment: { ...jwt, ...secret } }).host).toBe('0.0.0.0');
    expect(parseConfiguration({ environment: { ...jwt, ...url } }).jwksUrl).toBe('https://issuer.example/keys');
    expect(refusal({ environment: { ...jwt, ...secret, ...url } }).message).toMatch(
      /^LAMINA_JWKS_URL is set together with LAMINA_JWT_SECRET/,
    );
    expect(refusal({ environment: jwt }).details?.['problems']).toHaveLength(1);
  });

  it('keeps the secret of tokens out of files, flags and messages', () => {
    const secret = 'a-secret-that-nobody-may-read';
    for (const sources of [
      { file: file({ jwtSecret: secret }) },
      { flags: { jwtSecret: secret } },
      { environment: { LAMINA_JWT_SECRET: secret } },
      { environment: { LAMINA_JWT_SECRET: `${secret}${secret}` } },
    ]) {
      expect(JSON.stringify(refusal(sources))).not.toContain(secret);
    }
  });

  it.each(['{', '', '[]', 'null', '"x"', '{"port": 1,}'])('refuses a file that holds %j', (text) => {
    expect(refusal({ file: { path: 'c.json', text } }).message).toMatch(/^c\.json (is not valid JSON|must hold one)/);
  });
});

describe('loopback', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
    'is %s',
    (host) => expect(isLoopback(host)).toBe(true),
  );
  it.each(['128.0.0.1', '0.0.0.0', '::', '::2', '::ffff:10.0.0.1', 'localhost.example.org', '127.0.0.1.nip.io', ''])(
    'is not %j',
    (host) => expect(isLoopback(host)).toBe(false),
  );
});

describe('loading', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-configuration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('does without a file', async () => {
    expect(await loadConfiguration({}, {}, folder)).toEqual(parseConfiguration({}));
  });

  it('finds lamina.config.json, LAMINA_CONFIG and --config, each before the one named here before it', async () => {
    await writeFile(join(folder, 'lamina.config.json'), '{"port": 1}');
    await writeFile(join(folder, 'b.json'), '{"port": 2}');
    await writeFile(join(folder, 'c.json'), '{"port": 3}');
    expect((await loadConfiguration({}, {}, folder)).port).toBe(1);
    expect((await loadConfiguration({ LAMINA_CONFIG: 'b.json' }, {}, folder)).port).toBe(2);
    expect((await loadConfiguration({ LAMINA_CONFIG: 'b.json' }, { config: 'c.json' }, folder)).port).toBe(3);
  });

  it('refuses a named file that is not there or is no file', async () => {
    const missing = loadConfiguration({ LAMINA_CONFIG: 'no.json' }, {}, folder);
    await expect(missing).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('no.json'),
    });
    const directory = loadConfiguration({}, { config: '.' }, folder);
    await expect(directory).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('EISDIR'),
    });
  });
});

it('is refused where the library has no option of that name', async () => {
  const options = { databaseUrl: 'sqlite:elsewhere' } as unknown as LaminaOptions;
  await expect(Lamina.open(options)).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining('no option "databaseUrl". It takes folder, database,'),
  });
});

it.each([
  [{ clock: { now: () => 0 } }, '"clock" has no sleep(). It needs now(), sleep().'],
  [{ clock: {} }, '"clock" has no now(), sleep().'],
  [{ ids: { next: 'x' } }, '"ids" has no next().'],
  [{ embedder: {} }, '"embedder" has no space(), calibration(), embed(), forget(), close().'],
  [{ languageModel: { complete: () => '' } }, '"languageModel" has no close(). It needs complete(), close().'],
  [{ reranker: 'cohere' }, '"reranker" has no rerank(), close().'],
  [{ telemetry: {} }, '"telemetry" has no operationEnded().'],
])('is refused where what it is to use lacks a method: %j', async (options, message) => {
  const folder = join(tmpdir(), `lamina-${randomUUID()}`);
  await expect(Lamina.open({ folder, ...options } as unknown as LaminaOptions)).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining(message),
  });
  expect(existsSync(folder)).toBe(false);
});

it.each([
  ['./elsewhere', /takes an object, such as \{ folder:/],
  [null, /takes an object/],
  [[], /takes an object/],
  [{ folder: '' }, /The folder is empty/],
])('is refused where the library is not told where: %j', async (options, message) => {
  await expect(Lamina.open(options as LaminaOptions)).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringMatching(message),
  });
});

describe('junk', () => {
  const variable = fc.oneof(
    fc.constantFrom(...SETTING_KEYS.map((key) => SETTINGS[key].variable)),
    fc.string({ unit: 'binary' }).map((name) => `LAMINA_${name}`),
    fc.string(),
  );
  const environment = fc.dictionary(variable, fc.option(fc.string({ unit: 'binary' }), { nil: undefined }));
  const flags = fc.dictionary(fc.constantFrom(...SETTING_KEYS), fc.string({ unit: 'binary' }));
  const names = fc.oneof(fc.constantFrom<string>(...SETTING_KEYS, 'limits', '__proto__', 'constructor'), fc.string());
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.dictionary(names, fc.jsonValue()).map((value) => JSON.stringify(value)),
  );

  it('is accepted or refused with CONFIGURATION_ERROR, and nothing else', () => {
    fc.assert(
      fc.property(environment, flags, text, (junkEnvironment, junkFlags, junkText) => {
        try {
          parseConfiguration({
            environment: junkEnvironment,
            flags: junkFlags,
            file: { path: 'c.json', text: junkText },
          });
        } catch (error) {
          expect(error).toBeInstanceOf(LaminaError);
          expect((error as LaminaError).code).toBe('CONFIGURATION_ERROR');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('only ever suggests names that exist', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string({ minLength: 1 })), (name, known) => {
        const nearest = nearestName(name, known);
        expect(nearest === undefined || known.includes(nearest)).toBe(true);
      }),
    );
  });
});
