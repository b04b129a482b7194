/** Importing and exporting a whole knowledge graph: batches of a file into memory, and memory as the lines of a file. */

import { addObservations, createEntities } from './graph-changes.ts';
import { entityPages, standing } from './graph-entities.ts';
import type { GraphBatch } from './graph-import.ts';
import { observationsOf } from './graph-observations.ts';
import type { GraphPlace } from './graph-place.ts';
import { createRelations, relationOf, relationPages } from './graph-relations.ts';

/** What was new. */
export interface GraphCounts {
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
}

/**
 * Adds what is new, also to existing entities: so a second run changes nothing, and an interrupted one can be repeated. An
 * existing entity keeps its type.
 */
export async function importGraphBatch(place: GraphPlace, { entities, relations }: GraphBatch): Promise<GraphCounts> {
  const created = await createEntities(place, entities);
  const isNew = new Set(created.map(({ name }) => name));
  const known = entities.filter(({ name, observations }) => !isNew.has(name) && observations.length > 0);
  const added = await addObservations(
    place,
    known.map(({ name, observations }) => ({ entityName: name, contents: observations })),
  );
  return {
    entities: created.length,
    observations:
      created.reduce((sum, { observations }) => sum + observations.length, 0) +
      added.reduce((sum, { addedObservations }) => sum + addedObservations.length, 0),
    relations: (await createRelations(place, relations)).length,
  };
}

/** As the reference server would write it, without line breaks: entities, then relations, newest first. */
export async function* graphLines(place: GraphPlace): AsyncGenerator<string, void> {
  const seen = new Set<string>();
  for await (const facts of entityPages(place)) {
    const entities = [...standing(facts).values()].filter(({ name }) => !seen.has(name));
    const ids = entities.map(({ id }) => id);
    const { items } = await observationsOf(place, ids, Number.POSITIVE_INFINITY);
    for (const { id, name, entityType } of entities) {
      seen.add(name);
      const observations = items.filter(({ entityId }) => entityId === id).map(({ text }) => text);
      yield JSON.stringify({ type: 'entity', name, entityType, observations });
    }
  }
  for await (const facts of relationPages(place)) {
    for (const fact of facts) yield JSON.stringify({ type: 'relation', ...relationOf(fact) });
  }
}
