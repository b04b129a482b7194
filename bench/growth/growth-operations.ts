/** What is asked at every size. */

import type { Memory } from '../../src/operations/memory.ts';
import type { GrowthTarget } from './population.ts';

const RESULTS = 10;
const PAGE = 50;
const EPISODES = 20;

export interface GrowthOperation {
  readonly name: string;
  /** It looks at one user's own memories, of which there are as many at every size. */
  readonly isScoped: boolean;
  readonly ask: (memory: Memory, target: GrowthTarget) => Promise<unknown>;
  /** How many times as many rounds as the others, where one answer takes microseconds. */
  readonly rounds?: number;
}

type Mode = 'hybrid' | 'keyword' | 'semantic';

/** Without a threshold, so that each search finds its ten and has to fetch them. */
const FIND = { limit: RESULTS, threshold: 0 };

function searchAll(mode: Mode): GrowthOperation['ask'] {
  return (memory, { sharedQuery: query }) => memory.search({ ...FIND, query, mode, rank: 'relevance' });
}

export const FIRST_SEARCH: GrowthOperation = {
  name: "search, a user's first",
  isScoped: true,
  ask: (memory, { query }) => memory.search({ ...FIND, query, layers: ['agent', 'user'] }),
};

export const READS: readonly GrowthOperation[] = [
  { ...FIRST_SEARCH, name: 'search, own memories' },
  { name: 'search, own and shared', isScoped: false, ask: searchAll('hybrid') },
  { name: 'own and shared, by words', isScoped: false, ask: searchAll('keyword') },
  { name: 'own and shared, by meaning', isScoped: false, ask: searchAll('semantic') },
  {
    name: `list, page of ${PAGE}`,
    isScoped: true,
    ask: (memory) => memory.list({ layer: 'user', limit: PAGE }),
  },
  {
    name: `recent, ${EPISODES} episodes`,
    isScoped: true,
    ask: (memory) => memory.episodic.recent({ limit: EPISODES }),
  },
  { name: 'get', isScoped: true, ask: (memory, { id }) => memory.get({ id }), rounds: 4 },
];

export const ADD = { name: 'add', isScoped: true } as const;
