/** Gathering what may go into a prompt: parts of memory, concurrently, each of which may fail independently. */

import { reachOf, type Partition } from '../../domain/access.ts';
import type { Sensitivity, Trust } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchInput } from '../../domain/recall.ts';
import type { Identifiers, Layer } from '../../domain/scope.ts';
import { isAtLeast, mostTrust, trustsFrom } from '../../domain/trust.ts';
import { MAX_WORKING_KEYS, type TurnContextInput, type TurnKind } from '../../domain/turn.ts';
import { agentReach } from '../agent-reach.ts';
import type { Dependencies } from '../dependencies.ts';
import { conditionsOf } from '../episodic/episode.ts';
import { recall } from '../recall/recall.ts';
import { search } from '../recall/search.ts';
import { scopesOf } from '../scoping.ts';
import { isSmallTalk } from '../text/small-talk.ts';
import { createWorking } from '../working/working.ts';
import { episodeCandidate, recalledCandidate, turnCandidate, valueCandidate, type TurnCandidate } from './candidate.ts';
import { namedFacts } from './named-facts.ts';
import { NOTHING, partOf, type Part } from './part.ts';
import { MAX_RESULTS, recalledPart } from './recalled-part.ts';
import { isSame } from './same-text.ts';

/** What is asked of memory for a turn. */
export interface TurnQuestion extends Pick<TurnContextInput, 'message' | 'layers' | 'working'> {
  readonly query: string;
  /** What the model already sees. */
  readonly seen: readonly string[];
  readonly whose: Identifiers;
  readonly limit: number;
  readonly kinds: readonly TurnKind[];
  readonly threshold: number;
  readonly episodeThreshold: number;
  readonly procedureThreshold: number;
  readonly recentTurns: number;
  readonly procedures: boolean;
  readonly facts: boolean;
  /** Now, in milliseconds. */
  readonly at: number;
  readonly maxSensitivity: Sensitivity;
  readonly minTrust: Trust;
  /** Inspection only: does not count as an access. */
  readonly preview: boolean;
}

/** Candidates of all parts, of each the most relevant first. Throws what is wrong with the question itself. */
export async function gather(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { procedures, recentTurns, working } = question;
  // Whoever only thanks or greets asks for nothing, and would be answered with what was said around such words.
  const isAsking = !isSmallTalk(question.query);
  const [kinds, facts] = isAsking ? [question.kinds, question.facts] : [[], false];
  // What is wrong with a question is wrong then too.
  if (!isAsking) scopesOf(question.whose, question.layers);
  const recent = recentTurns > 0 ? partOf('Recent turns', () => turns(dependencies, principal, question)) : NOTHING;
  const parts = await Promise.all([
    kinds.includes('semantic') ? partOf('Memories', () => memories(dependencies, principal, question)) : NOTHING,
    kinds.includes('episodic')
      ? partOf('Earlier turns', () => episodes(dependencies, principal, question, recent))
      : NOTHING,
    facts ? partOf('Facts', () => namedFacts(dependencies, principal, question)) : NOTHING,
    procedures ? partOf('Procedures', () => applying(dependencies, principal, question)) : NOTHING,
    working ? partOf('Working memory', () => values(dependencies, principal, working)) : NOTHING,
    recent,
  ]);
  return {
    candidates: parts.flatMap(({ candidates }) => candidates),
    distrusted: parts.flatMap(({ distrusted }) => distrusted),
    absent: parts.flatMap(({ absent }) => absent),
    beyondLimit: parts.reduce((sum, { beyondLimit }) => sum + beyondLimit, 0),
    layers: parts.flatMap(({ layers }) => layers),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
    isDegraded: parts.some(({ isDegraded }) => isDegraded),
  };
}

async function memories(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { query, layers, whose: identifiers, threshold, message, seen, preview: explain } = question;
  const asked: SearchInput = { query, kinds: ['semantic'], layers, identifiers, threshold, rank: 'relevance', explain };
  let searched: readonly Layer[] = [];
  const candidateOf = recalledCandidate('memory');
  const part = await recalledPart({ ...question, known: [message, ...seen], candidateOf }, async (limit, minTrust) => {
    const { results, totalCount, searchedLayers, warnings } = await search(dependencies, principal, {
      ...asked,
      limit,
      minTrust,
    });
    searched = searchedLayers;
    return { results, total: totalCount, warnings: warnings ?? [] };
  });
  return { ...part, layers: searched };
}

