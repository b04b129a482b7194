/** Searching what a tool's context opens, including the memory of an agent that only the context names. */

import type { Kind, Sensitivity } from '../domain/kind.ts';
import type { Layer } from '../domain/scope.ts';
import type { ToolContext } from './memory-tool.ts';
import { cut, roundedScore, shownMemory, unverified, type ShownMemory } from './shown-memory.ts';
import { isTrusted, maxSensitivityOf, openIdentifiers, reach, trustOf } from './tool-reach.ts';

interface Question {
  readonly query: string;
  readonly kinds?: Kind[] | undefined;
  readonly layers?: Layer[] | undefined;
  readonly tags?: string[] | undefined;
  readonly asOf?: string | undefined;
  readonly limit: number;
}

interface Found {
  readonly memory: ShownMemory;
  readonly score: number;
  readonly sensitivity: Sensitivity;
}

interface Findings {
  readonly found: readonly Found[];
  /** How many the search already left out, because a model may not see them. */
  readonly withheld: number;
  readonly warnings: string[];
}

/** Best first. Fails like a search. */
export async function findMemories(context: ToolContext, question: Question): Promise<Findings> {
  const parts = await Promise.all([
    findOpen(context, question),
    findEpisodes(context, question),
    findProcedures(context, question),
  ]);
  const byId = new Map(parts.flatMap(({ found }) => found).map((each) => [each.memory.id, each]));
  return {
    found: [...byId.values()].toSorted((one, other) => other.score - one.score).slice(0, question.limit),
    withheld: parts.reduce((sum, { withheld }) => sum + withheld, 0),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
  };
}

const NOTHING: Findings = { found: [], withheld: 0, warnings: [] };

async function findOpen(context: ToolContext, { tags, ...question }: Question): Promise<Findings> {
  const {
    results,
    withheld = 0,
    warnings = [],
  } = await context.memory.search({
    ...question,
    ...reach(context),
    // Left out there and not here, so that it does not hide a near-duplicate that may be shown.
    maxSensitivity: maxSensitivityOf(context),
    ...trustOf(context),
    ...(tags !== undefined && { filter: { tags } }),
    rank: 'relevance',
  });
  const found = results.map(({ memory, score }) => ({
    memory: shownMemory(memory),
    score: roundedScore(score),
    sensitivity: memory.sensitivity,
  }));
  return { found, withheld, warnings };
}

/**
 * The agent layer needs its user, whom only the core knows if the context does not say. The operations of episodic and
 * procedural memory need only the agent.
 */
function unopenedAgent(context: ToolContext, kind: Kind, { kinds, layers, tags }: Question): string | undefined {
  const isAsked = (kinds?.includes(kind) ?? true) && (layers?.includes('agent') ?? true) && tags === undefined;
  return isAsked && openIdentifiers(context)?.userId === undefined ? context.agentId : undefined;
}

async function findEpisodes(context: ToolContext, question: Question): Promise<Findings> {
  const agentId = unopenedAgent(context, 'episodic', question);
  if (agentId === undefined) return NOTHING;
  const { query, limit, asOf } = question;
  const { results, warnings = [] } = await context.memory.episodic.search({
    query,
    limit,
    agentId,
    ...(asOf !== undefined && { to: asOf }),
  });
  const trusted = results.filter((episode) => isTrusted(context, episode));
  const found = trusted.map(({ id, content, role, occurredAt, tags, score, sensitivity, trust }): Found => {
    const memory = { id, ...cut(content), kind: 'episodic' as const, layer: 'agent' as const, at: occurredAt };
    return {
      memory: {
        ...memory,
        ...(role !== undefined && { role }),
        ...(tags.length > 0 && { tags }),
        ...unverified({ trust }),
      },
      score: roundedScore(score),
      sensitivity,
    };
  });
  return { found, withheld: 0, warnings };
}

async function findProcedures(context: ToolContext, question: Question): Promise<Findings> {
  const agentId = unopenedAgent(context, 'procedural', question);
  if (agentId === undefined || question.asOf !== undefined) return NOTHING;
  const { query, limit } = question;
  const { procedures, warnings = [] } = await context.memory.procedural.context({ query, limit, agentId });
  const trusted = procedures.filter((procedure) => isTrusted(context, procedure));
  const found = trusted.map(({ id, content, tags, updatedAt, score, sensitivity, trust }): Found => {
    const memory = { id, ...cut(content), kind: 'procedural' as const, layer: 'agent' as const, at: updatedAt };
    const shown = { ...memory, ...(tags.length > 0 && { tags }), ...unverified({ trust }) };
    return { memory: shown, score: roundedScore(score), sensitivity };
  });
  return { found, withheld: 0, warnings };
}
