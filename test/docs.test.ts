/** The pages that are written from tables say what the tables say. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderDocs, staleDocs } from '../scripts/generate-docs.ts';
import { SETTING_KEYS, SETTINGS } from '../src/compose/settings.ts';
import { ERROR_TABLE } from '../src/domain/error.ts';

/** The code words that open the rows of a page's tables. */
function firstCells(page: string): string[] {
  return [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].flatMap(([, name]) => name ?? []);
}

describe('generated pages', () => {
  it('are up to date (npm run docs writes them)', async () => {
    expect(renderDocs().size).toBeGreaterThan(0);
    expect(await staleDocs()).toEqual([]);
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
});
