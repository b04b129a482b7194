/** Procedural memory: the rules and examples that an agent goes by. */

import { DEFAULT_PAGE_SIZE } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { ProcedureType } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type {
  ProceduralAddInput,
  ProceduralAddOutput,
  ProceduralContextInput,
  ProceduralContextOutput,
  ProceduralListInput,
  ProceduralListOutput,
  Procedure,
} from '../../domain/procedural.ts';
import { agentIdentifiers, agentReach } from '../agent-reach.ts';
import { trustsFrom } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { remove } from '../forget/forget.ts';
import { pageOf } from '../paging/page.ts';
import { recall } from '../recall/recall.ts';
import { addOne } from '../remember/add.ts';

export interface Procedural {
  add(principal: Principal, input: ProceduralAddInput): Promise<ProceduralAddOutput>;
  /** Newest first. */
  list(principal: Principal, input: ProceduralListInput): Promise<ProceduralListOutput>;
  /** False when it was not there, is no procedure, or is not this principal's to see. */
  delete(principal: Principal, id: string): Promise<boolean>;
  /** What applies to a situation, best first. */
  context(principal: Principal, input: ProceduralContextInput): Promise<ProceduralContextOutput>;
}

export function createProcedural(dependencies: Dependencies): Procedural {
  return {
    add: (principal, input) => add(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    delete: (principal, id) => remove(dependencies, principal, { id }, ({ kind }) => kind === 'procedural'),
    context: (principal, input) => context(dependencies, principal, input),
  };
}

async function add(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, ...writing }: ProceduralAddInput,
): Promise<ProceduralAddOutput> {
  const identifiers = agentIdentifiers(principal, agentId);
  const input = { ...writing, kind: 'procedural', layer: 'agent', identifiers } as const;
  const { memory, status, quarantined } = await addOne(dependencies, principal, input);
  return { status, ...(quarantined && { quarantined }), ...procedureOf(memory) };
}

async function list(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, procedureType, cursor, limit = DEFAULT_PAGE_SIZE }: ProceduralListInput,
): Promise<ProceduralListOutput> {
  const selection = { partitions: await agentReach(dependencies, principal, agentId, 'procedural'), procedureType };
  const { items, nextCursor } = await pageOf<Entry>({
    list: { kind: 'procedural', ...agentIdentifiers(principal, agentId), procedureType },
    cursor,
    limit,
    placeOf: ({ createdAt, id }) => ({ at: Date.parse(createdAt), id }),
    read: (count, after) =>
      dependencies.entries.list(principal, selection, count, after && { createdAt: after.at, id: after.id }),
  });
  return { procedures: items.map(procedureOf), count: items.length, nextCursor };
}

async function context(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, procedureType, ...question }: ProceduralContextInput,
): Promise<ProceduralContextOutput> {
  const partitions = await agentReach(dependencies, principal, agentId, 'procedural');
  const asked = { ...question, rank: 'relevance' } as const;
  // What is followed is not made by strangers.
  const reach = { partitions, procedureType, trusts: trustsFrom('agent') };
  const { results, warnings } = await recall(dependencies, principal, reach, asked);
  const contents = (type: ProcedureType): string[] =>
    results.filter(({ memory }) => memory.procedureType === type).map(({ memory }) => memory.content);
  return {
    procedures: results.map(({ memory, score, similarity, signals }) => ({
      ...procedureOf(memory),
      score,
      similarity,
      signals,
    })),
    count: results.length,
    systemPrompts: contents('system_prompt'),
    fewShotExamples: contents('few_shot_example'),
    ...(warnings.length > 0 && { warnings }),
  };
}

function procedureOf(entry: Entry): Procedure {
  const { id, identifiers, content, triggerCondition, procedureType, metadata, tags, sensitivity, trust, version } =
    entry;
  const { agentId = '', userId = '' } = identifiers;
  return {
    id,
    agentId,
    userId,
    content,
    ...(triggerCondition !== undefined && { triggerCondition }),
    ...(procedureType !== undefined && { procedureType }),
    metadata,
    tags,
    sensitivity,
    trust,
    version,
    createdAt: entry.createdAt,
    updatedAt: entry.updatedAt,
  };
}
