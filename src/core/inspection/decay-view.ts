/** How a memory has faded since its last use, and how it will if nobody reads it. */

import {
  currentRelevance,
  decayCurve,
  decayedLevel,
  fadesBelow,
  lastUse,
  type DecayConfig,
} from '../../domain/decay.ts';
import type { Entry } from '../../domain/entry.ts';
import type { DecayInput, DecayOutput } from '../../domain/inspection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { inspected } from './inspected.ts';

const MS_PER_DAY = 86_400_000;

/** What lies farther ahead is as good as never. */
const HORIZON_MS = 100 * 366 * MS_PER_DAY;

export async function decayView(
  dependencies: Dependencies,
  principal: Principal,
  { id, days }: DecayInput,
): Promise<DecayOutput> {
  const { clock, lifecycle, inspector } = dependencies;
  const entry = await inspected(dependencies, principal, id);
  const accessTimes = await inspector.accessTimes(principal, id);
  const now = clock.now();
  const { decay } = lifecycle;
  const { relevance, accessCount, lastAccessedAt } = entry;
  const current = currentRelevance(entry, decay, now);
  const points = decayCurve(entry, decay, now, now + days * MS_PER_DAY);
  return {
    isOn: current !== undefined,
    ...(current === undefined && { reason: whyNot(entry, decay) }),
    accessCount,
    ...(lastAccessedAt !== undefined && { lastAccessedAt }),
    accesses: accessTimes.map(isoAt),
    lastUsedAt: isoAt(lastUse(entry)),
    relevance,
    currentRelevance: current ?? relevance,
    archiveThreshold: decay.archiveThreshold,
    ...(current !== undefined && crossings(entry, decay, now)),
    now: isoAt(now),
    points: points.map((point) => ({ at: isoAt(point.at), relevance: point.relevance })),
  };
}

function whyNot({ status, identifiers }: Entry, { enabled }: DecayConfig): NonNullable<DecayOutput['reason']> {
  if (!enabled) return 'off';
  if (status === 'archived') return 'archived';
  return identifiers.contextId === undefined ? 'exempt' : 'context';
}

/** When it will have faded so far, or has. */
function crossings(entry: Entry, decay: DecayConfig, now: number): Pick<DecayOutput, 'decayedAt' | 'belowThresholdAt'> {
  const timeOf = (level: number): string | undefined => {
    const at = fadesBelow(entry, decay, level);
    return at === undefined || at > now + HORIZON_MS ? undefined : isoAt(at);
  };
  const decayedAt = timeOf(decayedLevel(entry.relevance, decay));
  const belowThresholdAt = timeOf(decay.archiveThreshold);
  return { ...(decayedAt && { decayedAt }), ...(belowThresholdAt && { belowThresholdAt }) };
}
