/** Removing the memories of sessions that ended long enough ago, after the important ones became the user's. */

import { reachOf } from '../../domain/access.ts';
import { KINDS } from '../../domain/kind.ts';
import { periodMs } from '../../domain/lifecycle-policy.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { Session } from '../../domain/session.ts';
import { forget } from '../forget/forget.ts';
import { promoteImportant } from '../sessions/promote-important.ts';
import { forgetSession } from '../short-term/session-agents.ts';
import { placeIn } from './entry-pages.ts';
import type { Job, JobContext, Progress } from './job.ts';

const PAGE = 50;

/** In the background only what has become due lately is looked at again and again; every night all of it. */
export const LATELY: Progress = { isLately: true };
const LATELY_MS = 2 * 86_400_000;

export const sessionCleanUp: Job = {
  name: 'session_cleanup',
  counted: ['sessions', 'promoted', 'blocked', 'removed'],
  isOn: ({ sessionCleanup }) => sessionCleanup.autoDelete,
  batch: async (context, progress) => {
    const { archive } = context.dependencies;
    const { items, last } = await archive.read(context.tenantId, 'sessions', PAGE, placeIn(progress));
    const changes: RunChange[] = [];
    const counts = { sessions: 0, blocked: 0, removed: 0 };
    for (const session of items) {
      if (!isDue(context, session, progress['isLately'] === true)) continue;
      const cleaned = await cleanUp(context, session);
      await context.rest();
      if (cleaned === undefined) continue;
      changes.push(...cleaned.changes);
      counts.sessions += 1;
      counts.blocked += cleaned.blocked;
      counts.removed += cleaned.removed;
    }
    return { changes, counts, progress: last && { ...progress, after: last } };
  },
};

function isDue({ dependencies }: JobContext, { endedAt }: Session, isLately: boolean): boolean {
  if (endedAt === undefined) return false;
  const { lifecycle, clock } = dependencies;
  const overdueMs = clock.now() - Date.parse(endedAt) - (periodMs(lifecycle.sessionCleanup.retentionPeriod) ?? 0);
  return overdueMs >= 0 && (!isLately || overdueMs < LATELY_MS);
}

interface Cleaned {
  readonly changes: readonly RunChange[];
  readonly blocked: number;
  readonly removed: number;
}

/** Undefined where there was nothing. */
async function cleanUp(
  { dependencies, tenantId, runId, isDryRun }: JobContext,
  { userId, sessionId }: Session,
): Promise<Cleaned | undefined> {
  const principal: Principal = { tenantId, userId };
  const scope = scopeOf('session', { userId, sessionId });
  const held = await dependencies.entries.count(principal, { partitions: reachOf(principal, [scope], KINDS, 'all') });
  if (held === 0) return undefined;
  const { promoted, blocked } = await promoteImportant(dependencies, principal, sessionId, { runId, isDryRun });
  const changes = promoted.map(({ id, version }): RunChange => ({
    action: 'promoted',
    entryId: id,
    ...(!isDryRun && { toVersion: version }),
  }));
  if (isDryRun) return { changes, blocked, removed: held };
  await forgetSession(dependencies, principal, sessionId);
  const removed = await forget(dependencies, principal, { layer: 'session', identifiers: { userId, sessionId } });
  return { changes, blocked, removed };
}
