/** Keeping the records of maintenance runs from growing forever. */

import type { Dependencies } from '../dependencies.ts';
import { systemPrincipal } from '../maintenance/acting.ts';
import { paced } from '../maintenance/pace.ts';

/** How long they are kept. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/** In one transaction. */
const PAGE = 100;

/** In one round: more than a day can bring, so that what has piled up goes within days. */
const MAX_PAGES = 10;

type Needs = Pick<Dependencies, 'records' | 'clock'>;

/** What has not ended is left to whoever takes it up. */
export async function removeOldRuns({ records, clock }: Needs, tenantId: string, signal: AbortSignal): Promise<void> {
  const { maintenanceRuns } = records;
  const principal = systemPrincipal(tenantId);
  const after = { at: new Date(clock.now() - KEPT_MS).toISOString(), key: '' };
  const where = { status: ['completed', 'failed', 'undone'] } as const;
  const rest = paced(clock);
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page += 1) {
    const old = await maintenanceRuns.list(principal, { where, limit: PAGE, after });
    if (old.length > 0) await maintenanceRuns.removeAll(principal, { runId: old.map(({ runId }) => runId) });
    if (old.length < PAGE) return;
    await rest();
  }
}
