/** Publishing what is one's own: its owner's explicit act, and nothing is taken out of it; but not of everything. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { isPublished, mayBePromoted } from '../../domain/promotion.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Throws `FORBIDDEN` where a change makes something visible to others that is confidential or restricted after it. A change
 * that also lowers the sensitivity is the owner's word that it is not.
 */
export function assertMayBePublished(
  { telemetry }: Pick<Dependencies, 'telemetry'>,
  before: Entry,
  after: Pick<Entry, 'visibility' | 'layer' | 'sensitivity'>,
): void {
  if (!isPublished(before, after) || mayBePromoted(after)) return;
  telemetry?.promotionsBlocked?.(1);
  const { sensitivity } = after;
  throw new LaminaError(
    'FORBIDDEN',
    `A memory that is ${sensitivity} is never made visible to others. Lower its sensitivity first, if it is not.`,
    { details: { sensitivity, blocked: 1 } },
  );
}
