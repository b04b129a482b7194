/**
 * Changing a knowledge graph. Several may do so at once: an entity is created once, no observation is lost, and nothing is
 * left of what was deleted. An entity exists when its fact does: so what belongs to it is written before the fact, and
 * removed after it.
 */

import { v7 } from 'uuid';
import { LaminaError } from '../domain/error.ts';
import { addEntities, findEntities, removeEntities, type KnownEntity } from './graph-entities.ts';
import { deleteFacts } from './graph-facts.ts';
import {
  forgetNamed,
  forgetObservations,
  observationsOf,
  removeObservations,
  takeBack,
  writeObservations,
} from './graph-observations.ts';
import { forEachOf } from './graph-pages.ts';
import { graphPlace, seenPlace, type GraphPlace } from './graph-place.ts';
import { deleteRelationsOf } from './graph-relations.ts';
import type { AddedContents, AddedObservations, GraphEntity, ObservationDeletion } from './graph-schemas.ts';
import type { ToolContext } from './memory-tool.ts';
import { mayShow, shownOf } from './tool-reach.ts';

/** An interrupted process may leave observations without an entity; older ones than this belong to no running process. */
const LONGEST_WRITE_MS = 60 * 60_000;

type NewEntity = GraphEntity & KnownEntity;

/** Creates those whose names are not taken, all or none, and returns them. */
export async function createEntities(place: GraphPlace, entities: readonly GraphEntity[]): Promise<GraphEntity[]> {
  const known = await findEntities(place, entities.map(nameOf));
  const fresh = new Map<string, NewEntity>();
  for (const { name, entityType, observations } of entities) {
    if (known.has(name) || fresh.has(name)) continue;
    fresh.set(name, { id: v7(), name, entityType, observations: [...new Set(observations)] });
  }
  const made = [...fresh.values()];
  if (made.length === 0) return [];
  try {
    await writeObservations(
      place,
      made.flatMap((entity) => entity.observations.map((text) => ({ entity, text }))),
    );
    await addEntities(place, made);
  } catch (error) {
    // The caller needs the original error, even if this fails for the same reason.
    await discard(place, made).catch(() => undefined);
    throw error;
  }
  const standing = await findEntities(place, made.map(nameOf));
  const isBeaten = ({ id, name }: KnownEntity): boolean => (standing.get(name)?.id ?? id) !== id;
  await discard(place, made.filter(isBeaten));
  return made.filter((entity) => !isBeaten(entity)).map(({ id: _own, ...entity }) => entity);
}

/** Somebody else was faster, or it failed. */
async function discard(place: GraphPlace, entities: readonly NewEntity[]): Promise<void> {
  const ids = entities.map(({ id }) => id);
  await deleteFacts(place, ids);
  await forgetObservations(place, ids);
}

/** Adds what is new, all or none. Throws `NOT_FOUND` for an unknown entity. */
export async function addObservations(
  place: GraphPlace,
  additions: readonly AddedContents[],
): Promise<AddedObservations[]> {
  const names = additions.map(({ entityName }) => entityName);
  const entities = await findEntities(place, names);
  const writes = new Map<string, { entity: KnownEntity; text: string; addition: number }>();
  for (const [addition, { entityName, contents }] of additions.entries()) {
    const entity = entities.get(entityName);
    if (entity === undefined) throw unknownEntity(entityName);
    for (const text of contents) {
      const key = `${entity.id}${text}`;
      if (!writes.has(key)) writes.set(key, { entity, text, addition });
    }
  }
  const wanted = [...writes.values()];
  const outputs = await writeObservations(place, wanted);
  const standing = await findEntities(place, names);
  const gone = names.find((name) => standing.get(name)?.id !== entities.get(name)?.id);
  if (gone !== undefined) {
    // It was deleted meanwhile, perhaps before these were visible.
    await takeBack(place, outputs);
    throw unknownEntity(gone);
  }
  const added = wanted.filter((_, index) => outputs[index]?.status !== 'unchanged');
  return additions.map(({ entityName }, index) => ({
    entityName,
    addedObservations: added.filter(({ addition }) => addition === index).map(({ text }) => text),
  }));
}

/** In the words of the reference server. */
function unknownEntity(name: string): LaminaError {
  return new LaminaError('NOT_FOUND', `Entity with name ${name} not found`, { details: { entityName: name } });
}

/** With their observations and relations. Unknown names are ignored. If interrupted, repeat it. */
export async function deleteEntities(context: ToolContext, entityNames: readonly string[]): Promise<void> {
  const place = graphPlace(context);
  const names = [...new Set(entityNames)].filter((name) => name !== '');
  await assertSeen(context, [...(await findEntities(place, names)).values()]);
  const ids = await removeEntities(place, names);
  await deleteRelationsOf(place, names);
  await forgetObservations(place, ids);
  const cutoff = new Date(Date.now() - LONGEST_WRITE_MS).toISOString();
  await forEachOf(names, (name) => forgetNamed(place, name, cutoff));
}

/** Throws `FORBIDDEN` if an entity has observations that the model may not see: a model may not delete those either. */
async function assertSeen(context: ToolContext, entities: readonly KnownEntity[]): Promise<void> {
  const ids = entities.map(({ id }) => id);
  const { items } = await observationsOf(graphPlace(context), ids, Number.POSITIVE_INFINITY);
  const unseen = items.find(({ sensitivity }) => !mayShow(context, sensitivity));
  const entity = entities.find(({ id }) => id === unseen?.entityId);
  if (entity === undefined) return;
  throw new LaminaError(
    'FORBIDDEN',
    `The entity ${entity.name} has observations that are too sensitive to be shown to you, so you cannot delete it.`,
    { details: { entityName: entity.name }, advice: 'Tell the user that you cannot do this for them.' },
  );
}

/** Unknown ones are ignored; what the model may not see does not exist for it. */
export async function deleteObservations(
  context: ToolContext,
  deletions: readonly ObservationDeletion[],
): Promise<void> {
  const place = graphPlace(context);
  const entities = await findEntities(
    place,
    deletions.map(({ entityName }) => entityName),
  );
  const doomed = new Map<string, Set<string>>();
  for (const { entityName, observations } of deletions) {
    const entity = entities.get(entityName);
    if (entity === undefined) continue;
    doomed.set(entity.id, new Set([...(doomed.get(entity.id) ?? []), ...observations]));
  }
  const { items } = await observationsOf(seenPlace(context), [...doomed.keys()], Number.POSITIVE_INFINITY);
  const { shown } = shownOf(context, items);
  const found = shown.filter(({ entityId, text }) => doomed.get(entityId)?.has(text));
  await removeObservations(
    place,
    found.map(({ id }) => id),
  );
}

function nameOf({ name }: Pick<GraphEntity, 'name'>): string {
  return name;
}
