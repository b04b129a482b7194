/** Which of two entries that say the same stays, and what it takes over from the other. Pure. */

import type { Entry } from '../../domain/entry.ts';
import type { DeduplicationConfig } from '../../domain/lifecycle-policy.ts';
import { standsFor } from '../lifecycle/stands-for.ts';
import { plainMetadata } from '../remember/fields.ts';
import { revised, revisedAnyway } from '../remember/resolve.ts';

/** Whether one may go into the other, which looks alike to an embedding. */
export function mayMerge(deduplication: DeduplicationConfig, a: Entry, b: Entry): boolean {
  if (a.ownerId !== b.ownerId || a.kind !== 'semantic' || b.kind !== 'semantic') return false;
  if (a.identifiers.contextId !== undefined || b.identifiers.contextId !== undefined) return false;
  // What goes by two names are two things, whatever they say; and so is what begins or ends at another time.
  if (a.externalId !== undefined && b.externalId !== undefined) return false;
  if (a.expiresAt !== b.expiresAt || a.validFrom !== b.validFrom || a.validTo !== b.validTo) return false;
  if (a.sensitivity !== b.sensitivity || a.trust !== b.trust) return false;
  if (a.knowledgePointer?.sourceId !== b.knowledgePointer?.sourceId) return false;
  return !areDistinct(a, b) && standsFor(deduplication, a.content, b.content);
}

/** Somebody took the one back out of the other, or both out of the same. */
function areDistinct(a: Entry, b: Entry): boolean {
  const apart = new Set(a.provenance?.distinctFrom);
  return apart.has(b.id) || (b.provenance?.distinctFrom?.some((id) => id === a.id || apart.has(id)) ?? false);
}

export interface Ranking {
  readonly survivor: Entry;
  readonly other: Entry;
}

/** The one that has a name of its caller's stays under it; else what is read more, matters more, was said later. */
export function byStanding(a: Entry, b: Entry): number {
  return (
    Number(b.externalId !== undefined) - Number(a.externalId !== undefined) ||
    b.accessCount - a.accessCount ||
    b.importance - a.importance ||
    Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
    (a.id > b.id ? -1 : 1)
  );
}

export function ranked(a: Entry, b: Entry): Ranking {
  return byStanding(a, b) < 0 ? { survivor: a, other: b } : { survivor: b, other: a };
}

/** Both as they are after the merge, which this run did. */
export function merged({ survivor, other }: Ranking, runId: string, now: string): Ranking {
  const next = revisedAnyway(
    survivor,
    {
      tags: [...new Set([...survivor.tags, ...other.tags])],
      importance: Math.max(survivor.importance, other.importance),
      confidence: Math.max(survivor.confidence, other.confidence),
      provenance: {
        ...survivor.provenance,
        mergedFrom: [...new Set([...(survivor.provenance?.mergedFrom ?? []), other.id])],
        runId,
      },
    },
    now,
  );
  return {
    survivor: { ...next, metadata: { ...plainMetadata(other.metadata), ...next.metadata } },
    other: revised(
      other,
      { status: 'archived', provenance: { ...other.provenance, mergedInto: survivor.id, runId } },
      now,
    ),
  };
}
