/** What a model names by an id: it exists for the model only if the context opens its scope. */

import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Fact } from '../domain/fact.ts';
import { PERSONAL_LAYERS, REQUIRED_IDENTIFIERS, type Layer, type Scope } from '../domain/scope.ts';
import type { ToolContext } from './memory-tool.ts';
import { agentOf, isTrusted, openIdentifiers } from './tool-reach.ts';

/**
 * Null if it does not exist, is not visible to the principal, is in a layer that the context does not open, is not trusted
 * enough, or waits for review.
 */
export async function reachedEntry(context: ToolContext, id: string): Promise<Entry | null> {
  const { memory: entry } = await context.memory.get({ id });
  if (entry === null || entry.status === 'quarantined' || !isTrusted(context, entry)) return null;
  const isOpen = await opens(context, entry, entry.visibility === 'private', async (layer) => {
    const { memories } = await context.memory.list({ layer, status: 'all', limit: 1 });
    return memories[0];
  });
  return isOpen ? entry : null;
}

/** The same for a relation. */
export async function reachedFact(context: ToolContext, factId: string): Promise<Fact | null> {
  const fact = await context.memory.facts.get({ factId });
  if (fact === null || !isTrusted(context, fact)) return null;
  const isOpen = await opens(context, fact, PERSONAL_LAYERS.has(fact.layer), async (layer) => {
    const { facts } = await context.memory.facts.list({ layer, includeClosed: true, limit: 1 });
    return facts[0];
  });
  return isOpen ? fact : null;
}

/** `some` returns any one of the principal's own in a layer: its scope is open too. */
async function opens(
  context: ToolContext,
  place: Scope,
  isPrivate: boolean,
  some: (layer: Layer) => Promise<Scope | undefined>,
): Promise<boolean> {
  const { layer } = place;
  const { agentId = place.identifiers.agentId } = agentOf(context);
  // Private means that only this user sees it; and their agent may see again what it was told.
  if (layer === 'agent' && isPrivate && place.identifiers.agentId === agentId) return true;
  const identifiers = openIdentifiers(context);
  if (identifiers !== undefined) return isSamePlace(place, { layer, identifiers });
  if (layer === 'user' && isPrivate) return true;
  // Only the core knows whose memory it is, so ask it for the principal's own.
  const own = await ifOpen(() => some(layer));
  return own !== undefined && isSamePlace(place, own);
}

function isSamePlace({ layer, identifiers }: Scope, other: Scope): boolean {
  return REQUIRED_IDENTIFIERS[layer].every(
    (name) => identifiers[name] !== undefined && identifiers[name] === other.identifiers[name],
  );
}

async function ifOpen<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LaminaError && error.code === 'MISSING_IDENTIFIER') return undefined;
    throw error;
  }
}
