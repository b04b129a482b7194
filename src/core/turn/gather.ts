/** Gathering what may go into a prompt: four parts of memory, all at once, each of which may fail for itself. */

import type { Sensitivity } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchInput, SearchResult } from '../../domain/recall.ts';
import type { Identifiers, Layer } from '../../domain/scope.ts';
import { MAX_WORKING_KEYS, type TurnContextInput } from '../../domain/turn.ts';
import { agentReach } from '../agent-reach.ts';
import type { Dependencies } from '../dependencies.ts';
import { conditionsOf } from '../episodic/episode.ts';
import { recall } from '../recall/recall.ts';
import { search } from '../recall/search.ts';
import { createWorking } from '../working/working.ts';
import { recalledCandidate, turnCandidate, valueCandidate } from './candidate.ts';
import { NOTHING, partOf, type Part } from './part.ts';
import { isWithin } from './sensitivity.ts';
import { isSame } from './same-text.ts';

/** What is asked of memory for a turn. */
export interface TurnQuestion extends Pick<TurnContextInput, 'message' | 'layers' | 'working'> {
  readonly query: string;
  readonly whose: Identifiers;
  readonly limit: number;
  readonly threshold: number;
  readonly procedureThreshold: number;
  readonly recentTurns: number;
  readonly procedures: boolean;
  readonly maxSensitivity: Sensitivity;
}

/** Candidates of all parts, of each the most relevant first. Throws what is wrong with the question itself. */
export async function gather(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { procedures, recentTurns, working } = question;
  const parts = await Promise.all([
    partOf('Memories', () => memories(dependencies, principal, question)),
    procedures ? partOf('Procedures', () => applying(dependencies, principal, question)) : NOTHING,
    working ? partOf('Working memory', () => values(dependencies, principal, working)) : NOTHING,
    recentTurns > 0 ? partOf('Recent turns', () => turns(dependencies, principal, question)) : NOTHING,
  ]);
  return {
    candidates: parts.flatMap(({ candidates }) => candidates),
    absent: parts.flatMap(({ absent }) => absent),
    beyondLimit: parts.reduce((sum, { beyondLimit }) => sum + beyondLimit, 0),
    layers: parts.flatMap(({ layers }) => layers),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
    isDegraded: parts.some(({ isDegraded }) => isDegraded),
  };
}

async function memories(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { query, layers, whose: identifiers, threshold } = question;
  const asked: SearchInput = { query, kinds: ['semantic'], layers, identifiers, threshold, rank: 'relevance' };
  let searched: readonly Layer[] = [];
  const part = await recalled('memory', question, async (limit) => {
    const { results, totalCount, searchedLayers, warnings } = await search(dependencies, principal, {
      ...asked,
      limit,
    });
    searched = searchedLayers;
    return { results, total: totalCount, warnings: warnings ?? [] };
  });
  return { ...part, layers: searched };
}

async function applying(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { query, whose, procedureThreshold: threshold } = question;
  const partitions = await agentReach(dependencies, principal, whose.agentId, 'procedural');
  return recalled('procedures', question, (limit) =>
    recall(dependencies, principal, { partitions }, { query, threshold, limit, rank: 'relevance' }),
  );
}

interface Answer {
  readonly results: readonly SearchResult[];
  readonly total: number;
  readonly warnings: readonly string[];
}

/** The most that a search gives. */
const MAX_RESULTS = 100;

/** What is too sensitive takes nobody's place: where something is, it is looked further, and then again no further. */
async function recalled(
  section: 'memory' | 'procedures',
  { limit, maxSensitivity }: TurnQuestion,
  ask: (limit: number) => Promise<Answer>,
): Promise<Part> {
  const mayGo = ({ memory }: SearchResult): boolean => isWithin(memory.sensitivity, maxSensitivity);
  const first = await ask(limit);
  const isFull = first.results.every(mayGo) || first.total <= first.results.length || limit >= MAX_RESULTS;
  const { results, total, warnings } = isFull ? first : await ask(MAX_RESULTS);
  const last = results.filter(mayGo)[limit - 1];
  const seen = last === undefined ? results : results.slice(0, results.indexOf(last) + 1);
  return {
    ...NOTHING,
    candidates: seen.map((result) => recalledCandidate(section, result)),
    beyondLimit: Math.max(0, total - seen.length),
    warnings,
    // A search warns when it could only be done by words, or not everywhere.
    isDegraded: warnings.length > 0,
  };
}

async function values(
  dependencies: Dependencies,
  principal: Principal,
  { planId, keys }: NonNullable<TurnContextInput['working']>,
): Promise<Part> {
  const working = createWorking(dependencies);
  if (keys === undefined) {
    const { items, nextCursor } = await working.list(principal, { planId, limit: MAX_WORKING_KEYS });
    const warnings = nextCursor === null ? [] : [`The plan has more than ${MAX_WORKING_KEYS} values: name their keys.`];
    return { ...NOTHING, candidates: items.map(({ key, value }) => valueCandidate(key, value)), warnings };
  }
  const distinct = [...new Set(keys)];
  const items = await Promise.all(distinct.map((key) => working.get(principal, { planId, key })));
  return {
    ...NOTHING,
    candidates: items.flatMap((item) => (item ? [valueCandidate(item.key, item.value)] : [])),
    absent: distinct.filter((_, at) => !items[at]),
  };
}

/** The latest first. One more than asked for, should the last one be the message, which was logged before its turn. */
async function turns(
  dependencies: Dependencies,
  principal: Principal,
  { whose, recentTurns, message }: TurnQuestion,
): Promise<Part> {
  const partitions = await agentReach(dependencies, principal, whose.agentId, 'episodic');
  const selection = { ...conditionsOf({ sessionId: whose.sessionId }), partitions };
  const found = await dependencies.entries.timeline(principal, selection, recentTurns + 1);
  const [latest] = found;
  const isLogged = latest !== undefined && (latest.role ?? 'user') === 'user' && isSame(latest.content, message);
  const meant = isLogged ? found : found.slice(0, recentTurns);
  return { ...NOTHING, candidates: meant.map((entry, at) => turnCandidate(entry, isLogged && at === 0)) };
}
