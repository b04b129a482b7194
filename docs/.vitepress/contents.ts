/** What stands where in the sidebar. A page of docs/ that stands nowhere fails a test. */

import { globSync, readFileSync } from 'node:fs';

interface Chapter {
  readonly title: string;
  /** Pages in their order, without `.md`; `guide/*` is every page of that folder that has no place of its own. */
  readonly pages: readonly string[];
  readonly collapsed?: boolean;
}

const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Guide',
    pages: [
      'guide/quick-start',
      'guide/installing',
      'guide/embedded',
      'guide/service',
      'guide/postgresql',
      'guide/redis',
      'guide/qdrant',
      'guide/mcp',
      'guide/ai-sdk',
      'guide/effect',
      'guide/langgraph',
      'guide/multi-agent-plans',
      'guide/security',
      'guide/backup',
      'guide/upgrading',
      'guide/*',
    ],
  },
  { title: 'Concepts', pages: ['concepts/index', 'concepts/*'], collapsed: true },
  {
    title: 'Remembering and recalling',
    pages: [
      'recall',
      'recall-bench',
      'receipts',
      'as-of',
      'languages',
      'reranking',
      'embeddings',
      'turn-context',
      'trust',
      'extraction',
      'facts',
      'knowledge',
    ],
  },
  {
    title: 'Working together',
    pages: ['tiers', 'pools', 'contexts', 'events', 'concurrency', 'durability'],
  },
  {
    title: 'Doors',
    pages: ['mcp', 'mcp-knowledge-graph', 'tools', 'ai-sdk', 'langgraph', 'effect', 'openspec', 'providers'],
  },
  {
    title: 'Running it',
    pages: [
      'deployment',
      'upgrading',
      'authentication',
      'limits',
      'encryption',
      'audit',
      'backup',
      'doctor',
      'postgres',
      'redis',
      'qdrant',
      'copying',
      'bundle',
      'importing',
      'reindexing',
      'inspector',
      'inspection',
      'lifecycle',
      'maintenance',
      'observability',
    ],
  },
  {
    title: 'Reference',
    pages: ['reference/library', 'reference/cli', 'reference/mcp', 'configuration', 'errors'],
  },
  { title: 'HTTP', pages: ['reference/http/index', 'reference/http/*'], collapsed: true },
  { title: 'How it compares', pages: ['benchmarks', 'comparison'] },
  { title: 'Decisions', pages: ['adr/*'], collapsed: true },
];

/** Along the top of every page. */
export const NAVIGATION: { text: string; link: string; activeMatch?: string }[] = [
  { text: 'Quick start', link: '/guide/quick-start', activeMatch: '^/guide/' },
  { text: 'Concepts', link: '/concepts/', activeMatch: '^/concepts/' },
  { text: 'Reference', link: '/reference/http/', activeMatch: '^/(reference/|configuration|errors)' },
  { text: 'Benchmarks', link: '/benchmarks' },
];

/** The front page is reached by the name of the site. */
const FRONT_PAGE = 'index';

export interface ContentsItem {
  readonly text: string;
  readonly link: string;
}

export interface ContentsChapter {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: ContentsItem[];
}

/** Every page of the folder, without `.md`. */
export function pagesOf(folder: string): string[] {
  return globSync('**/*.md', { cwd: folder, exclude: (name) => name === '.vitepress' || name === 'public' })
    .map((path) => path.replaceAll('\\', '/').replace(/\.md$/, ''))
    .toSorted();
}

/** Pages that stand in no chapter. */
export function unplacedPages(folder: string): string[] {
  const placed = new Set(contentsOf(folder).flatMap(({ items }) => items.map(({ link }) => link)));
  return pagesOf(folder).filter((page) => page !== FRONT_PAGE && !placed.has(linkOf(page)));
}

/** The sidebar. Chapters of which no page is written are left out. */
export function contentsOf(folder: string): ContentsChapter[] {
  const all = pagesOf(folder);
  const named = new Set(CHAPTERS.flatMap(({ pages }) => pages));
  const within = (entry: string): string[] =>
    entry.endsWith('/*')
      ? all.filter((page) => !named.has(page) && page.slice(0, page.lastIndexOf('/') + 1) === entry.slice(0, -1))
      : all.filter((page) => page === entry);
  return CHAPTERS.map(({ title, pages, collapsed = false }) => ({
    text: title,
    collapsed,
    items: pages.flatMap(within).map((page) => ({ text: titleOf(folder, page), link: linkOf(page) })),
  })).filter(({ items }) => items.length > 0);
}

function linkOf(page: string): string {
  return `/${page.replace(/(^|\/)index$/, '$1')}`;
}

/** Its first heading, without marks of code. */
function titleOf(folder: string, page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(`${folder}/${page}.md`, 'utf8'))?.[1];
  return (heading ?? page).replaceAll('`', '');
}
