/** What copies carry of pools, contexts, maintenance and accessed state: made by the engine itself, of every user. */

import { poolNamespace, sessionNamespace } from '../src/domain/namespace.ts';
import type { Principal } from '../src/domain/principal.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import { entryOf, nextVersion, writeOf } from '../src/testing/entry-write.ts';
import { accessDraft, contextDraft, poolDraft, runDraft, snapshotDraft } from '../src/testing/record-drafts.ts';

const DAY_MS = 86_400_000;
const KEEPING = { accesses: 2, ms: DAY_MS };

let runs = 0;

function nextRunId(): string {
  runs += 1;
  return `018f0000-0000-7000-9000-${runs.toString(16).padStart(12, '0')}`;
}

export async function makeTiers(engine: Engine, principal: Principal, clock: Clock): Promise<void> {
  const { userId } = principal;
  const access = { read: ['alice', 'nobody yet'], write: ['Ben'], publicRead: userId === 'Ben' };
  const ends = new Date(clock.now() + 9 * DAY_MS).toISOString();
  const { pools, contexts, contextSnapshots, contextAccesses, maintenanceRuns } = engine.records;
  const [poolId, contextId] = [`pool of ${userId}`, `context of ${userId}`];
  const own = { ownerId: userId, access, agentId: 'helper' };
  await pools.create(principal, poolDraft(poolId, { ...own, metadata: { b: 1, a: [null] }, expiresAt: ends }));
  await contexts.create(
    principal,
    contextDraft(contextId, { ...own, name: 'ü', archivedAt: ends, status: 'archived' }),
  );
  const { id } = await makeEntry(engine, principal, contextId);
  const items = [{ entryId: id, key: 'key', version: 1, contentHash: 'hash', isArchived: false }];
  const inside = { contextId, ownerId: userId };
  await contextSnapshots.create(
    principal,
    snapshotDraft(`snapshot of ${userId}`, { ...inside, items, createdBy: userId }),
  );
  await contextAccesses.create(
    principal,
    accessDraft(`access of ${userId}`, { ...inside, actorId: userId, entryKey: 'key' }),
  );
  const changes = [{ action: 'archived', entryId: id, fromVersion: 1, toVersion: 2 }];
  await maintenanceRuns.create(principal, runDraft(nextRunId(), { changes, dryRun: true, progress: { at: [1] } }));
  await makeState(engine, principal, poolId, clock.now());
}

/** Of a context, archived by maintenance. */
async function makeEntry({ entries }: Engine, principal: Principal, contextId: string): Promise<{ id: string }> {
  const { userId } = principal;
  const entry = entryOf({
    content: `what the context of ${userId} holds`,
    layer: 'agent',
    identifiers: { userId, agentId: 'helper', contextId },
    ownerId: userId,
    visibility: 'private',
    externalId: 'key',
    metadata: { 'context.editedBy': userId },
  });
  const provenance = { mergedInto: entry.id, runId: entry.id };
  const archived = nextVersion(entry, { status: 'archived', provenance });
  const restored = nextVersion(archived, { status: 'active', provenance: { mergedFrom: [entry.id] } });
  const again = nextVersion(restored, { status: 'archived', provenance });
  await entries.transaction(principal, async (tx) => {
    await tx.insert([await writeOf(entry)]);
    for (const state of [archived, restored, again])
      await tx.replace([{ ...(await writeOf(state)), embedding: undefined }]);
  });
  return entry;
}

async function makeState({ state }: Engine, principal: Principal, poolId: string, now: number): Promise<void> {
  const set = (value: string, expiresAt: number | null): StateWrite => ({
    mutation: { type: 'set', value },
    expiresAt,
    maxBytes: 100,
  });
  const session = sessionNamespace(principal.userId, 'helper', 's');
  await state.write(principal, poolNamespace(poolId), 'key', set('shared', null));
  await state.write(principal, session, 'kept', set('kept', now + 9 * DAY_MS));
  await state.write(principal, session, 'ended', set('ended', now + 1));
  for (let count = 0; count < 3; count += 1) state.touch(principal, session, 'kept', KEEPING);
}
