/** The pages: their place in the sidebar, their address and their key. A page owns all that is under its address. */

import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import { ROOT } from './location.ts';

export interface PageProps {
  /** What follows the page's own address, decoded: `/inspect/entries/ID` gives `['ID']`. */
  readonly rest: readonly string[];
}

export interface PageRoute {
  readonly id: string;
  readonly title: string;
  /** For the bar at the bottom of a phone. */
  readonly shortTitle?: string;
  readonly path: string;
  /** Pressed after `g`. */
  readonly key: string;
  readonly icon: IconName;
  /** Absent from the sidebar; the page of this id is marked instead. */
  readonly under?: string;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
}

export const PAGES: readonly PageRoute[] = [
  {
    id: 'search',
    title: 'Search',
    path: `${ROOT}/search`,
    key: 's',
    icon: 'search',
    load: () => import('../pages/search/search-page.tsx'),
  },
  {
    id: 'browse',
    title: 'Browse',
    path: `${ROOT}/browse`,
    key: 'b',
    icon: 'list',
    load: () => import('../pages/browse/browse-page.tsx'),
  },
  {
    id: 'turn',
    title: 'Turn',
    path: `${ROOT}/turn`,
    key: 't',
    icon: 'message',
    load: () => import('../pages/turn/turn-page.tsx'),
  },
  {
    id: 'agents',
    title: 'Agents',
    path: `${ROOT}/agents`,
    key: 'a',
    icon: 'agents',
    load: () => import('../pages/agents/agents-page.tsx'),
  },
  {
    id: 'facts',
    title: 'Facts',
    path: `${ROOT}/facts`,
    key: 'f',
    icon: 'graph',
    load: () => import('../pages/facts/facts-page.tsx'),
  },
  {
    id: 'operations',
    title: 'Operations',
    shortTitle: 'Ops',
    path: `${ROOT}/operations`,
    key: 'o',
    icon: 'pulse',
    load: () => import('../pages/operations/operations-page.tsx'),
  },
  {
    id: 'map',
    title: 'Map',
    path: `${ROOT}/map`,
    key: 'm',
    icon: 'map',
    load: () => import('../pages/map/map-page.tsx'),
  },
  {
    id: 'entry',
    title: 'Memory',
    path: `${ROOT}/entries`,
    key: '',
    icon: 'list',
    under: 'browse',
    load: () => import('../pages/entry/entry-page.tsx'),
  },
];

export interface Route {
  readonly page: PageRoute;
  readonly rest: readonly string[];
}

/** The page of an address; undefined where there is none. */
export function routeOf(path: string): Route | undefined {
  for (const page of PAGES) {
    if (path === page.path) return { page, rest: [] };
    if (path.startsWith(`${page.path}/`)) return { page, rest: segments(path.slice(page.path.length + 1)) };
  }
  return undefined;
}

function segments(text: string): string[] {
  return text
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
}

/** The address of a memory's own page. */
export function entryHref(id: string): string {
  return `${ROOT}/entries/${encodeURIComponent(id)}`;
}
