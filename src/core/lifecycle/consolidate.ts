/** Consolidation: short-term memory that was read often becomes long-term memory. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { sessionOfNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { PROMOTION_OUTCOMES } from '../../domain/router.ts';
import type { StateItem } from '../../domain/state.ts';
import type { StatePlace } from '../../ports/state-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownPlacement, promotedName } from '../long-term/own-memories.ts';
import { writingOf } from '../long-term/value.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { upsert } from '../remember/upsert.ts';
import { storedIn } from '../short-term/short-term.ts';

/** Contents at least this similar are one memory in other words. */
const SAME_MEMORY = 0.92;

/** As the store finds it: see `StateStore.frequent`. */
export type FrequentItem = StateItem & StatePlace;

export interface Promotion {
  readonly outcome: (typeof PROMOTION_OUTCOMES)[number];
  /** What remembers it now; absent where it was skipped. */
  readonly memory?: Entry;
}

/** The principal whose short-term memory it is; null where it is none. */
export function ownerOfItem(tenantId: string, { namespace }: StatePlace): Principal | null {
  const session = sessionOfNamespace(namespace);
  // Which agents there are in a session is written down under no session: that is nobody's memory.
  if (session === undefined || session.sessionId === '') return null;
  const { userId, agentId } = session;
  return { tenantId, userId, ...(agentId !== '' && { agentId }) };
}

/**
 * Remembers the value for good, then removes it from short-term memory unless it changed meanwhile. Can be cut short and
 * repeated: the second time finds what the first one stored. What is too large for a memory is skipped, and stays.
 */
export async function promote(
  dependencies: Dependencies,
  principal: Principal,
  item: FrequentItem,
  runId?: string,
): Promise<Promotion> {
  const session = sessionOfNamespace(item.namespace);
  if (session === undefined) throw new Error('Only short-term memory is promoted.');
  const { agentId, sessionId } = session;
  const { type, value } = storedIn(item);
  const { content, metadata } = writingOf(value);
  try {
    const placement = ownPlacement(principal, agentId === '' ? undefined : agentId);
    const draft = draftAt(
      dependencies,
      placement,
      {
        content,
        metadata: { ...metadata, memory_type: type },
        externalId: promotedName(sessionId, item.key),
        visibility: placement.visibility,
      },
      { ...placement.scope.identifiers, sessionId },
    );
    const provenance = { promotedFrom: `${sessionId}/${item.key}`, ...(runId !== undefined && { runId }) };
    const { status, memory } = await upsert(
      dependencies,
      principal,
      { ...draft, provenance },
      { elsewhere: [], dedupeThreshold: SAME_MEMORY, isSameByMeaning: wasPromoted, settle: keepName },
    );
    await discard(dependencies, principal, item);
    return { outcome: status === 'updated' ? 'merged' : status, memory };
  } catch (error) {
    if (isTooLarge(error)) return { outcome: 'skipped' };
    throw error;
  }
}

/** What somebody gave a name of their own stays as it is: only what came by itself is revised by itself. */
function wasPromoted({ provenance }: Entry): boolean {
  return provenance?.promotedFrom !== undefined;
}

/** What is revised goes on by the name that it has. */
function keepName(draft: Draft, existing: Entry | null): Draft {
  return existing?.externalId === undefined ? draft : { ...draft, externalId: existing.externalId };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof LaminaError && ['CONTENT_TOO_LONG', 'LIMIT_EXCEEDED'].includes(error.code);
}

/** Only this very version, in sight or kept out of sight; what was written since stays. */
async function discard(
  { hot, clock }: Dependencies,
  principal: Principal,
  { namespace, key, version }: FrequentItem,
): Promise<void> {
  try {
    if (await hot.remove(principal, namespace, key, version)) return;
    // It has expired, and is kept. Nothing may stand there; then something takes its place that is over at once.
    await hot.write(principal, namespace, key, {
      mutation: { type: 'set', value: null },
      ifVersion: 0,
      expiresAt: clock.now(),
      maxBytes: 4,
    });
  } catch (error) {
    if (!(error instanceof LaminaError && error.code === 'VERSION_CONFLICT')) throw error;
  }
}
