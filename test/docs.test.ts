/** The pages that are written from tables say what the tables say. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderDocs, staleDocs } from '../scripts/generate-docs.ts';
import type { Command } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { EXIT_CODES } from '../src/cli/exit-code.ts';
import { SETTING_KEYS, SETTINGS } from '../src/compose/settings.ts';
import { ERROR_TABLE } from '../src/domain/error.ts';
import { DEFAULT_TOOL_SETS } from '../src/mcp/tool-set-names.ts';
import { offeredTools } from '../src/mcp/tool-sets.ts';
import { OPERATIONS } from '../src/operations/table.ts';
import { markdownPages } from './markdown-pages.ts';

/** The code words that open the rows of a page's tables. */
function firstCells(page: string): string[] {
  return [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].flatMap(([, name]) => name ?? []);
}

describe('generated pages', () => {
  it('are up to date (npm run docs writes them)', async () => {
    expect((await renderDocs()).size).toBeGreaterThan(30);
    expect(await staleDocs()).toEqual([]);
  });

  it('are bold where the descriptions are, and show no asterisks for it', () => {
    const page = readFileSync('docs/reference/http/semantic-memory.md', 'utf8');
    expect(page).toContain('**everyone in the tenant can read and change it**');
    expect(page).not.toContain(String.raw`\*`);
  });

  it('list exactly the errors that there are, with status and whether a retry helps', () => {
    const page = readFileSync('docs/errors.md', 'utf8');
    expect(firstCells(page)).toEqual(Object.keys(ERROR_TABLE));
    for (const [code, { status, retryable }] of Object.entries(ERROR_TABLE)) {
      expect(page).toContain(`| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} |`);
    }
  });

  it('list exactly the variables that there are', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    expect(firstCells(page)).toEqual(SETTING_KEYS.map((key) => SETTINGS[key].variable));
  });

  it('have a heading for every operation over HTTP, and a row for each in the library', () => {
    const http = markdownPages(['docs/reference/http/*.md']).map(({ text }) => text);
    const headings = [...http.join('\n').matchAll(/^## `([\w.]+)`$/gm)].map(([, name = '']) => name);
    expect(headings.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
    const library = readFileSync('docs/reference/library.md', 'utf8');
    const methods = [...library.matchAll(/^\| \[`memory\.([\w.]+)`\]/gm)].map(([, name]) => name);
    expect(methods).toEqual(headingsInOrder());
  });

  it('have a heading for every command, with its flags, and all exit codes', () => {
    const page = readFileSync('docs/reference/cli.md', 'utf8');
    const headings = [...page.matchAll(/^##+ `lamina ([\w -]+)`$/gm)].map(([, path]) => path);
    expect(headings).toEqual(COMMANDS.flatMap((command) => pathsOf(command, '')));
    for (const { name } of COMMANDS.flatMap(({ flags }) => flags)) expect(page).toContain(`| \`--${name}`);
    for (const { code, meaning } of Object.values(EXIT_CODES)) expect(page).toContain(`| ${code} | ${meaning} |`);
  });

  it('have a heading for every tool that an MCP client is offered', () => {
    const page = readFileSync('docs/reference/mcp.md', 'utf8');
    for (const { name } of offeredTools(DEFAULT_TOOL_SETS)) expect(page).toContain(`### \`${name}\`\n`);
    for (const { name } of offeredTools(['operations'])) expect(page).toContain(`| \`${name}\` |`);
    expect(page).toContain('`memory://layers/{layer}`');
    expect(page).toContain('### `turn-context`');
  });
});

/** Groups as they first come, each with its operations in the order of the table. */
function headingsInOrder(): string[] {
  const all = Object.entries(OPERATIONS);
  const groups = [...new Set(all.map(([, { group }]) => group))];
  return groups.flatMap((group) => all.filter(([, row]) => row.group === group).map(([name]) => name));
}

function pathsOf({ name, commands = [] }: Command, above: string): string[] {
  const path = `${above}${name}`;
  return [path, ...commands.flatMap((each) => pathsOf(each, `${path} `))];
}
