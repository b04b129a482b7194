/** Links hold: every file and every heading that a page of this repository names is there. */

import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { contentsOf, NAVIGATION, pagesOf, unplacedPages } from '../docs/.vitepress/contents.ts';
import { anchorsOf, linksOf, markdownPages, type Page } from './markdown-pages.ts';

const pages = markdownPages();
const byPath = new Map(pages.map((page) => [page.path, page]));
const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));

/** What is wrong with a link, or undefined. */
function problemOf({ path }: Page, target: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return URL.canParse(target) ? undefined : 'is no address';
  const [file = '', anchor] = target.split('#', 2);
  const found = file === '' ? path : fileOf(path, file);
  if (found === undefined) return 'leads nowhere';
  if (anchor === undefined || !byPath.has(found)) return undefined;
  return anchors.get(found)?.has(decodeURIComponent(anchor)) ? undefined : 'names no heading of that page';
}

/** A path from the root of the site may leave out `.md`, and be a file of its public folder. */
function fileOf(from: string, file: string): string | undefined {
  if (!file.startsWith('/')) return [posix.join(posix.dirname(from), file)].find(existsSync);
  const page = `docs${file}`;
  const candidates = [`docs/public${file}`, `${page}.md`, posix.join(page, 'index.md'), page];
  return candidates.find((path) => existsSync(path) && statSync(path).isFile());
}

it('finds the pages, their links and their headings', () => {
  expect(pages.length).toBeGreaterThan(80);
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(500);
  expect(anchors.get('README.md')).toContain('who-may-see-what');
});

it('leads somewhere with every link of every page', () => {
  const dead = pages.flatMap((page) =>
    linksOf(page).flatMap(({ target, line }) => {
      const problem = problemOf(page, target);
      return problem === undefined ? [] : [`${page.path}:${line}: ${target} ${problem}`];
    }),
  );
  expect(dead).toEqual([]);
});

it('says when a link is dead', () => {
  const page: Page = { path: 'docs/mcp.md', text: '' };
  expect(problemOf(page, 'tools.md')).toBeUndefined();
  expect(problemOf(page, '/tools')).toBeUndefined();
  expect(problemOf(page, '../README.md#sixty-seconds')).toBeUndefined();
  expect(problemOf(page, 'nowhere.md')).toBe('leads nowhere');
  expect(problemOf(page, '../README.md#nowhere')).toBe('names no heading of that page');
  expect(problemOf(page, 'https://')).toBe('is no address');
});

it('can reach every page of docs/ from the sidebar (docs/.vitepress/contents.ts says where it stands)', () => {
  expect(unplacedPages('docs')).toEqual([]);
  const links = contentsOf('docs').flatMap(({ items }) => items.map(({ link }) => link));
  expect(new Set(links).size).toBe(links.length);
  expect(links.length).toBe(pagesOf('docs').length - 1);
  expect(NAVIGATION.filter(({ link }) => !links.includes(link))).toEqual([]);
});

it('has titles in the sidebar, not names of files', () => {
  const items = contentsOf('docs').flatMap((chapter) => chapter.items);
  expect(items.filter(({ text, link }) => link.endsWith(text))).toEqual([]);
});
