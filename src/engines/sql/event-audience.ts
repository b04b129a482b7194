/** Who may see the event of a change. */

import { partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';

interface EventAudience {
  /** The only user, or null for everyone. */
  readonly audience: string | null;
  /** Of that user's agents the only one, or null for all. */
  readonly agentId: string | null;
}

const EVERYONE: EventAudience = { audience: null, agentId: null };

/** For whom an entry is. */
function audienceOf(entry: Entry): EventAudience {
  const { layer, identifiers, kind, visibility, ownerId } = entry;
  const { audience } = partitionOf({ scope: { layer, identifiers }, kind, visibility, ownerId });
  if (audience === '') return EVERYONE;
  return { audience, agentId: layer === 'agent' ? (identifiers.agentId ?? null) : null };
}

/** Whoever saw it before, or sees it now: one from whom it was taken has to learn that too. */
export function eventAudience(entry: Entry, before: Entry = entry): EventAudience {
  const now = audienceOf(entry);
  if (before === entry) return now;
  const then = audienceOf(before);
  return now.audience === then.audience ? now : EVERYONE;
}
