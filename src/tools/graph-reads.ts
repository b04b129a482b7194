/** Reading a knowledge graph: all of it, some entities, or what answers a query. Never more than a model can take. */

import { findEntities, getEntity, listEntities, type KnownEntity } from './graph-entities.ts';
import { listObservations, observationsOf, searchObservations, type Observation } from './graph-observations.ts';
import { forEachOf, type Bounded } from './graph-pages.ts';
import { graphPlace, type GraphPlace } from './graph-place.ts';
import { listRelations, relationsOf } from './graph-relations.ts';
import type { GraphOutput, GraphRelation } from './graph-schemas.ts';
import type { ToolContext } from './memory-tool.ts';
import { shownOf } from './tool-reach.ts';

/** Of entities, observations and relations each. What is beyond that is left out, and the answer says so. */
export const MAX_READ = 5000;

interface Parts {
  readonly entities: Bounded<KnownEntity>;
  readonly observations: Bounded<Observation>;
  readonly relations: Bounded<GraphRelation>;
}

/** The newest {@link MAX_READ} of each. */
export async function readGraph(context: ToolContext): Promise<GraphOutput> {
  const place = graphPlace(context);
  const [entities, observations, relations] = await Promise.all([
    listEntities(place, MAX_READ),
    listObservations(place, MAX_READ),
    listRelations(place, MAX_READ),
  ]);
  return shown(context, { entities, observations, relations });
}

/** Those of the names that are there, and every relation that starts or ends at one of them. */
export async function openNodes(context: ToolContext, names: readonly string[]): Promise<GraphOutput> {
  const place = graphPlace(context);
  const found = [...(await findEntities(place, names)).values()];
  return shown(context, await partsOf(place, { items: found, isComplete: true }));
}

/**
 * What has the query anywhere in its name, type or observations, whatever the case; and what answers it by meaning or by
 * words. The best answers come first.
 */
export async function searchNodes(context: ToolContext, query: string): Promise<GraphOutput> {
  const place = graphPlace(context);
  const [answering, entities, observations] = await Promise.all([
    searchObservations(place, query),
    listEntities(place, MAX_READ),
    listObservations(place, MAX_READ),
  ]);
  const has = (text: string): boolean => text.toLowerCase().includes(query.toLowerCase());
  const named = entities.items.filter(({ name, entityType }) => has(name) || has(entityType));
  // What may not be shown must not be guessed either, by what is found with it.
  const answers = shownOf(context, answering).shown;
  const visible = shownOf(context, observations.items).shown;
  const ids = new Set([
    ...answers.map(({ entityId }) => entityId),
    ...named.map(({ id }) => id),
    ...visible.filter(({ text }) => has(text)).map(({ entityId }) => entityId),
  ]);
  const known = new Map(entities.items.map((entity) => [entity.id, entity]));
  // Where not all could be listed, a search still finds what is older.
  const found = await forEachOf([...ids], async (id) => {
    return known.get(id) ?? (entities.isComplete ? undefined : getEntity(place, id));
  });
  const items = found.filter((entity) => entity !== undefined);
  const isComplete = entities.isComplete && observations.isComplete;
  return shown(context, await partsOf(place, { items, isComplete }, isComplete ? observations : undefined));
}

async function partsOf(
  place: GraphPlace,
  entities: Bounded<KnownEntity>,
  known?: Bounded<Observation>,
): Promise<Parts> {
  const [ids, names] = [entities.items.map(({ id }) => id), entities.items.map(({ name }) => name)];
  const [observations, relations] = await Promise.all([
    known ?? observationsOf(place, ids, MAX_READ),
    relationsOf(place, names, MAX_READ),
  ]);
  return { entities, observations, relations };
}

function shown(context: ToolContext, { entities, observations, relations }: Parts): GraphOutput {
  const among = new Map(entities.items.map(({ id }) => [id, [] as string[]]));
  const { shown: visible, withheld } = shownOf(
    context,
    observations.items.filter(({ entityId }) => among.has(entityId)),
  );
  for (const { entityId, text } of visible) among.get(entityId)?.push(text);
  const isComplete = [entities, observations, relations].every((part) => part.isComplete);
  const notice = [
    ...(isComplete
      ? []
      : [
          `The graph is large: no more than the newest ${MAX_READ} entities, observations and relations were looked at, and something may be missing. Use search_nodes or open_nodes for the rest.`,
        ]),
    ...(withheld === 0 ? [] : [`${withheld} observations are too sensitive to be shown.`]),
  ].join(' ');
  return {
    entities: entities.items.map(({ id, name, entityType }) => ({
      name,
      entityType,
      observations: among.get(id) ?? [],
    })),
    relations: [...relations.items],
    ...(notice !== '' && { notice }),
  };
}
