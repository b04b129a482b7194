/** Promoting short-term memory that was read often to long-term memory, also what is over and kept for that. */

import type { RunChange } from '../../domain/maintenance.ts';
import { SESSION_PREFIX, sessionOfNamespace } from '../../domain/namespace.ts';
import type { StatePlace } from '../../ports/state-store.ts';
import { FREQUENT_ACCESSES } from '../../domain/short-term.ts';
import { consolidateItem, ownerOfItem, type FrequentItem, type Promotion } from '../lifecycle/consolidate.ts';
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
    const counts: Record<string, number> = {};
    for (const item of items) {
      const { outcome, change } = await consolidate(context, item);
      if (change !== undefined) changes.push(change);
      // What is skipped is counted as the change that it is told as.
      if (outcome !== undefined && outcome !== 'skipped') counts[outcome] = (counts[outcome] ?? 0) + 1;
      await context.rest();
    }
    const last = items.length < PAGE ? undefined : items.at(-1);
    return {
      changes,
      counts: { examined: items.length, ...counts },
      progress: last && { after: { namespace: last.namespace, key: last.key } },
    };
  },
};

async function consolidate(
  { dependencies, tenantId, runId, isDryRun }: JobContext,
  item: FrequentItem,
): Promise<{ readonly outcome?: Promotion['outcome']; readonly change?: RunChange }> {
  const owner = ownerOfItem(tenantId, item);
  if (owner === null) return {};
  const from = `from ${sessionOfNamespace(item.namespace)?.sessionId}/${item.key}`;
  if (isDryRun) return { change: { action: 'promoted', detail: from } };
  const { outcome, memory } = await consolidateItem(dependencies, owner, item, runId);
  if (memory === undefined)
    return { outcome, change: { action: 'skipped', detail: `${from}: it is too large for a memory` } };
  // Cut short between promoting and writing down that it did, the same run finds it as it left it.
  if (outcome === 'unchanged' && memory.provenance?.runId !== runId) return { outcome };
  const { id, version, previousVersion } = memory;
  const fromVersion = previousVersion === null ? {} : { fromVersion: previousVersion };
  return {
    outcome,
    change: { action: 'promoted', entryId: id, ...fromVersion, toVersion: version, detail: outcome },
  };
}
