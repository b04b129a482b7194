/** Relations of a knowledge graph: facts from one name to another. */

import type { Fact } from '../domain/fact.ts';
import { addFacts, deleteFacts, factPages } from './graph-facts.ts';
import { allOf, forEachOf, newestOf, type Bounded } from './graph-pages.ts';
import type { GraphPlace } from './graph-place.ts';
import type { GraphRelation } from './graph-schemas.ts';

const FACT_TYPE = 'relation';

/** For more names than these it is cheaper to read all relations. */
const MAX_ASKED = 25;

/** Adds what is new, and returns it. */
export async function createRelations(
  place: GraphPlace,
  relations: readonly GraphRelation[],
): Promise<GraphRelation[]> {
  const isNew = await addFacts(place, relations.map(statementOf));
  return relations.filter((_, index) => isNew[index]);
}

export async function deleteRelations(place: GraphPlace, relations: readonly GraphRelation[]): Promise<void> {
  const found = await forEachOf(relations, (relation) => allOf(factPages(place, statementOf(relation), true)));
  await deleteFacts(place, [...new Set(found.flat().map(({ factId }) => factId))]);
}

/** Deletes all that start or end at one of the names, whether they still hold or not. */
export async function deleteRelationsOf(place: GraphPlace, names: readonly string[]): Promise<void> {
  const found = await forEachOf(names, (name) => touching(place, name, true));
  await deleteFacts(place, [...new Set(found.flat().map(({ factId }) => factId))]);
}

export async function listRelations(place: GraphPlace, limit: number): Promise<Bounded<GraphRelation>> {
  const { items, isComplete } = await newestOf(relationPages(place), limit);
  return { items: items.map(relationOf), isComplete };
}

/** The newest first. */
export function relationPages(place: GraphPlace): AsyncIterable<readonly Fact[]> {
  return factPages(place, { factType: FACT_TYPE });
}

/** Those that start or end at one of the names. */
export async function relationsOf(
  place: GraphPlace,
  names: readonly string[],
  limit: number,
): Promise<Bounded<GraphRelation>> {
  if (names.length > MAX_ASKED) {
    const among = new Set(names);
    const { items, isComplete } = await listRelations(place, limit);
    return { items: items.filter(({ from, to }) => among.has(from) || among.has(to)), isComplete };
  }
  const found = (await forEachOf(names, (name) => touching(place, name))).flat();
  const distinct = [...new Map(found.map((fact) => [fact.factId, fact])).values()].toSorted(oldestFirst);
  return { items: distinct.slice(-limit).map(relationOf), isComplete: distinct.length <= limit };
}

async function touching(place: GraphPlace, name: string, ever = false): Promise<Fact[]> {
  const ends = [{ subject: name }, { object: name }];
  const found = await Promise.all(ends.map((end) => allOf(factPages(place, { factType: FACT_TYPE, ...end }, ever))));
  return found.flat();
}

function statementOf({ from, to, relationType }: GraphRelation) {
  return { factType: FACT_TYPE, subject: from, predicate: relationType, object: to };
}

export function relationOf({ subject, predicate, object }: Fact): GraphRelation {
  return { from: subject, to: object, relationType: predicate };
}

function oldestFirst(one: Fact, other: Fact): number {
  return one.version - other.version;
}
