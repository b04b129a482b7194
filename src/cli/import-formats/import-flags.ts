/** Which flags of `lamina import` go with a bundle, and which with what others wrote. */

import { usageError, type Given } from '../command.ts';

export const PLACE_FLAGS = ['layer', 'agent', 'session', 'project', 'team', 'org', 'company'] as const;

const OF_BUNDLES = ['no-vectors', 'map-id', 'map-layer'] as const;
const OF_OTHERS = ['strict', ...PLACE_FLAGS] as const;

/** Throws a usage error for flags that do not go together. */
export function assertFlagsFit(given: Given): void {
  const isBundle = !given.has('from');
  const wrong = (isBundle ? OF_OTHERS : OF_BUNDLES).find((flag) => given.has(flag));
  if (wrong === undefined) return;
  throw usageError(isBundle ? `--${wrong} needs --from.` : `--${wrong} is for bundles, without --from.`, given.command);
}
