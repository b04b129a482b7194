/** A folder of Markdown notes, such as an Obsidian vault: a memory for each section. */

import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { LaminaError } from '../../domain/error.ts';
import { listIn, readFrontMatter, wordIn, type FrontMatter } from '../front-matter.ts';
import { pathsIn } from '../knowledge-folder.ts';
import type { ImportDraft, ImportFormat, Telling } from './import-format.ts';
import { isFolder } from './json-values.ts';
import { mentionsIn, sectionsOf } from './markdown-sections.ts';
import { timeIn } from './source-fields.ts';

const MARKDOWN = /\.(md|markdown)$/i;

export const markdownFormat: ImportFormat = {
  name: 'markdown',
  title: 'Markdown and Obsidian',
  reads: 'a folder of Markdown, or one file',
  detect: ({ hasMarkdown }) => hasMarkdown,
  async *drafts(path, telling) {
    const { folder, paths } = await notesAt(path);
    const vault = basename(folder);
    for (const note of paths) yield* draftsOf(vault, note, await readFile(join(folder, note)), telling);
  },
};

/** Throws `NOT_FOUND` where there are none. */
async function notesAt(path: string): Promise<{ folder: string; paths: string[] }> {
  const whole = resolve(path);
  if (!(await isFolder(whole))) return { folder: dirname(whole), paths: [basename(whole)] };
  const paths = (await pathsIn(whole)).toSorted();
  if (paths.length === 0) throw new LaminaError('NOT_FOUND', `There is no Markdown in "${path}".`);
  return { folder: whole, paths };
}

function* draftsOf(vault: string, path: string, bytes: Buffer, telling: Telling): Generator<ImportDraft, void> {
  const matter = readFrontMatter(bytes.toString('utf8'));
  const sections = sectionsOf(matter.body);
  if (sections.length === 0) telling.leftOut('notes without text');
  const title = wordIn(matter, 'title') ?? basename(path).replace(MARKDOWN, '');
  const frontMatter = fieldsOf(matter);
  const seen = new Map<string, number>();
  for (const { headings, text } of sections) {
    const name = headings.join(' > ');
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const { links, embedded, tags } = mentionsIn(text);
    if (embedded.length > 0) telling.leftOut('embedded files', embedded.length);
    yield {
      id: `${vault}/${path}${name === '' ? '' : `#${name}`}${times > 1 ? `~${times}` : ''}`,
      where: name === '' ? path : `${path}, "${name}"`,
      kind: 'semantic',
      // Alone it would not say what it is about.
      content: headings.includes(title) ? text : `${title}\n\n${text}`,
      metadata: {
        path,
        title,
        ...(headings.length > 0 && { headings }),
        ...(links.length > 0 && { links }),
        ...(Object.keys(frontMatter).length > 0 && { frontMatter }),
      },
      tags: [...listIn(matter, 'tags').map((tag) => tag.replace(/^#/, '')), ...tags],
      validFrom: timeIn(Object.fromEntries(matter.fields), 'created', 'date'),
    };
  }
}

/** Without those that have a place of their own. */
function fieldsOf({ fields }: FrontMatter): Record<string, unknown> {
  return Object.fromEntries([...fields].filter(([key]) => !['title', 'tags'].includes(key)));
}
