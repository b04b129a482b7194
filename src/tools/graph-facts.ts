/** The facts of a knowledge graph: entities and relations each have their own fact type. */

import type { Fact, Statement } from '../domain/fact.ts';
import type { GraphPlace } from './graph-place.ts';
import { forEachOf, pagesOf, PORTION, portionsOf } from './graph-pages.ts';
import { isTrusted } from './tool-reach.ts';

/** What facts of the graph say, or any part of it. */
export type GraphQuery = Partial<Statement> & Pick<Statement, 'factType'>;

interface FactToWrite extends Statement {
  readonly factId?: string;
}

/** Those that hold, or with `ever` also those that once did; newest first. */
export function factPages(place: GraphPlace, query: GraphQuery, ever = false): AsyncIterable<readonly Fact[]> {
  return pagesOf(async (cursor) => {
    const { facts, nextCursor } = await place.memory.facts.list({
      ...query,
      ...place.scope,
      includeClosed: ever,
      limit: PORTION,
      ...cursor,
    });
    return { items: facts.filter((fact) => isTrusted(place, fact)), nextCursor };
  });
}

/** Which of them are new, in their order. */
export async function addFacts(place: GraphPlace, facts: readonly FactToWrite[]): Promise<boolean[]> {
  const isNew: boolean[] = [];
  for (const portion of portionsOf(facts)) {
    const { results } = await place.memory.facts.addMany({
      facts: portion.map((fact) => ({ ...fact, ...place.scope, trust: 'agent' as const })),
    });
    isNew.push(...results.map(({ status }) => status === 'created'));
  }
  return isNew;
}

/** Deletes them for good. Missing ones are ignored. */
export async function deleteFacts(place: GraphPlace, factIds: readonly string[]): Promise<void> {
  await forEachOf(factIds, (factId) => place.memory.facts.delete({ factId }));
}
