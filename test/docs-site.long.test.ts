/** The site builds, has every page, and asks nothing of any other host. */

import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pagesOf } from '../docs/.vitepress/contents.ts';
import { mustRun } from '../scripts/run-command.ts';

const BUILDING_MS = 300_000;

let folder: string;

// A link to a page that is not there fails the build.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lamina-site-'));
  await mustRun('vitepress', ['build', 'docs', '--outDir', folder]);
}, BUILDING_MS);

afterAll(() => rmSync(folder, { recursive: true }));

it('has every page', () => {
  const built = globSync('**/*.html', { cwd: folder }).map((path) => path.replaceAll('\\', '/').replace(/\.html$/, ''));
  expect(built).toEqual(expect.arrayContaining(pagesOf('docs')));
});

it('can be searched', () => {
  const indexes = globSync('assets/chunks/@localSearchIndex*.js', { cwd: folder });
  expect(indexes).toHaveLength(1);
  expect(readFileSync(join(folder, indexes[0] ?? ''), 'utf8')).toContain('turn-context');
});

it('loads nothing from elsewhere, and shows no marks of the tests', () => {
  const wrong = globSync('**/*.html', { cwd: folder }).flatMap((path) => {
    const html = readFileSync(join(folder, path), 'utf8');
    const loaded = html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g);
    const marks = html.match(/no-run:|<!-- /g) ?? [];
    return [...[...loaded].map(([, target]) => target), ...marks].map((found) => `${path}: ${found}`);
  });
  expect(wrong).toEqual([]);
  for (const path of globSync('**/*.css', { cwd: folder })) {
    expect(readFileSync(join(folder, path), 'utf8')).not.toMatch(/url\(["']?(https?:)?\/\//);
  }
});
