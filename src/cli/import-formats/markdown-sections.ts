/** A Markdown note as sections under its headings, with what Obsidian writes into it: links, embedded files, tags. Pure. */

interface Section {
  /** From the outermost to its own; empty before the first heading. */
  readonly headings: readonly string[];
  /** With the headings, so that it can be read alone. */
  readonly text: string;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*`/g;
const WIKILINK = /(!?)\[\[([^\]|#\n]*)(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\]/g;
const TAG = /(?<=^|\s)#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)/gu;

/** Those without a text of their own are left out: their headings stand with what is below them. */
export function sectionsOf(body: string): Section[] {
  const sections: Section[] = [];
  let headings: { readonly level: number; readonly title: string }[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    const text = lines.join('\n').trim();
    const titles = headings.map(({ level, title }) => `${'#'.repeat(level)} ${title}`);
    if (text !== '')
      sections.push({ headings: headings.map(({ title }) => title), text: [...titles, text].join('\n') });
    lines = [];
  };
  for (const line of body.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const [, marks, title] = (fence === undefined && HEADING.exec(line)) || [];
    if (marks === undefined || title === undefined || title === '') lines.push(line);
    else {
      close();
      headings = [...headings.filter(({ level }) => level < marks.length), { level: marks.length, title }];
    }
  }
  close();
  return sections;
}

interface Mentions {
  /** Notes that it links to. */
  readonly links: readonly string[];
  /** Files that are shown in it. */
  readonly embedded: readonly string[];
  readonly tags: readonly string[];
}

/** Each once. What stands in code is none. */
export function mentionsIn(text: string): Mentions {
  const prose = text.replace(CODE, ' ');
  const links = [...prose.matchAll(WIKILINK)].map(([, bang, name = '']) => ({
    isEmbedded: bang === '!',
    name: name.trim(),
  }));
  const isFile = ({ isEmbedded, name }: { isEmbedded: boolean; name: string }): boolean =>
    isEmbedded && /\.(?!md$)\w+$/i.test(name);
  const named = links.filter(({ name }) => name !== '');
  return {
    links: [...new Set(named.filter((link) => !isFile(link)).map(({ name }) => name))],
    embedded: [...new Set(named.filter(isFile).map(({ name }) => name))],
    tags: [...new Set([...prose.matchAll(TAG)].map(([, tag = '']) => tag))],
  };
}
