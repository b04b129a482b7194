/** Episodic memory: what happened between a user and an agent. */

import { DEFAULT_PAGE_SIZE } from '../../domain/browse.ts';
import type {
  EpisodicLogInput,
  EpisodicLogOutput,
  EpisodicRecentInput,
  EpisodicRecentOutput,
  EpisodicSearchInput,
  EpisodicSearchOutput,
} from '../../domain/episodic.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { agentIdentifiers, agentReach } from '../agent-reach.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { recall } from '../recall/recall.ts';
import { addOne } from '../remember/add.ts';
import { conditionsOf, episodeOf, occurredAt } from './episode.ts';

export interface Episodic {
  /** Every call is an occurrence of its own, unless it brings the id of one that is there. */
  log(principal: Principal, input: EpisodicLogInput): Promise<EpisodicLogOutput>;
  /** Latest first, by when it happened. */
  recent(principal: Principal, input: EpisodicRecentInput): Promise<EpisodicRecentOutput>;
  search(principal: Principal, input: EpisodicSearchInput): Promise<EpisodicSearchOutput>;
}

export function createEpisodic(dependencies: Dependencies): Episodic {
  return {
    log: (principal, input) => log(dependencies, principal, input),
    recent: (principal, input) => recent(dependencies, principal, input),
    search: (principal, input) => search(dependencies, principal, input),
  };
}

async function log(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, sessionId, occurredAt: validFrom, ...writing }: EpisodicLogInput,
): Promise<EpisodicLogOutput> {
  const identifiers = { ...agentIdentifiers(principal, agentId), ...(sessionId !== undefined && { sessionId }) };
  const { memory, status, quarantined } = await addOne(dependencies, principal, {
    ...writing,
    kind: 'episodic',
    layer: 'agent',
    identifiers,
    ...(validFrom !== undefined && { validFrom }),
  });
  return { status, ...(quarantined && { quarantined }), ...episodeOf(memory) };
}

async function recent(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, cursor, limit = DEFAULT_PAGE_SIZE, ...which }: EpisodicRecentInput,
): Promise<EpisodicRecentOutput> {
  const conditions = conditionsOf(which);
  const selection = { ...conditions, partitions: await agentReach(dependencies, principal, agentId, 'episodic') };
  const { items, nextCursor } = await pageOf<Entry>({
    list: { kind: 'episodic', ...agentIdentifiers(principal, agentId), ...conditions },
    cursor,
    limit,
    placeOf: (entry) => ({ at: Date.parse(occurredAt(entry)), id: entry.id }),
    read: (count, after) =>
      dependencies.entries.timeline(principal, selection, count, after && { since: after.at, id: after.id }),
  });
  return { episodes: items.map(episodeOf), count: items.length, nextCursor };
}

async function search(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, sessionId, role, from, to, ...question }: EpisodicSearchInput,
): Promise<EpisodicSearchOutput> {
  const conditions = conditionsOf({ sessionId, role, from, to });
  const partitions = await agentReach(dependencies, principal, agentId, 'episodic');
  const asked = { ...question, rank: 'relevance' } as const;
  const found = await recall(dependencies, principal, { ...conditions, partitions }, asked);
  const results = found.results.map(({ memory, score, similarity, signals }) => ({
    ...episodeOf(memory),
    score,
    similarity,
    signals,
  }));
  return { results, count: results.length, ...(found.warnings.length > 0 && { warnings: found.warnings }) };
}
