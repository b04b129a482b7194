/** Keeping the access logs of contexts from growing forever: every read of a context is logged. */

import { periodMs } from '../../domain/lifecycle-policy.ts';
import type { Place } from '../../ports/archive.ts';
import type { Dependencies } from '../dependencies.ts';
import { paced } from '../maintenance/pace.ts';

/** In as many transactions as there are owners among them. */
const PAGE = 200;

type Needs = Pick<Dependencies, 'archive' | 'records' | 'lifecycle' | 'clock'>;

/** The oldest come first, because ids do: the first that is young enough is the end. */
export async function pruneContextLogs(needs: Needs, tenantId: string, signal: AbortSignal): Promise<void> {
  const { archive, records, lifecycle, clock } = needs;
  const keptMs = periodMs(lifecycle.contextLog.retentionPeriod);
  // For ever.
  if (keptMs === undefined) return;
  const rest = paced(clock);
  let after: Place | undefined;
  while (!signal.aborted) {
    const { items, last } = await archive.read(tenantId, 'contextAccesses', PAGE, after);
    const old = items.filter(({ createdAt }) => Date.parse(createdAt) < clock.now() - keptMs);
    for (const [ownerId, visits] of Map.groupBy(old, (visit) => visit.ownerId)) {
      const accessId = visits.map((visit) => visit.accessId);
      await records.contextAccesses.removeAll({ tenantId, userId: ownerId }, { accessId });
    }
    if (last === undefined || old.length < items.length) return;
    after = last;
    await rest();
  }
}
