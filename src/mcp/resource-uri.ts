/** The URIs of resources: `memory://…`. */

import type { Layer } from '../domain/scope.ts';

export const RECENT_URI = 'memory://recent';
export const GRAPH_URI = 'memory://knowledge-graph';
export const LAYER_TEMPLATE = 'memory://layers/{layer}';
export const ENTRY_TEMPLATE = 'memory://entries/{id}';

export function layerUri(layer: Layer): string {
  return LAYER_TEMPLATE.replace('{layer}', layer);
}

export function entryUri(id: string): string {
  return ENTRY_TEMPLATE.replace('{id}', id);
}
