/** Where a knowledge graph lies: in one scope of one memory. */

import { REQUIRED_IDENTIFIERS, type Identifiers, type Layer } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import type { ToolContext } from './memory-tool.ts';

export interface GraphPlace {
  readonly memory: Memory;
  /** As part of an input. */
  readonly scope: { readonly layer: Layer; readonly identifiers?: Identifiers };
}

/** Those that can have a graph. An agent's or a session's own would be lost to the next one. */
export const GRAPH_LAYERS = ['user', 'project', 'team', 'org', 'company'] as const satisfies readonly Layer[];

/**
 * The project, team or org that the context names, in this order; the company where it names that and no user; else the
 * user's own layer.
 */
export function graphPlace({ memory, identifiers = {} }: Pick<ToolContext, 'memory' | 'identifiers'>): GraphPlace {
  const { userId, companyId } = identifiers;
  const group = (['project', 'team', 'org'] as const).find((layer) => scopeIn(layer, identifiers) !== undefined);
  if (group !== undefined) return { memory, scope: { layer: group, ...scopeIn(group, identifiers) } };
  if (userId !== undefined) return { memory, scope: { layer: 'user', identifiers: { userId } } };
  if (companyId !== undefined) return { memory, scope: { layer: 'company', identifiers: { companyId } } };
  return { memory, scope: { layer: 'user' } };
}

/** What the layer requires and nothing else; undefined where it is not there. */
function scopeIn(layer: Layer, identifiers: Identifiers): { identifiers: Identifiers } | undefined {
  const required = REQUIRED_IDENTIFIERS[layer].map((name) => [name, identifiers[name]] as const);
  if (required.some(([, value]) => value === undefined)) return undefined;
  return { identifiers: Object.fromEntries(required) };
}
