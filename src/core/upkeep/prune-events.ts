/** Keeping the event log from growing forever: events past the retention are removed, a few at a time. */

import { periodMs } from '../../domain/lifecycle-policy.ts';
import type { Dependencies } from '../dependencies.ts';
import { paced } from '../maintenance/pace.ts';

/** Per transaction: concurrent writers wait no longer than that. */
const BATCH = 1000;

type Needs = Pick<Dependencies, 'upkeep' | 'lifecycle' | 'clock'>;

export async function pruneEvents(
  { upkeep, lifecycle, clock }: Needs,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  const keptMs = periodMs(lifecycle.events.retentionPeriod);
  // For ever.
  if (keptMs === undefined) return;
  const rest = paced(clock);
  while (!signal.aborted) {
    if ((await upkeep.pruneEvents(tenantId, clock.now() - keptMs, BATCH)) < BATCH) return;
    await rest();
  }
}
