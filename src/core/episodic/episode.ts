/** Entries of the agent layer as episodes, and which of them are meant. */

import type { Entry } from '../../domain/entry.ts';
import type { Episode, EpisodicSearchInput } from '../../domain/episodic.ts';
import { invalidField } from '../../domain/error.ts';
import type { Conditions } from '../../ports/entry-store.ts';

/** When it happened, which need not be when it was written down. */
export function occurredAt({ validFrom, createdAt }: Entry): string {
  return validFrom ?? createdAt;
}

export function episodeOf(entry: Entry): Episode {
  const {
    id,
    identifiers,
    role,
    content,
    turn,
    metadata,
    tags,
    source,
    sensitivity,
    trust,
    version,
    createdAt,
    updatedAt,
  } = entry;
  const { agentId = '', userId = '', sessionId } = identifiers;
  return {
    id,
    agentId,
    userId,
    ...(role !== undefined && { role }),
    content,
    ...(sessionId !== undefined && { sessionId }),
    ...(entry.speaker !== undefined && { speaker: entry.speaker }),
    ...(turn !== undefined && { turn }),
    metadata,
    tags,
    ...(source !== undefined && { source }),
    sensitivity,
    trust,
    occurredAt: occurredAt(entry),
    version,
    createdAt,
    updatedAt,
  };
}

/** Throws `VALIDATION_FAILED` for a time range that ends before it begins. */
export function conditionsOf(input: Pick<EpisodicSearchInput, 'sessionId' | 'role' | 'from' | 'to'>): Conditions {
  const { sessionId, role } = input;
  const from = input.from === undefined ? undefined : Date.parse(input.from);
  const to = input.to === undefined ? undefined : Date.parse(input.to);
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidField('from', 'is after to');
  }
  return { identifiers: { sessionId }, role, since: { from, to } };
}
