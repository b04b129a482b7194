/** Removing expired entries, pools and state. They have been hidden since they expired. */

import type { RunChange } from '../../domain/maintenance.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import { removePool } from '../pools/remove-pool.ts';
import { nextEntries, placeIn } from './entry-pages.ts';
import type { Batch, Job, JobContext, Progress } from './job.ts';

/** Entries in one transaction: few enough that nobody waits long for it. */
const BATCH = 50;
const POOLS_PAGE = 100;

/** Where entries and pools are done with. */
export const STATE_IS_NEXT: Progress = { phase: 'state' };

export const expiry: Job = {
  name: 'expiry',
  counted: ['removed', 'pools', 'state'],
  batch: (context, progress) => {
    if (progress['phase'] === 'state') return expireState(context);
    if (progress['phase'] === 'pools') return expirePools(context, progress);
    return context.isDryRun ? foreseeEntries(context, progress) : expireEntries(context);
  },
};

async function expireEntries({ dependencies, tenantId }: JobContext): Promise<Batch> {
  const { upkeep, embedder, clock } = dependencies;
  const { ids, texts } = await upkeep.removeExpired(tenantId, clock.now(), BATCH);
  if (texts.length > 0) embedder.forget(texts);
  const changes = ids.map((entryId): RunChange => ({ action: 'removed', entryId }));
  return { changes, counts: {}, progress: ids.length < BATCH ? { phase: 'pools' } : {} };
}

async function foreseeEntries(context: JobContext, progress: Progress): Promise<Batch> {
  const now = context.dependencies.clock.now();
  const { items, last } = await nextEntries(context, progress);
  const over = items.filter(({ entry }) => hasExpired(entry, now));
  const changes = over.map(({ entry: { id, version } }): RunChange => ({
    action: 'removed',
    entryId: id,
    fromVersion: version,
  }));
  return { changes, counts: {}, progress: last === undefined ? { phase: 'pools' } : { after: last } };
}

async function expirePools(context: JobContext, progress: Progress): Promise<Batch> {
  const { dependencies, tenantId, isDryRun } = context;
  const { archive, clock } = dependencies;
  const { items, last } = await archive.read(tenantId, 'pools', POOLS_PAGE, placeIn(progress));
  const told: RunChange[] = [];
  for (const pool of items) {
    if (!hasExpired(pool, clock.now())) continue;
    if (isDryRun || (await removePool(dependencies, tenantId, pool))) {
      told.push({ action: 'removed', detail: `pool ${pool.poolId}` });
    }
    await context.rest();
  }
  const next = last === undefined ? STATE_IS_NEXT : { phase: 'pools', after: last };
  return { changes: [], told, counts: { pools: told.length }, progress: next };
}

/** How much there is of it is not known before. */
async function expireState({ dependencies, tenantId, isDryRun, signal }: JobContext): Promise<Batch> {
  const stores = isDryRun ? [] : new Set([dependencies.state, dependencies.hot]);
  let state = 0;
  for (const store of stores) state += await store.sweep(signal, tenantId);
  return { changes: [], counts: { state }, progress: signal.aborted ? STATE_IS_NEXT : undefined };
}
