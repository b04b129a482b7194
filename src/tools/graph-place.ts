/** The place of a knowledge graph: one scope of one memory. */

import type { Trust } from '../domain/kind.ts';
import { REQUIRED_IDENTIFIERS, type Identifiers, type Layer } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import type { ToolContext } from './memory-tool.ts';
import { trustOf } from './tool-reach.ts';

export interface GraphPlace {
  readonly memory: Memory;
  /** As part of an input. */
  readonly scope: { readonly layer: Layer; readonly identifiers?: Identifiers };
  /** Less trusted text is not read. */
  readonly minTrust?: Trust;
}

/** Layers that can have a graph. One of an agent or a session would be lost to the next one. */
export const GRAPH_LAYERS = ['user', 'project', 'team', 'org', 'company'] as const satisfies readonly Layer[];

/**
 * The project, team or org that the context names, in this order; the company if it names that and no user; else the user's
 * own layer.
 */
export function graphPlace({ memory, identifiers = {} }: Pick<ToolContext, 'memory' | 'identifiers'>): GraphPlace {
  const { userId, companyId } = identifiers;
  const group = (['project', 'team', 'org'] as const).find((layer) => scopeIn(layer, identifiers) !== undefined);
  if (group !== undefined) return { memory, scope: { layer: group, ...scopeIn(group, identifiers) } };
  if (userId !== undefined) return { memory, scope: { layer: 'user', identifiers: { userId } } };
  if (companyId !== undefined) return { memory, scope: { layer: 'company', identifiers: { companyId } } };
  return { memory, scope: { layer: 'user' } };
}

/** The same as a model sees it. Entities that it does not see also occupy names, so this is not for writing. */
export function seenPlace(context: ToolContext): GraphPlace {
  return { ...graphPlace(context), ...trustOf(context) };
}

/** Only what the layer requires; undefined if it is missing. */
function scopeIn(layer: Layer, identifiers: Identifiers): { identifiers: Identifiers } | undefined {
  const required = REQUIRED_IDENTIFIERS[layer].map((name) => [name, identifiers[name]] as const);
  if (required.some(([, value]) => value === undefined)) return undefined;
  return { identifiers: Object.fromEntries(required) };
}
