/** Whose a line is, where a group shares it; and no text can pretend to be of one. Pure. */

import { PERSONAL_LAYERS, type Layer } from '../../domain/scope.ts';
import type { TurnCandidate } from './candidate.ts';
import { readerView } from './reader-view.ts';
import { readsLikeLayerMark } from './reads-like-mark.ts';

/** The layer of a group that it lies in; undefined for what is somebody's own. */
export function sharedLayer({ name: { layer } }: Pick<TurnCandidate, 'name'>): Layer | undefined {
  return layer === undefined || PERSONAL_LAYERS.has(layer) ? undefined : layer;
}

/** Nobody takes for a mark what stands after so much else. */
const MAX_LEADING = 1000;

/** Stands before the text. Also where nothing is shared, if the text begins as if it were: then the first mark is the true one. */
export function layerMark(candidate: Pick<TurnCandidate, 'name' | 'section'>, text: string): string | undefined {
  const { name, section } = candidate;
  const shared = sharedLayer(candidate);
  if (shared !== undefined) return `(${shared})`;
  return readsLikeLayerMark(readerView(text.slice(0, MAX_LEADING)).text) ? `(${name.layer ?? section})` : undefined;
}
