/** Promoting short-term memory that was read often to long-term memory, also what is over and kept for that. */

import type { RunChange } from '../../domain/maintenance.ts';
import { SESSION_PREFIX } from '../../domain/namespace.ts';
import type { StatePlace } from '../../ports/state-store.ts';
import { FREQUENT_ACCESSES } from '../../domain/short-term.ts';
import { ownerOfItem, promote, type FrequentItem } from '../lifecycle/consolidate.ts';
import type { Job, JobContext } from './job.ts';

/** Each may have to be embedded. */
const PAGE = 25;

export const consolidation: Job = {
  name: 'consolidation',
  counted: ['examined', 'promoted'],
  batch: async (context, progress) => {
    const { dependencies, tenantId } = context;
    const after = progress['after'] as StatePlace | undefined;
    const items = await dependencies.hot.frequent(tenantId, SESSION_PREFIX, FREQUENT_ACCESSES, PAGE, after);
    const changes: RunChange[] = [];
    for (const item of items) changes.push(...(await consolidate(context, item)));
    const last = items.length < PAGE ? undefined : items.at(-1);
    return {
      changes,
      counts: { examined: items.length },
      progress: last && { after: { namespace: last.namespace, key: last.key } },
    };
  },
};

async function consolidate(
  { dependencies, tenantId, runId, isDryRun }: JobContext,
  item: FrequentItem,
): Promise<RunChange[]> {
  const owner = ownerOfItem(tenantId, item);
  if (owner === null) return [];
  if (isDryRun) return [{ action: 'promoted' }];
  const { outcome, memory } = await promote(dependencies, owner, item, runId);
  if (memory === undefined) return [{ action: 'skipped', detail: 'It is too large for a memory.' }];
  // Cut short between promoting and writing down that it did, the same run finds it as it left it.
  if (outcome === 'unchanged' && memory.provenance?.runId !== runId) return [];
  const { id, version, previousVersion } = memory;
  const fromVersion = previousVersion === null ? {} : { fromVersion: previousVersion };
  return [{ action: 'promoted', entryId: id, ...fromVersion, toVersion: version }];
}
