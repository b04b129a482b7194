/** Removing what is over: entries, pools and state whose time has come. They are out of sight since then. */

import type { RunChange } from '../../domain/maintenance.ts';
import type { Dependencies } from '../dependencies.ts';
import { removePool } from '../pools/remove-pool.ts';
import { nextEntries, placeIn } from './entry-pages.ts';
import type { Batch, Job, JobContext, Progress } from './job.ts';

/** Entries in one transaction. */
const BATCH = 200;
const POOLS_PAGE = 100;

/** Where entries and pools are done with. */
export const STATE_IS_NEXT: Progress = { phase: 'state' };

export const expiry: Job = {
  name: 'expiry',
  counted: ['removed', 'pools'],
  batch: (context, progress) => {
    if (progress['phase'] === 'state') return expireState(context);
    if (progress['phase'] === 'pools') return expirePools(context, progress);
    return context.isDryRun ? foreseeEntries(context, progress) : expireEntries(context);
  },
};

async function expireEntries({ dependencies, tenantId }: JobContext): Promise<Batch> {
  const removed = await removeExpired(dependencies, tenantId);
  return { changes: [], counts: { removed }, progress: removed < BATCH ? { phase: 'pools' } : {} };
}

/** How many are gone; as many as {@link BATCH} means that there may be more. */
async function removeExpired({ upkeep, embedder, clock }: Dependencies, tenantId: string): Promise<number> {
  const { count, texts } = await upkeep.removeExpired(tenantId, clock.now(), BATCH);
  if (texts.length > 0) embedder.forget(texts);
  return count;
}

async function foreseeEntries(context: JobContext, progress: Progress): Promise<Batch> {
  const now = context.dependencies.clock.now();
  const { items, last } = await nextEntries(context, progress);
  const over = items.filter(({ entry: { expiresAt } }) => expiresAt !== undefined && Date.parse(expiresAt) <= now);
  const changes = over.map(({ entry: { id, version } }): RunChange => ({
    action: 'removed',
    entryId: id,
    fromVersion: version,
  }));
  return { changes, counts: {}, progress: last === undefined ? { phase: 'pools' } : { after: last } };
}

async function expirePools({ dependencies, tenantId, isDryRun }: JobContext, progress: Progress): Promise<Batch> {
  const { archive, clock } = dependencies;
  const { items, last } = await archive.read(tenantId, 'pools', POOLS_PAGE, placeIn(progress));
  let pools = 0;
  for (const pool of items) {
    if (pool.expiresAt === undefined || Date.parse(pool.expiresAt) > clock.now()) continue;
    if (isDryRun || (await removePool(dependencies, tenantId, pool))) pools += 1;
  }
  const next = last === undefined ? STATE_IS_NEXT : { phase: 'pools', after: last };
  return { changes: [], counts: { pools }, progress: next };
}

/** Of all tenants: it is not kept by tenant everywhere. */
async function expireState({ dependencies: { state, hot }, isDryRun }: JobContext): Promise<Batch> {
  const { signal } = new AbortController();
  if (!isDryRun) for (const store of new Set([state, hot])) await store.sweep(signal);
  return { changes: [], counts: {}, progress: undefined };
}
