/** The settings, from their table. */

import {
  defaultOf,
  flagOf,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
} from '../../src/compose/settings.ts';
import { exitCodesTable } from './exit-codes-table.ts';
import { code, fence, page, table } from './markdown.ts';

export function configurationPage(): string {
  return page(
    'Configuration',
    'Nothing has to be configured. Values come from a JSON file, then from the environment, then from the flags of ' +
      '`lamina serve`; what comes later wins. Empty variables count as unset. Anything wrong in any of the three, a name ' +
      'that does not exist included, stops the start with `CONFIGURATION_ERROR`, all problems at once.',
    table(['variable', 'in the file', 'flag', 'default', 'what it is'], SETTING_KEYS.map(settingRow)),
    'The file with every default written out:',
    fence('json', exampleFile()),
    '## Exit codes of `lamina`',
    exitCodesTable(),
  );
}

function settingRow(key: SettingKey): string[] {
  const row: Setting = SETTINGS[key];
  const fallback = defaultOf(key);
  return [
    code(row.variable),
    row.sources.includes('file') ? code(key) : '–',
    row.sources.includes('flag') ? code(`--${flagOf(key)}`) : '–',
    fallback === undefined ? '–' : code(fallback),
    `${row.description} Accepts ${row.accepts}.`,
  ];
}

/** A file with every setting at its default, as the file would spell it. */
function exampleFile(): string {
  const example: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const row: Setting = SETTINGS[key];
    const value = row.schema.parse(undefined);
    if (!row.sources.includes('file') || value === undefined) continue;
    const [group, member] = key.split('.');
    if (group === undefined || member === undefined) example[key] = value;
    else example[group] = { ...(example[group] as object | undefined), [member]: value };
  }
  return JSON.stringify(example, undefined, 2);
}
