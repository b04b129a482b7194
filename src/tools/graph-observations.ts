/**
 * Observations of a knowledge graph: each is an entry that begins with the name of its entity, so that it is clear wherever
 * it is found. A tag ties it to its entity.
 */

import { v5 } from 'uuid';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Kind, Sensitivity } from '../domain/kind.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import type { KnownEntity } from './graph-entities.ts';
import { newestOf, pagesOf, PORTION, portionsOf, type Bounded } from './graph-pages.ts';
import type { GraphPlace } from './graph-place.ts';
import { isTrusted, trustOf } from './tool-reach.ts';

/** On every observation. */
const GRAPH_TAG = 'knowledge-graph';

/** The prefix of the tag that ties an observation to the id of its entity. */
const ENTITY_TAG = 'entity:';

/** What observations are. */
const KINDS: Kind[] = ['semantic'];

/** How many results of a search by meaning are taken. */
const MAX_FOUND = 50;

export interface Observation {
  /** Of its entry. */
  readonly id: string;
  /** Of its entity. */
  readonly entityId: string;
  readonly text: string;
  readonly sensitivity: Sensitivity;
}

export interface ObservationToWrite {
  readonly entity: Pick<KnownEntity, 'id' | 'name'>;
  readonly text: string;
}

type AddOutput = OperationOutput<'add'>;

/** Outputs in the order of the observations. Where one cannot be written, none is. */
export async function writeObservations(
  place: GraphPlace,
  observations: readonly ObservationToWrite[],
): Promise<AddOutput[]> {
  const outputs: AddOutput[] = [];
  for (const portion of portionsOf(observations)) {
    try {
      outputs.push(...(await place.memory.addMany(portion.map((each) => entryOf(place, each)))));
    } catch (error) {
      await takeBack(place, outputs);
      throw error;
    }
  }
  return outputs;
}

/** Removes what a write has made. */
export async function takeBack(place: GraphPlace, outputs: readonly AddOutput[]): Promise<void> {
  const made = outputs.filter(({ status }) => status === 'created');
  await removeObservations(
    place,
    made.map(({ memory }) => memory.id),
  );
}

export async function removeObservations(place: GraphPlace, ids: readonly string[]): Promise<void> {
  for (const portion of portionsOf(ids)) await place.memory.forget({ ids: portion, ...place.scope });
}

/** Removes everything tied to these entities. */
export async function forgetObservations(place: GraphPlace, entityIds: readonly string[]): Promise<void> {
  for (const portion of portionsOf(entityIds)) {
    await place.memory.forget({ ...place.scope, filter: { tags: portion.map(tagOf) } });
  }
}

/** Removes what was left under a name before this time, whatever entity it was tied to. */
export async function forgetNamed(place: GraphPlace, entity: string, cutoffDate: string): Promise<void> {
  await place.memory.forget({ ...place.scope, cutoffDate, filter: { tags: [GRAPH_TAG], custom: { entity } } });
}

/** Those of all entities. */
export async function listObservations(place: GraphPlace, limit: number): Promise<Bounded<Observation>> {
  const { memory, scope } = place;
  const among = { ...scope, kinds: KINDS, limit: 1 };
  const own = await memory.list({ ...among, filter: { tags: [GRAPH_TAG] } });
  if (own.totalCount <= PORTION) return newestOf(observationPages(place, [GRAPH_TAG]), limit);
  // A filter makes each page count everything. If most of it is the graph, dropping the rest here is cheaper.
  const all = await memory.list(among);
  const isMostlyGraph = own.totalCount > all.totalCount / 2;
  return newestOf(observationPages(place, isMostlyGraph ? undefined : [GRAPH_TAG]), limit);
}

/** Those of these entities. */
export async function observationsOf(
  place: GraphPlace,
  entityIds: readonly string[],
  limit: number,
): Promise<Bounded<Observation>> {
  const items: Observation[] = [];
  for (const portion of portionsOf(entityIds)) {
    const some = await newestOf(observationPages(place, portion.map(tagOf)), limit - items.length);
    items.push(...some.items);
    if (!some.isComplete) return { items, isComplete: false };
  }
  return { items, isComplete: true };
}

/** The best matches, best first. */
export async function searchObservations(place: GraphPlace, query: string): Promise<Observation[]> {
  if (query.trim() === '') return [];
  const { layer, identifiers } = place.scope;
  const input = { query, layers: [layer], ...(identifiers && { identifiers }) };
  try {
    const { results } = await place.memory.search({
      ...input,
      kinds: KINDS,
      filter: { tags: [GRAPH_TAG] },
      ...trustOf(place),
      limit: MAX_FOUND,
      rank: 'relevance',
    });
    return results.flatMap(({ memory }) => observationOf(memory) ?? []);
  } catch (error) {
    // A query too long for a search can still be matched literally.
    if (error instanceof LaminaError && error.code === 'QUERY_TOO_LONG') return [];
    throw error;
  }
}

/** Those that have any of the tags, else all. */
function observationPages(place: GraphPlace, tags: string[] | undefined): AsyncIterable<readonly Observation[]> {
  const input = { ...place.scope, kinds: KINDS, ...(tags && { filter: { tags } }), limit: PORTION };
  return pagesOf(async (cursor) => {
    const { memories, nextCursor } = await place.memory.list({ ...input, ...cursor });
    const trusted = memories.filter((entry) => isTrusted(place, entry));
    return { items: trusted.flatMap((entry) => observationOf(entry) ?? []), nextCursor };
  });
}

function entryOf({ scope }: GraphPlace, { entity, text }: ObservationToWrite): OperationInput<'add'> {
  return {
    ...scope,
    content: `${entity.name}: ${text}`,
    // By the exact text: content that Lamina considers the same, such as with other white space, is still another observation.
    externalId: `${GRAPH_TAG}:${v5(text, entity.id)}`,
    // A memory in the same words that somebody else wrote is theirs: it is neither added to the graph nor deleted with it.
    byNameOnly: true,
    tags: [GRAPH_TAG, tagOf(entity.id)],
    metadata: { entity: entity.name },
    trust: 'agent',
  };
}

function tagOf(entityId: string): string {
  return `${ENTITY_TAG}${entityId}`;
}

function entityIdOf({ tags }: Entry): string | undefined {
  if (!tags.includes(GRAPH_TAG)) return undefined;
  return tags.find((tag) => tag.startsWith(ENTITY_TAG))?.slice(ENTITY_TAG.length);
}

/** As it was written, or as somebody has changed it since. */
function observationOf(entry: Entry): Observation | undefined {
  const { id, content, metadata, sensitivity } = entry;
  const entityId = entityIdOf(entry);
  if (entityId === undefined) return undefined;
  const prefix = `${String(metadata['entity'])}: `;
  return { id, entityId, text: content.startsWith(prefix) ? content.slice(prefix.length) : content, sensitivity };
}
