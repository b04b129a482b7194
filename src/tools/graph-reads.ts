/** Reading a knowledge graph: all of it, some entities, or search results. Never more than a model can take. */

import { findEntities, getEntity, listEntities, type KnownEntity } from './graph-entities.ts';
import { listObservations, observationsOf, searchObservations, type Observation } from './graph-observations.ts';
import { forEachOf, PORTION, type Bounded } from './graph-pages.ts';
import { seenPlace, type GraphPlace } from './graph-place.ts';
import { listRelations, relationsOf } from './graph-relations.ts';
import type { GraphOutput, GraphRelation } from './graph-schemas.ts';
import type { ToolContext } from './memory-tool.ts';
import { shownOf } from './tool-reach.ts';

/** Limit for entities, observations and relations each. The rest is left out, and the answer says so. */
const MAX_READ = 5000;

interface Parts {
  readonly limit: number;
  readonly entities: Bounded<KnownEntity>;
  readonly observations: Bounded<Observation>;
  readonly relations: Bounded<GraphRelation>;
}

/** The newest of each. */
export async function readGraph(context: ToolContext, limit: number = MAX_READ): Promise<GraphOutput> {
  const place = seenPlace(context);
  const [entities, observations, relations] = await Promise.all([
    listEntities(place, limit),
    listObservations(place, limit),
    listRelations(place, limit),
  ]);
  return shown(context, { limit, entities, observations, relations });
}

/** The named entities that exist, and every relation that starts or ends at one of them. */
export async function openNodes(
  context: ToolContext,
  names: readonly string[],
  limit: number = MAX_READ,
): Promise<GraphOutput> {
  const place = seenPlace(context);
  const found = [...(await findEntities(place, names)).values()];
  return shown(context, await partsOf(place, limit, { items: found, isComplete: true }));
}

/**
 * Entities with the query anywhere in their name, type or observations, ignoring case; and matches by meaning or by words.
 * Best first.
 */
export async function searchNodes(context: ToolContext, query: string, limit: number = MAX_READ): Promise<GraphOutput> {
  const place = seenPlace(context);
  const [answering, entities, observations] = await Promise.all([
    searchObservations(place, query),
    listEntities(place, limit),
    listObservations(place, limit),
  ]);
  const has = (text: string): boolean => text.toLowerCase().includes(query.toLowerCase());
  const named = entities.items.filter(({ name, entityType }) => has(name) || has(entityType));
  // What may not be shown must not be inferable from search results either.
  const answers = shownOf(context, answering).shown;
  const visible = shownOf(context, observations.items).shown;
  const ids = new Set([
    ...answers.map(({ entityId }) => entityId),
    ...named.map(({ id }) => id),
    ...visible.filter(({ text }) => has(text)).map(({ entityId }) => entityId),
  ]);
  const isComplete = entities.isComplete && observations.isComplete;
  const known = new Map(entities.items.map((entity) => [entity.id, entity]));
  // If not all could be listed, a search still finds older ones; each needs its own lookup.
  const found = await forEachOf([...ids].slice(0, isComplete ? ids.size : PORTION), async (id) => {
    return known.get(id) ?? (entities.isComplete ? undefined : getEntity(place, id));
  });
  const items = found.filter((entity) => entity !== undefined);
  return shown(context, await partsOf(place, limit, { items, isComplete }, isComplete ? observations : undefined));
}

async function partsOf(
  place: GraphPlace,
  limit: number,
  entities: Bounded<KnownEntity>,
  known?: Bounded<Observation>,
): Promise<Parts> {
  const [ids, names] = [entities.items.map(({ id }) => id), entities.items.map(({ name }) => name)];
  const [observations, relations] = await Promise.all([
    known ?? observationsOf(place, ids, limit),
    relationsOf(place, names, limit),
  ]);
  return { limit, entities, observations, relations };
}

function shown(context: ToolContext, parts: Parts): GraphOutput {
  const { entities, observations, relations } = parts;
  const texts = new Map(entities.items.map(({ id }) => [id, [] as string[]]));
  const own = observations.items.filter(({ entityId }) => texts.has(entityId));
  const { shown: visible, withheld } = shownOf(context, own);
  for (const { entityId, text } of visible) texts.get(entityId)?.push(text);
  const known = entities.items.map(({ id, name, entityType }) => ({
    name,
    entityType,
    observations: texts.get(id) ?? [],
  }));
  const notice = noticeOf(parts, withheld);
  return {
    // Better to omit an entity than to show it as if nothing were known about it.
    entities: observations.isComplete ? known : known.filter((entity) => entity.observations.length > 0),
    relations: [...relations.items],
    ...(notice !== '' && { notice }),
  };
}

function noticeOf({ limit, entities, observations, relations }: Parts, withheld: number): string {
  const isComplete = [entities, observations, relations].every((part) => part.isComplete);
  const large =
    `The graph is large: only the newest ${limit} entities, observations and relations were looked at, and something ` +
    'is missing here. Search for what you need with search_nodes, or open it by name with open_nodes.';
  const sensitive = `Observations that are too sensitive to be shown: ${withheld}.`;
  return [...(isComplete ? [] : [large]), ...(withheld === 0 ? [] : [sensitive])].join(' ');
}
