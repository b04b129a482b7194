/**
 * Writes the pages of docs/ that are read from tables in the source: `node scripts/generate-docs.ts`.
 * With `--check` it writes nothing and fails when a page is not what the tables say.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { EXIT_CODES } from '../src/cli/exit-code.ts';
import { defaultOf, flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '../src/compose/settings.ts';
import { ERROR_TABLE } from '../src/domain/error.ts';

const NOTICE = '<!-- Written by scripts/generate-docs.ts. Change the table in the source, then run it again. -->';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;

function errorsPage(): string {
  const rows = Object.entries(ERROR_TABLE).map(([name, { status, retryable, advice }]) => [
    code(name),
    String(status),
    retryable ? 'yes' : 'no',
    advice,
  ]);
  return [
    '# Errors',
    NOTICE,
    'Everything that Lamina refuses or fails at is a `LaminaError` with one of these codes. In the library it is thrown; ' +
      'over HTTP it is the body of the answer, `{code, message, operation, details?, retryable, request_id}`, with the ' +
      'status below. Codes are stable; messages are for people and may change.',
    'Retrying helps where the table says so: the same call, unchanged, can succeed later.',
    `${table(['code', 'HTTP status', 'retry helps', 'what to do'], rows)}\n`,
  ].join('\n\n');
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

function configurationPage(): string {
  const exits = Object.values(EXIT_CODES).map(({ code: number, meaning }) => [String(number), meaning]);
  return [
    '# Configuration',
    NOTICE,
    'Nothing has to be configured. Values come from a JSON file, then from the environment, then from the flags of ' +
      '`lamina serve`; what comes later wins. Empty variables count as unset. Anything wrong in any of the three, a name ' +
      'that does not exist included, stops the start with `CONFIGURATION_ERROR`, all problems at once.',
    table(['variable', 'in the file', 'flag', 'default', 'what it is'], SETTING_KEYS.map(settingRow)),
    'The file with every default written out:',
    `\`\`\`json\n${exampleFile()}\n\`\`\``,
    '## Exit codes of `lamina`',
    `${table(['code', 'meaning'], exits)}\n`,
  ].join('\n\n');
}

/** Every generated page: its path and its text. */
export function renderDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage()],
  ]);
}

/** The pages that are missing or are not what the tables say. */
export async function staleDocs(): Promise<string[]> {
  const stale = await Promise.all(
    [...renderDocs()].map(async ([path, text]) => {
      const current = await readFile(path, 'utf8').catch(() => undefined);
      return current === text ? [] : [path];
    }),
  );
  return stale.flat();
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleDocs();
    for (const path of stale) console.error(`${path} is out of date. Run: npm run docs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    for (const [path, text] of renderDocs()) {
      await writeFile(path, text);
      console.log(`wrote ${path}`);
    }
  }
}
