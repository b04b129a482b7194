/** Settings as the flags of a command: what the table of settings says of each, and what a command line gives. */

import type { Flags } from '../compose/configuration-sources.ts';
import { defaultOf, flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '../compose/settings.ts';
import type { Flag, Given, Variable } from './command.ts';
import { DATABASE_FALLBACK } from './home-database.ts';

/** Of all that can be given as a flag. */
export const FLAG_SETTINGS: readonly SettingKey[] = SETTING_KEYS.filter((key) => isFlag(SETTINGS[key]));

function isFlag({ sources }: Setting): boolean {
  return sources.includes('flag');
}

export function settingFlag(key: SettingKey): Flag {
  const { name, description, fallback } = settingVariable(key);
  return {
    name: flagOf(key),
    value: 'VALUE',
    variable: name,
    description,
    ...(fallback !== undefined && { fallback }),
  };
}

/** Of a command that works on memory which is there: it looks for the database as those that read it do. */
export function memorySettingFlag(key: SettingKey): Flag {
  return { ...settingFlag(key), ...(key === 'databaseUrl' && { fallback: DATABASE_FALLBACK }) };
}

function settingVariable(key: SettingKey): Variable {
  const { variable, description, accepts }: Setting = SETTINGS[key];
  const fallback = defaultOf(key);
  const told = `${description} Accepts ${accepts}.`;
  return { name: variable, description: told, ...(fallback !== undefined && { fallback }) };
}

/** Those that cannot be given as a flag, such as keys. */
export function variablesOnly(): Variable[] {
  return SETTING_KEYS.filter((key) => !isFlag(SETTINGS[key])).map(settingVariable);
}

/** What is given of them. */
export function settingsFrom(given: Given, keys: readonly SettingKey[]): Flags {
  return Object.fromEntries(keys.flatMap((key) => (given.has(flagOf(key)) ? [[key, given.value(flagOf(key))]] : [])));
}