const AGENT_LAYER: Layer = 'agent';

/** Of the agent as recent turns are, but of any conversation, and of the other layers. What is among the recent ones anyway is not looked for. */
async function episodes(
  dependencies: Dependencies,
  principal: Principal,
  question: TurnQuestion,
  recent: Part | Promise<Part>,
): Promise<Part> {
  const { query, episodeThreshold: threshold, message, seen, preview: explain } = question;
  const partitions = await episodesReach(dependencies, principal, question);
  if (partitions.length === 0) return NOTHING;
  const told = new Set((await recent).candidates.map(({ name }) => name.id));
  const asked = { ...question, known: [message, ...seen], candidateOf: episodeCandidate };
  const part = await recalledPart(asked, async (limit, minTrust) => {
    const among = Math.min(limit + told.size, MAX_RESULTS);
    const input = { query, threshold, limit: among, rank: 'relevance', explain } as const;
    const reach = { partitions, trusts: minTrust && trustsFrom(minTrust) };
    const { results, total, warnings } = await recall(dependencies, principal, reach, input);
    const others = results.filter(({ memory }) => !told.has(memory.id));
    return { results: others.slice(0, limit), total: total - (results.length - others.length), warnings };
  });
  return { ...part, layers: [...new Set(partitions.map(({ scope }) => scope.layer))] };
}

/** Conversations of agents lie with these; those that were imported, for one, with the user. */
async function episodesReach(
  dependencies: Dependencies,
  principal: Principal,
  { layers, whose }: TurnQuestion,
): Promise<Partition[]> {
  const isOther = (layer: Layer): boolean => layer !== AGENT_LAYER;
  const others = scopesOf(whose, layers?.filter(isOther)).filter(({ layer }) => isOther(layer));
  const agents =
    layers?.includes(AGENT_LAYER) === false ? [] : await agentReach(dependencies, principal, whose.agentId, 'episodic');
  return [...agents, ...reachOf(principal, others, ['episodic'])];
}

async function applying(dependencies: Dependencies, principal: Principal, question: TurnQuestion): Promise<Part> {
  const { query, whose, procedureThreshold: threshold, message, preview: explain } = question;
  const partitions = await agentReach(dependencies, principal, whose.agentId, 'procedural');
  // Rules are followed, so strangers cannot make any.
  const minTrust = mostTrust(question.minTrust, 'agent');
  const asked = { ...question, minTrust, known: [message], candidateOf: recalledCandidate('procedures') };
  return recalledPart(asked, (limit, trust) => {
    const reach = { partitions, trusts: trust && trustsFrom(trust) };
    return recall(dependencies, principal, reach, { query, threshold, limit, rank: 'relevance', explain });
  });
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
  const items = await Promise.all(distinct.map(async (key) => working.get(principal, { planId, key })));
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
  { whose, recentTurns, message, minTrust }: TurnQuestion,
): Promise<Part> {
  const partitions = await agentReach(dependencies, principal, whose.agentId, 'episodic');
  const selection = { ...conditionsOf({ sessionId: whose.sessionId }), partitions };
  const found = await dependencies.entries.timeline(principal, selection, recentTurns + 1);
  const [latest] = found;
  const isLogged = latest !== undefined && (latest.role ?? 'user') === 'user' && isSame(latest.content, message);
  const meant = isLogged ? found : found.slice(0, recentTurns);
  const candidates = meant.map((entry, at) => turnCandidate(entry, isLogged && at === 0));
  const isTrusted = ({ trust }: TurnCandidate): boolean => trust === undefined || isAtLeast(trust, minTrust);
  return {
    ...NOTHING,
    candidates: candidates.filter(isTrusted),
    distrusted: candidates.filter((candidate) => !isTrusted(candidate)),
  };
}
