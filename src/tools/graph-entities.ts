/**
 * Entities of a knowledge graph: that a name is of a type is a fact. Its id tells one entity from a later one of the same
 * name; observations are tied to it.
 */

import type { Fact } from '../domain/fact.ts';
import { addFacts, deleteFacts, factPages } from './graph-facts.ts';
import { allOf, forEachOf, newestOf, type Bounded } from './graph-pages.ts';
import type { GraphPlace } from './graph-place.ts';
import type { GraphEntity } from './graph-schemas.ts';
import { isTrusted } from './tool-reach.ts';

const IS_ENTITY = { factType: 'entity', predicate: 'is_a' } as const;

export interface KnownEntity extends Omit<GraphEntity, 'observations'> {
  /** Of its fact. */
  readonly id: string;
}

/** The names that exist. */
export async function findEntities(
  place: GraphPlace,
  names: readonly string[],
): Promise<ReadonlyMap<string, KnownEntity>> {
  // A fact has no empty terms, so no entity has an empty name.
  const askable = [...new Set(names)].filter((name) => name !== '');
  const found = await forEachOf(askable, (subject) => allOf(factPages(place, { ...IS_ENTITY, subject })));
  return standing(found.flat());
}

export async function listEntities(place: GraphPlace, limit: number): Promise<Bounded<KnownEntity>> {
  const { items, isComplete } = await newestOf(entityPages(place), limit);
  return { items: [...standing(items).values()], isComplete };
}

/** Facts of entities, newest first. */
export function entityPages(place: GraphPlace): AsyncIterable<readonly Fact[]> {
  return factPages(place, IS_ENTITY);
}

export async function getEntity(place: GraphPlace, id: string): Promise<KnownEntity | undefined> {
  const fact = await place.memory.facts.get({ factId: id });
  const isThere = fact !== null && fact.factType === IS_ENTITY.factType && isTrusted(place, fact);
  return isThere ? entityOf(fact) : undefined;
}

/**
 * Two callers that create one entity with different types at the same moment write two facts: the first one counts, for
 * them and for all readers.
 */
export function standing(facts: readonly Fact[]): ReadonlyMap<string, KnownEntity> {
  const first = new Map<string, Fact>();
  for (const fact of facts) {
    const other = first.get(fact.subject);
    if (other === undefined || fact.version < other.version) first.set(fact.subject, fact);
  }
  return new Map(Array.from(first, ([name, fact]) => [name, entityOf(fact)]));
}

export async function addEntities(place: GraphPlace, entities: readonly KnownEntity[]): Promise<void> {
  const facts = entities.map(({ id, name, entityType }) => ({
    factId: id,
    ...IS_ENTITY,
    subject: name,
    object: entityType,
  }));
  await addFacts(place, facts);
}

/** Removes every fact that makes these names entities, and returns their ids. */
export async function removeEntities(place: GraphPlace, names: readonly string[]): Promise<string[]> {
  const found = await forEachOf(names, (subject) => allOf(factPages(place, { ...IS_ENTITY, subject }, true)));
  const ids = found.flat().map(({ factId }) => factId);
  await deleteFacts(place, ids);
  return ids;
}

function entityOf({ factId, subject, object }: Fact): KnownEntity {
  return { id: factId, name: subject, entityType: object };
}
