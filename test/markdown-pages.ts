/** The Markdown of this repository as its reader sees it: pages, headings, links and blocks of code. */

import { globSync, readFileSync } from 'node:fs';
import { headingSlug } from '../docs/.vitepress/heading-slug.ts';

export interface CodeBlock {
  readonly language: string;
  /** What follows the language on the fence: `no-run: reason`. The site does not show it. */
  readonly mark: string;
  readonly code: string;
  /** Of its fence, counted from one. */
  readonly line: number;
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Page {
  readonly path: string;
  readonly text: string;
}

const PLACES = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md'];

/** Every page, in the order of their paths. */
export function markdownPages(places: readonly string[] = PLACES): Page[] {
  const paths = places.flatMap((place) => globSync(place, { exclude: (name) => name === 'node_modules' }));
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Everything between fences, also in lists. */
export function blocksOf({ text }: Page): CodeBlock[] {
  const found = text.matchAll(/^( *)```(\S+)?(?: +(.*?))? *\n(.*?)^ *```$/gms);
  return [...found].map(({ 1: indent = '', 2: language = '', 3: mark = '', 4: code = '', index }) => ({
    language,
    mark,
    code: indent === '' ? code : code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    line: lineAt(text, index),
  }));
}

/** What a block stands upon that its reader has already: code in a comment before it, which the site does not show. */
export interface Given {
  readonly language: 'ts' | 'sh';
  readonly code: string;
  readonly line: number;
}

/** `<!-- given: … -->` for the next `ts` block that is wanted, `<!-- given sh: … -->` for the next `sh` block. */
export function givenOf({ text }: Page, wanted: readonly CodeBlock[], all: readonly CodeBlock[]): Given[] {
  return [...text.matchAll(/<!-- given( sh)?:(.*?)-->/gs)].flatMap(({ 1: shell, 2: code = '', index }) => {
    const line = lineAt(text, index);
    const language = shell === undefined ? 'ts' : 'sh';
    const next = all.find((block) => block.line > line && block.language === language);
    return next !== undefined && wanted.some((block) => block.line === next.line) ? [{ language, code, line }] : [];
  });
}

/** Links and pictures, outside of code; also those of the front page's header. */
export function linksOf(page: Page): Link[] {
  const prose = withoutCode(page.text);
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const named = prose.matchAll(/^ *\[[^\]]+\]: +(\S+)/gm);
  const html = prose.matchAll(/<(?:a|img|source)\b[^>]*?(?:href|src|srcset)="([^"]+)"/g);
  const header = /^---\n.*?\n---\n/s.exec(prose)?.[0].matchAll(/^[ -]*(?:link|src): (\S+)$/gm) ?? [];
  return [...inline, ...named, ...html, ...header].map(({ 1: target = '', index }) => ({
    target,
    line: lineAt(prose, index),
  }));
}

/** The anchors of a page's headings. The second of the same name has `-1`. */
export function anchorsOf({ text }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of blank(text, /^ *```.*?^ *```$/gms).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = headingSlug(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''));
    let anchor = slug;
    for (let more = 1; anchors.has(anchor); more += 1) anchor = `${slug}-${more}`;
    anchors.add(anchor);
  }
  return anchors;
}

function withoutCode(text: string): string {
  return blank(blank(text, /^ *```.*?^ *```$/gms), /`[^`\n]+`/g);
}

/** Lines stay where they are. */
function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match.replaceAll(/[^\n]/g, ' '));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
