/** The configuration of the service: read from a file, the environment and flags, checked as a whole. */

import { readFile } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import type { Limits } from '../domain/limits.ts';
import type { Quarantine } from '../domain/quarantine.ts';
import type { TurnPolicy } from '../domain/turn.ts';
import { DEFAULT_OPENAI_BASE_URL } from '../embedding/openai/openai-embedder.ts';
import {
  isSource,
  readConfigurationFile,
  readEnvironment,
  readFlags,
  type ConfigurationFile,
  type Environment,
  type Flags,
  type Given,
  type Problem,
} from './configuration-sources.ts';
import { checkLanguageModel, lifecycleConfiguration, type LifecycleConfiguration } from './lifecycle-settings.ts';
import { checkReranker, rerankerConfiguration, type RerankerConfiguration } from './reranker-settings.ts';
import { checkTls, trafficConfiguration, type TrafficConfiguration } from './traffic-settings.ts';
import {
  LOCAL_MODEL,
  LOOPBACK,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type SettingValues,
} from './settings.ts';

export type Configuration = Readonly<Omit<SettingValues, 'config' | `${string}.${string}`>> &
  LifecycleConfiguration &
  RerankerConfiguration &
  TrafficConfiguration & { readonly limits: Limits; readonly turn: TurnPolicy; readonly quarantine: Quarantine };

export interface ConfigurationSources {
  readonly file?: ConfigurationFile | undefined;
  readonly environment?: Environment;
  readonly flags?: Flags;
  /** Where no other source says anything, of a command whose defaults are others than the table's. */
  readonly defaults?: Flags;
}

const TOKEN_SETTINGS = ['jwtSecret', 'jwksUrl', 'jwtIssuer', 'jwtAudience'] as const;

const DEFAULT_FILE = 'lamina.config.json';

/**
 * The configuration that these sources make together; flags win over the environment, and that over the file.
 * Pure. Throws `CONFIGURATION_ERROR` that names everything that is wrong, in whichever source.
 */
export function parseConfiguration(sources: ConfigurationSources): Configuration {
  const readings = [
    readFlags(sources.defaults ?? {}),
    ...(sources.file ? [readConfigurationFile(sources.file)] : []),
    readEnvironment(sources.environment ?? {}),
    readFlags(sources.flags ?? {}),
  ];
  const given = readings.flatMap((reading) => reading.given);
  const problems = readings.flatMap((reading) => reading.problems);
  const values = checkValues(given, problems);
  checkTogether(values, given, problems);
  if (problems.length > 0) throw configurationError(problems);
  return toConfiguration(values);
}

/** Finds and reads the file, then does as {@link parseConfiguration}. Throws `CONFIGURATION_ERROR` and nothing else. */
export async function loadConfiguration(
  environment: Environment,
  flags: Flags = {},
  workingDirectory: string = process.cwd(),
  defaults: Flags = {},
): Promise<Configuration> {
  const named = flags.config?.trim() || environment[SETTINGS.config.variable]?.trim();
  const file = await findFile(resolve(workingDirectory, named || DEFAULT_FILE), Boolean(named));
  return parseConfiguration({ file, environment, flags, defaults });
}

async function findFile(path: string, mustExist: boolean): Promise<ConfigurationFile | undefined> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return mustExist ? { path, problem: 'does not exist' } : undefined;
    return { path, problem: `cannot be read (${code ?? message})` };
  }
}

/** Each value is checked, even if a later source overrides it, so that mistakes are found early. */
function checkValues(given: readonly Given[], problems: Problem[]): SettingValues {
  const values = new Map<SettingKey, unknown>();
  for (const { key, source, at, value } of given) {
    const row: Setting = SETTINGS[key];
    const parsed = row.schema.safeParse(value);
    if (!isSource(key, source)) problems.push({ at, key, problem: `can only be set as ${row.variable}` });
    else if (parsed.success) values.set(key, parsed.data);
    else problems.push({ at, key, problem: describeWrongValue(row, value, parsed.error.issues[0]) });
  }
  const complete = SETTING_KEYS.map((key) => {
    const row: Setting = SETTINGS[key];
    return [key, values.has(key) ? values.get(key) : row.schema.parse(undefined)];
  });
  return Object.fromEntries(complete) as SettingValues;
}

function describeWrongValue(row: Setting, value: unknown, issue?: { code?: string; message: string }): string {
  const accepts = issue?.code === 'custom' ? issue.message : `it accepts ${row.accepts}`;
  return row.secret ? `has a value that it cannot have; ${accepts}` : `is ${show(value)}; ${accepts}`;
}

