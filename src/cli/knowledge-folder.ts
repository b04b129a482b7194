/** A folder of Markdown as items of knowledge: what each file says of itself, else what its path says. */

import { readdir, readFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import { KNOWLEDGE_TYPES } from '../domain/kind.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import type { OperationInput } from '../operations/table.ts';
import { listIn, readFrontMatter, wordIn, type FrontMatter } from './front-matter.ts';

type Item = OperationInput<'knowledge.sync'>['items'][number];
export type KnowledgeType = Item['sourceType'];

/** Folders that are nobody's documents. */
const SKIPPED = new Set(['node_modules']);
const MARKDOWN = /\.(md|markdown)$/i;

/** Parts of a path that tell what lies there. */
const BY_NAME: Readonly<Record<KnowledgeType, RegExp>> = {
  adr: /^(adrs?|decisions?)([-_. ]|$)/i,
  policy: /^(policy|policies)([-_. ]|$)/i,
  pattern: /^patterns?([-_. ]|$)/i,
  spec: /^(specs?|specifications?)([-_. ]|$)/i,
};

export interface KnowledgeFolder {
  readonly items: Item[];
  /** Files in which there is nothing but front matter. */
  readonly empty: string[];
}

/** In the order of their paths. Throws `NOT_FOUND` where there is no such folder, or no Markdown in it. */
export async function readKnowledgeFolder(folder: string, fallback: KnowledgeType): Promise<KnowledgeFolder> {
  const paths = (await pathsIn(folder)).toSorted();
  // To take a wrong folder for an empty set would orphan all of it.
  if (paths.length === 0) throw new LaminaError('NOT_FOUND', `There is no Markdown in "${folder}".`);
  const items: Item[] = [];
  const empty: string[] = [];
  for (const path of paths) {
    const parts = itemsOf(path, await readFile(join(folder, path), 'utf8'), fallback);
    if (parts.length === 0) empty.push(path);
    items.push(...parts);
  }
  return { items, empty };
}

/** With `/` between their parts on every machine. Links are not followed. */
export async function pathsIn(folder: string): Promise<string[]> {
  let files;
  try {
    files = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `The folder "${folder}" cannot be read.`, { cause });
  }
  return files
    .filter((file) => file.isFile() && MARKDOWN.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(join(folder, sep).length))
    .map((path) => path.split(sep).join(posix.sep))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.') || SKIPPED.has(part)));
}

/** One item, or several where the text is longer than an entry may be; none where there is no text. */
export function itemsOf(path: string, text: string, fallback: KnowledgeType): Item[] {
  const matter = readFrontMatter(text);
  const content = matter.body.trim();
  if (content === '') return [];
  const sourceId = wordIn(matter, 'id', 'source_id', 'sourceid') ?? path.replace(MARKDOWN, '');
  const item = {
    sourceType: typeOf(path, matter, fallback),
    title: wordIn(matter, 'title') ?? titleIn(content) ?? posix.basename(path).replace(MARKDOWN, ''),
    tags: listIn(matter, 'tags'),
    metadata: { path },
  };
  return partsOf(content, DEFAULT_LIMITS.contentLength).map((part, at) => ({
    ...item,
    sourceId: at === 0 ? sourceId : `${sourceId}#${at + 1}`,
    content: part,
  }));
}

function typeOf(path: string, matter: FrontMatter, fallback: KnowledgeType): KnowledgeType {
  const said = wordIn(matter, 'type', 'source_type', 'sourcetype')?.toLowerCase();
  const known = KNOWLEDGE_TYPES.find((type) => type === said);
  if (known !== undefined) return known;
  // The nearest part says most.
  for (const part of path.split('/').toReversed()) {
    const type = KNOWLEDGE_TYPES.find((each) => BY_NAME[each].test(part));
    if (type !== undefined) return type;
  }
  return fallback;
}

function titleIn(content: string): string | undefined {
  return /^#[ \t]+(.+?)[ \t]*#*$/m.exec(content)?.[1]?.trim().slice(0, 1024);
}

/** Cut before a heading where there is one in the last half, else between paragraphs, else wherever. */
export function partsOf(content: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = content;
  while (rest.length > limit) {
    const head = rest.slice(0, limit);
    const cut = [head.lastIndexOf('\n#'), head.lastIndexOf('\n\n')].find((at) => at > limit / 2) ?? wholeUnits(head);
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...parts, rest].filter((part) => part !== '');
}

/** Not in the middle of a character. */
function wholeUnits(head: string): number {
  return head.isWellFormed() ? head.length : head.length - 1;
}
