/** What a model names by an id: there for it only where the context opens the place in which it lies. */

import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Fact } from '../domain/fact.ts';
import { PERSONAL_LAYERS, REQUIRED_IDENTIFIERS, type Layer, type Scope } from '../domain/scope.ts';
import type { ToolContext } from './memory-tool.ts';
import { agentOf, isTrusted, openIdentifiers } from './tool-reach.ts';

/**
 * Null where it is not there, not the principal's to see, in a layer that the context does not open, not trusted enough, or
 * waiting for review.
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
  if (fact === null) return null;
  const isOpen = await opens(context, fact, PERSONAL_LAYERS.has(fact.layer), async (layer) => {
    const { facts } = await context.memory.facts.list({ layer, includeClosed: true, limit: 1 });
    return facts[0];
  });
  return isOpen ? fact : null;
}

/** `some` gives any one of the principal's own in a layer: what lies where it does is open too. */
async function opens(
  context: ToolContext,
  place: Scope,
  isPrivate: boolean,
  some: (layer: Layer) => Promise<Scope | undefined>,
): Promise<boolean> {
  const { layer } = place;
  const { agentId = place.identifiers.agentId } = agentOf(context);
  // Private is what nobody but this user gets to see; and what their agent was told it may be told again.
  if (layer === 'agent' && isPrivate && place.identifiers.agentId === agentId) return true;
  const identifiers = openIdentifiers(context);
  if (identifiers !== undefined) return isSamePlace(place, { layer, identifiers });
  if (layer === 'user' && isPrivate) return true;
  // Whose memory it is only the core knows, so it is asked for what it takes for the principal's own.
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
