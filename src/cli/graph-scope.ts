/** Where a knowledge graph lies, from the flags of a command. */

import { GRAPH_LAYERS, type GraphPlace } from '../tools/graph-place.ts';
import { usageError, type Given } from './command.ts';
import { placeFrom } from './memory-flags.ts';

/** Throws a usage error for a layer in which no tool looks for a graph. */
export function graphScopeFrom(given: Given): GraphPlace['scope'] {
  const place = placeFrom(given, 'user');
  if (GRAPH_LAYERS.some((layer) => layer === place.layer)) return place;
  throw usageError(`A graph lies in one of the layers ${GRAPH_LAYERS.join(', ')}.`, given.command);
}
