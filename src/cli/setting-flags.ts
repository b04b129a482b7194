/** Settings as the flags of a command: what the table of settings says of each, and what a command line gives. */

import type { Flags } from '../compose/configuration-sources.ts';
import { defaultOf, flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '../compose/settings.ts';
import type { Flag, Given, Variable } from './command.ts';
import { databaseFlags, databaseGiven } from './database-flags.ts';
import { DATABASE_FALLBACK } from './home-database.ts';

/** Of all that can be given as a flag. */
export const FLAG_SETTINGS: readonly SettingKey[] = SETTING_KEYS.filter((key) => isFlag(SETTINGS[key]));

function isFlag({ sources }: Setting): boolean {
  return sources.includes('flag');
}

/** Of those that can be given as one; the others are {@link variablesAmong} them. */
export function settingFlags(keys: readonly SettingKey[]): readonly Flag[] {
  return flagsBy(settingFlag, keys);
}

/** Of a command that works on memory which is there: it looks for the database as those that read it do. */
export function memorySettingFlags(keys: readonly SettingKey[]): readonly Flag[] {
  return flagsBy(
    (key) => ({ ...settingFlag(key), ...(key === 'databaseUrl' && { fallback: DATABASE_FALLBACK }) }),
    keys,
  );
}

function flagsBy(made: (key: SettingKey) => Flag, keys: readonly SettingKey[]): readonly Flag[] {
  return keys
    .filter((key) => isFlag(SETTINGS[key]))
    .flatMap((key) => (key === 'databaseUrl' ? databaseFlags(made(key)) : [made(key)]));
}

export function settingFlag(key: SettingKey): Flag {
  const { name, description, fallback } = settingVariable(key);
  const { place }: Setting = SETTINGS[key];
  return {
    name: flagOf(key),
    value: place ?? 'VALUE',
    variable: name,
    description,
    ...(fallback !== undefined && { fallback }),
  };
}

function settingVariable(key: SettingKey): Variable {
  const { variable, description, accepts }: Setting = SETTINGS[key];
  const fallback = defaultOf(key);
  const told = `${description} Accepts ${accepts}.`;
  return { name: variable, description: told, ...(fallback !== undefined && { fallback }) };
}

/** Those that cannot be given as a flag, such as keys. */
export function variablesAmong(keys: readonly SettingKey[] = SETTING_KEYS): Variable[] {
  return keys.filter((key) => !isFlag(SETTINGS[key])).map(settingVariable);
}

/** What is given of them. Throws a usage error for a database that is named twice. */
export function settingsFrom(given: Given, keys: readonly SettingKey[]): Flags {
  const valueOf = (key: SettingKey) => (key === 'databaseUrl' ? databaseGiven(given) : given.value(flagOf(key)));
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)] as const).filter(([, value]) => value !== undefined));
}
