/** Short-term memory: what an agent keeps in mind for a session, each value for its time and with its reads counted. */

import { LaminaError } from '../../domain/error.ts';
import { sessionNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  DEFAULT_SHORT_TERM_TTL,
  DEFAULT_SHORT_TERM_TYPE,
  FREQUENT_ACCESSES,
  type ClearShortTermOutput,
  type DeleteShortTermInput,
  type ListShortTermInput,
  type ListShortTermOutput,
  type ShortTermItem,
  type ShortTermKeyInput,
  type ShortTermSessionInput,
  type ShortTermStats,
  type StoredShortTerm,
  type WriteShortTermInput,
} from '../../domain/short-term.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Keeping, StateStore } from '../../ports/state-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownAgent } from '../own-agent.ts';
import { pageOf } from '../paging/page.ts';
import { assertSize } from '../records/record.ts';
import { noteAgent } from './session-agents.ts';

export interface ShortTerm {
  /** Replaces the value, its type and its time. Throws `VERSION_CONFLICT`, `LIMIT_EXCEEDED`. */
  write(principal: Principal, input: WriteShortTermInput): Promise<ShortTermItem>;
  /** Counts the read. */
  get(principal: Principal, input: ShortTermKeyInput): Promise<ShortTermItem | null>;
  /** Listing does not count as a read. */
  list(principal: Principal, input: ListShortTermInput): Promise<ListShortTermOutput>;
  /** False when it was not there. Throws `VERSION_CONFLICT`. */
  delete(principal: Principal, input: DeleteShortTermInput): Promise<boolean>;
  clear(principal: Principal, input: ShortTermSessionInput): Promise<ClearShortTermOutput>;
  /** Its own time to live begins again. Throws `NOT_FOUND`. */
  refreshTtl(principal: Principal, input: ShortTermKeyInput): Promise<ShortTermItem>;
  stats(principal: Principal, input: ShortTermSessionInput): Promise<ShortTermStats>;
}

/** Frequently read values are kept, hidden, after they expire, so that the next consolidation still finds them. */
const KEEPING: Keeping = { accesses: FREQUENT_ACCESSES, ms: 24 * 60 * 60 * 1000 };

/** What lies around a value in the store has fewer bytes than this. */
const WRAPPING_BYTES = 128;

type Needs = Pick<Dependencies, 'hot' | 'clock' | 'limits'>;

export function createShortTerm(dependencies: Needs): ShortTerm {
  const { hot } = dependencies;
  return {
    write: (principal, input) => write(dependencies, principal, input),
    get: async (principal, input) => {
      const place = placeOf(principal, input);
      const item = await hot.get(principal, place.namespace, input.key);
      if (item === null) return null;
      hot.touch(principal, place.namespace, input.key, KEEPING);
      return { ...place.owner, ...shown(item) };
    },
    list: (principal, input) => list(hot, principal, input),
    delete: (principal, input) =>
      hot.remove(principal, placeOf(principal, input).namespace, input.key, input.ifVersion),
    clear: async (principal, input) => {
      const { namespace, owner } = placeOf(principal, input);
      return { ...owner, deletedCount: await hot.clear(principal, namespace) };
    },
    refreshTtl: (principal, input) => refreshTtl(dependencies, principal, input),
    stats: async (principal, input) => {
      const { namespace, owner } = placeOf(principal, input);
      return { ...owner, ...(await hot.measure(principal, namespace)) };
    },
  };
}

interface Place {
  readonly namespace: string;
  readonly owner: { readonly sessionId: string; readonly agentId?: string };
}

/** Throws `FORBIDDEN` for an agent other than the calling one. */
function placeOf(principal: Principal, { sessionId, agentId: named }: ShortTermSessionInput): Place {
  const agentId = ownAgent(principal, named);
  return {
    namespace: sessionNamespace(principal.userId, agentId ?? '', sessionId),
    owner: { sessionId, ...(agentId !== undefined && { agentId }) },
  };
}

async function write(dependencies: Needs, principal: Principal, input: WriteShortTermInput): Promise<ShortTermItem> {
  const { hot, clock, limits } = dependencies;
  const { key, value, type = DEFAULT_SHORT_TERM_TYPE, ttlSeconds = DEFAULT_SHORT_TERM_TTL, ifVersion } = input;
  const { namespace, owner } = placeOf(principal, input);
  assertSize('value', value, limits);
  const expiresAt = clock.now() + ttlSeconds * 1000;
  if (owner.agentId !== undefined) {
    await noteAgent(dependencies, principal, owner.sessionId, owner.agentId, expiresAt);
  }
  const stored: StoredShortTerm = { type, ttlSeconds, value };
  const item = await hot.write(principal, namespace, key, {
    mutation: { type: 'set', value: { ...stored } },
    ifVersion,
    expiresAt,
    maxBytes: limits.valueBytes + WRAPPING_BYTES,
  });
  return { ...owner, ...shown(item) };
}

/** In the order of the keys. */
async function list(
  hot: StateStore,
  principal: Principal,
  { cursor, limit, ...which }: ListShortTermInput,
): Promise<ListShortTermOutput> {
  const { namespace, owner } = placeOf(principal, which);
  const { items, nextCursor } = await pageOf<StateItem>({
    list: { namespace },
    cursor,
    limit,
    // Keys have no time; each is there once.
    placeOf: ({ key }) => ({ at: 0, id: key }),
    read: (count, after) => hot.list(principal, namespace, count, after?.id),
  });
  return { ...owner, items: items.map(shown), count: items.length, nextCursor };
}

async function refreshTtl(
  { hot, clock, limits }: Needs,
  principal: Principal,
  input: ShortTermKeyInput,
): Promise<ShortTermItem> {
  const { namespace, owner } = placeOf(principal, input);
  for (;;) {
    const item = await hot.get(principal, namespace, input.key);
    if (item === null) throw new LaminaError('NOT_FOUND', `There is nothing under "${input.key}".`);
    const { ttlSeconds } = storedIn(item);
    try {
      const refreshed = await hot.write(principal, namespace, input.key, {
        mutation: { type: 'keep' },
        ifVersion: item.version,
        expiresAt: clock.now() + ttlSeconds * 1000,
        maxBytes: limits.valueBytes + WRAPPING_BYTES,
      });
      return { ...owner, ...shown(refreshed) };
    } catch (error) {
      // Written in between, perhaps with another time to live: look again.
      if (!(error instanceof LaminaError && error.code === 'VERSION_CONFLICT')) throw error;
    }
  }
}

/** What lies in the store under a key of short-term memory. */
export function storedIn({ value }: StateItem): StoredShortTerm {
  return value as unknown as StoredShortTerm;
}

function shown(item: StateItem): ListShortTermOutput['items'][number] {
  const { key, version, createdAt, updatedAt, expiresAt = updatedAt, accessCount, lastAccessedAt } = item;
  return {
    key,
    ...storedIn(item),
    expiresAt,
    accessCount,
    ...(lastAccessedAt !== undefined && { lastAccessedAt }),
    version,
    createdAt,
    updatedAt,
  };
}