/** A value as a message may show it: short, on one line, and without a password that an address carries. */
function show(value: unknown): string {
  const text = JSON.stringify(value)
    .replace(/\/\/.*@/, '//…@')
    .replace(/(password=)[^&"]*/g, '$1…');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Rules between settings; a rule is skipped if one of its values is itself invalid. */
function checkTogether(values: SettingValues, given: readonly Given[], problems: Problem[]): void {
  const broken = new Set(problems.map((each) => each.key));
  const refuse = (key: SettingKey, problem: string): void => {
    const at = given.findLast((each) => each.key === key)?.at ?? SETTINGS[key].variable;
    problems.push({ at, key, problem });
  };
  if (!broken.has('auth')) checkAuthentication(values, broken, refuse);
  if (values.redisFallback !== 'none' && values.redisUrl === undefined && !broken.has('redisUrl')) {
    refuse('redisFallback', `is "${values.redisFallback}", but LAMINA_REDIS_URL is not set; set it, or unset this one`);
  }
  if (values.qdrantApiKey !== undefined && values.qdrantUrl === undefined && !broken.has('qdrantUrl')) {
    refuse('qdrantApiKey', 'is set, but LAMINA_QDRANT_URL is not; set it, or unset this one');
  }
  checkLanguageModel(values, (key) => broken.has(key), refuse);
  checkReranker(values, (key) => broken.has(key), refuse);
  checkTls(values, (key) => broken.has(key), refuse);
  if (broken.has('embeddings')) return;
  if (values.embeddings === 'local' && ![undefined, LOCAL_MODEL].includes(values.embeddingModel)) {
    refuse('embeddingModel', `is ${show(values.embeddingModel)}; it accepts ${SETTINGS.embeddingModel.accepts}`);
  }
  const needsKey = values.embeddings === 'openai' && values.openaiBaseUrl === DEFAULT_OPENAI_BASE_URL;
  if (needsKey && values.openaiApiKey === undefined && !broken.has('openaiApiKey') && !broken.has('openaiBaseUrl')) {
    refuse('openaiApiKey', `is not set; embeddings from ${DEFAULT_OPENAI_BASE_URL} need it`);
  }
}

function checkAuthentication(
  { auth, host, ...values }: SettingValues,
  broken: ReadonlySet<SettingKey | undefined>,
  refuse: (key: SettingKey, problem: string) => void,
): void {
  if (auth === 'none') {
    if (!broken.has('host') && !isLoopback(host)) {
      const danger = 'which other machines may reach, without authentication';
      refuse(
        'host',
        `is ${show(host)}, ${danger}; it accepts a loopback address (${LOOPBACK}), or set LAMINA_AUTH=jwt`,
      );
    }
    // Setting any of these means that authentication is wanted, so it must not be off.
    const unused = TOKEN_SETTINGS.filter((key) => values[key] !== undefined && !broken.has(key));
    for (const key of unused)
      refuse(key, 'is set, but LAMINA_AUTH is none, which makes no use of it; set LAMINA_AUTH=jwt');
    return;
  }
  if (broken.has('jwtSecret') || broken.has('jwksUrl')) return;
  const { jwtSecret, jwksUrl } = values;
  if (jwtSecret !== undefined && jwksUrl !== undefined) {
    refuse('jwksUrl', 'is set together with LAMINA_JWT_SECRET; tokens are verified by one of the two');
  }
  if (jwtSecret === undefined && jwksUrl === undefined) {
    refuse('auth', 'is "jwt", which needs LAMINA_JWT_SECRET or LAMINA_JWKS_URL to verify tokens by');
  }
}

/** Whether only this machine can reach that address. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const family = isIP(host);
  if (family === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function configurationError(problems: readonly Problem[]): LaminaError {
  const lines = problems.map(({ at, problem }) => `${at} ${problem}${/[.?]$/.test(problem) ? '' : '.'}`);
  const list = `${lines.length} problems:\n${lines.map((line) => `  - ${line}`).join('\n')}`;
  return new LaminaError('CONFIGURATION_ERROR', lines.length === 1 ? lines.join('') : list, { details: { problems } });
}

function toConfiguration(values: SettingValues): Configuration {
  const limits = {
    contentLength: values['limits.contentLength'],
    queryLength: values['limits.queryLength'],
    metadataBytes: values['limits.metadataBytes'],
    batchSize: values['limits.batchSize'],
    valueBytes: values['limits.valueBytes'],
  };
  return {
    host: values.host,
    port: values.port,
    inspector: values.inspector,
    auth: values.auth,
    jwtSecret: values.jwtSecret,
    jwksUrl: values.jwksUrl,
    jwtIssuer: values.jwtIssuer,
    jwtAudience: values.jwtAudience,
    databaseUrl: values.databaseUrl,
    masterKeyFile: values.masterKeyFile,
    databaseOwnerUrl: values.databaseOwnerUrl,
    databaseDirectUrl: values.databaseDirectUrl,
    databasePoolSize: values.databasePoolSize,
    databaseTimeoutMs: values.databaseTimeoutMs,
    databasePrepare: values.databasePrepare,
    migrate: values.migrate,
    searchMemoryMib: values.searchMemoryMib,
    embeddings: values.embeddings,
    openaiBaseUrl: values.openaiBaseUrl,
    openaiApiKey: values.openaiApiKey,
    embeddingModel: values.embeddingModel,
    embeddingDimensions: values.embeddingDimensions,
    otherApiKey: values.otherApiKey,
    redisUrl: values.redisUrl,
    redisFallback: values.redisFallback,
    redisPrefix: values.redisPrefix,
    qdrantUrl: values.qdrantUrl,
    qdrantApiKey: values.qdrantApiKey,
    qdrantPrefix: values.qdrantPrefix,
    maintenanceSchedule: values.maintenanceSchedule,
    expiryIntervalSeconds: values.expiryIntervalSeconds,
    otlpUrl: values.otlpUrl,
    traceRatio: values.traceRatio,
    logLevel: values.logLevel,
    ...lifecycleConfiguration(values),
    ...rerankerConfiguration(values),
    ...trafficConfiguration(values),
    limits,
    quarantine: values.quarantine,
    turn: { maxSensitivity: values['turn.maxSensitivity'], minTrust: values['turn.minTrust'] },
  };
}
