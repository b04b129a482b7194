/** Consolidation: short-term memory that was read often becomes long-term memory. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { sessionOfNamespace } from '../../domain/namespace.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { Principal } from '../../domain/principal.ts';
import type { PROMOTION_OUTCOMES } from '../../domain/router.ts';
import type { StateItem } from '../../domain/state.ts';
import type { StatePlace } from '../../ports/state-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownPlacement, promotedName } from '../long-term/own-memories.ts';
import { valueOf, writingOf } from '../long-term/value.ts';
import { draftAt } from '../remember/draft.ts';
import { upsert, type Matching } from '../remember/upsert.ts';
import { storedIn } from '../short-term/short-term.ts';
import { standsFor } from './stands-for.ts';

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
 * Remembers the value for good under its own key, then removes it from short-term memory unless it changed meanwhile. Can be cut short and
 * repeated: the second time finds what the first one stored. What is too large for a memory is skipped, and stays. A
 * memory that has no name and says the same takes the key for its name; one that has another name is another one.
 */
export async function consolidateItem(
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
    let hadName = false;
    const { status, memory } = await upsert(
      dependencies,
      principal,
      { ...draft, provenance },
      {
        elsewhere: [],
        // Two structures that differ in one field look nearly the same.
        ...(content === value && lookingAlike(dependencies, content)),
        settle: (given, existing) => {
          hadName = existing?.externalId !== undefined;
          return given;
        },
      },
    );
    await discard(dependencies, principal, item);
    return { outcome: status === 'updated' && !hadName ? 'merged' : status, memory };
  } catch (error) {
    if (isTooLarge(error)) return { outcome: 'skipped' };
    throw error;
  }
}

function lookingAlike(
  { lifecycle }: Dependencies,
  text: string,
): Pick<Matching, 'dedupeThreshold' | 'isSameByMeaning'> {
  return {
    dedupeThreshold: NEAR_DUPLICATE_SIMILARITY,
    isSameByMeaning: (entry) =>
      valueOf(entry) === entry.content && standsFor(lifecycle.deduplication, entry.content, text),
  };
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
