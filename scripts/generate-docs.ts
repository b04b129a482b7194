/**
 * Writes the pages of docs/ that are read from tables in the source: `node scripts/generate-docs.ts`.
 * With `--check` it writes nothing and fails when a page is not what the tables say.
 */

import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cliPage } from './docs/cli-page.ts';
import { configurationPage } from './docs/configuration-page.ts';
import { errorsPage } from './docs/errors-page.ts';
import { httpPages } from './docs/http-pages.ts';
import { libraryPage } from './docs/library-page.ts';
import { mcpPage } from './docs/mcp-page.ts';

/** Every generated page: its path and its text. */
export async function renderDocs(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage()],
    ['docs/reference/cli.md', cliPage()],
    ['docs/reference/library.md', libraryPage()],
    ['docs/reference/mcp.md', await mcpPage()],
    ...httpPages(),
  ]);
}

/** The pages that are missing, are not what the tables say, or are no longer written. */
export async function staleDocs(): Promise<string[]> {
  const pages = await renderDocs();
  const stale = await Promise.all(
    [...pages].map(async ([path, text]) => {
      const current = await readFile(path, 'utf8').catch(() => undefined);
      return current === text ? [] : [path];
    }),
  );
  return [...stale.flat(), ...abandoned(pages)];
}

/** Everything in the folder of the reference is written by this. */
function abandoned(pages: ReadonlyMap<string, string>): string[] {
  return globSync('docs/reference/**/*.md')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !pages.has(path));
}

async function writeDocs(): Promise<void> {
  const pages = await renderDocs();
  for (const [path, text] of pages) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  for (const path of abandoned(pages)) await rm(path);
  console.log(`Wrote ${pages.size} pages.`);
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleDocs();
    for (const path of stale) console.error(`${path} is out of date. Run: npm run docs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    await writeDocs();
  }
}
