/** Reads the configuration file, the environment and the flags, before the values are checked. */

import { didYouMean, nearestName } from './nearest-name.ts';
import { flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey, type SettingSource } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Flags = Readonly<Partial<Record<SettingKey, string>>>;

/** The configuration file as it was found; `problem` says why there is no text. */
export type ConfigurationFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly problem: string };

/** A value as it was given. */
export interface Given {
  readonly key: SettingKey;
  readonly source: SettingSource;
  /** Where: the variable, the flag, or the key in its file. */
  readonly at: string;
  readonly value: unknown;
}

/** What is wrong, and where to look. */
export interface Problem {
  readonly at: string;
  readonly problem: string;
  readonly key?: SettingKey;
}

export interface Reading {
  readonly given: readonly Given[];
  readonly problems: readonly Problem[];
}

export function isSource(key: SettingKey, source: SettingSource): boolean {
  const { sources }: Setting = SETTINGS[key];
  return sources.includes(source);
}

export function readConfigurationFile(file: ConfigurationFile): Reading {
  const broken = (problem: string): Reading => ({ given: [], problems: [{ at: file.path, problem }] });
  if ('problem' in file) return broken(file.problem);
  let content: unknown;
  try {
    content = JSON.parse(file.text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return broken(`is not valid JSON (${(error as SyntaxError).message})`);
  }
  return isObject(content) ? readFileKeys(file.path, content) : broken('must hold one JSON object');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Settings of a group stand in an object: `limits.batchSize` is `{"limits": {"batchSize": …}}`. */
function readFileKeys(path: string, content: object): Reading {
  const known = SETTING_KEYS.filter((key) => isSource(key, 'file'));
  const groups = new Set(known.filter((key) => key.includes('.')).map((key) => key.split('.')[0]));
  const entries = Object.entries(content).flatMap(([name, value]: [string, unknown]): [string, unknown][] =>
    groups.has(name) && isObject(value)
      ? Object.entries(value).map(([inner, innerValue]) => [`${name}.${inner}`, innerValue])
      : [[name, value]],
  );
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const [name, value] of entries) {
    const at = `"${name}" in ${path}`;
    const key = known.find((candidate) => candidate === name);
    if (key) given.push({ key, source: 'file', at, value });
    else problems.push({ at, problem: whyNotInFile(name, known) });
  }
  return { given, problems };
}

function whyNotInFile(name: string, known: readonly SettingKey[]): string {
  const elsewhere = SETTING_KEYS.find((key) => key === name);
  if (elsewhere) {
    const { secret, variable }: Setting = SETTINGS[elsewhere];
    const reason = secret ? 'is a secret and does not belong in a file' : 'cannot be set in the file itself';
    return `${reason}; set ${variable} in the environment`;
  }
  const members = known.filter((key) => key.startsWith(`${name}.`));
  if (members.length > 0) return `must be an object that holds ${members.map((key) => key.split('.')[1]).join(', ')}`;
  return `is not a known setting.${didYouMean(name, known)}`;
}

/** The token or key of commands that speak to a service: no setting, and no mistake where the service runs beside it. */
export const TOKEN_VARIABLE = 'LAMINA_TOKEN';

const PREFIX = 'LAMINA_';

/** Variables that are empty count as unset. */
export function readEnvironment(environment: Environment): Reading {
  const variables = SETTING_KEYS.map((key) => SETTINGS[key].variable);
  const known = new Set<string>([...variables, TOKEN_VARIABLE]);
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.has(name) && environment[name]?.trim(),
  );
  const given = SETTING_KEYS.flatMap((key): Given[] => {
    const { variable, standardVariable = variable }: Setting = SETTINGS[key];
    const at = environment[variable]?.trim() ? variable : standardVariable;
    const text = environment[at]?.trim();
    return text ? [{ key, source: 'environment', at, value: SETTINGS[key].fromText(text) }] : [];
  });
  return { given, problems: unknown.map((name) => ({ at: name, problem: whyNotInEnvironment(name, variables) })) };
}

function whyNotInEnvironment(name: string, known: readonly string[]): string {
  // Kubernetes adds such variables to every pod beside a Service that is called "lamina".
  const isServiceLink = /^LAMINA_(SERVICE_|PORT_\d)/.test(name);
  const hint = isServiceLink
    ? ' It looks like one that Kubernetes sets; turn those off with enableServiceLinks: false.'
    : variableMeant(name, known);
  return `is not a known variable.${hint}`;
}

/** By what comes after the beginning that all of them share. */
function variableMeant(name: string, known: readonly string[]): string {
  const bare = (variable: string): string => variable.slice(PREFIX.length);
  const nearest = nearestName(bare(name), known.map(bare));
  return nearest === undefined ? '' : ` Did you mean "${PREFIX}${nearest}"?`;
}

export function readFlags(flags: Flags): Reading {
  const given = SETTING_KEYS.flatMap((key): Given[] => {
    const text = flags[key]?.trim();
    if (text === undefined) return [];
    return [{ key, source: 'flag', at: `--${flagOf(key)}`, value: SETTINGS[key].fromText(text) }];
  });
  return { given, problems: [] };
}
