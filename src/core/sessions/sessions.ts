/** Sessions: conversations, each seen and changed by its user only. */

import { invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type {
  CreateSessionInput,
  DeleteSessionInput,
  ListSessionsInput,
  ListSessionsOutput,
  Session,
  UpdateSessionInput,
  UpdateSessionOutput,
} from '../../domain/session.ts';
import type { Dependencies } from '../dependencies.ts';
import { forget } from '../forget/forget.ts';
import { cleanUpSession, clearSession } from '../plans/clean-up.ts';
import { recordPage } from '../records/page.ts';
import { promoteImportant } from './promote-important.ts';
import { forgetSession } from '../short-term/session-agents.ts';
import { assertSize, assertVersion, isoAt, merged, orAbsent, taken, utc } from '../records/record.ts';

export interface Sessions {
  /** Throws `VERSION_CONFLICT` when the id is taken. */
  create(principal: Principal, input: CreateSessionInput): Promise<Session>;
  get(principal: Principal, sessionId: string): Promise<Session | null>;
  list(principal: Principal, input: ListSessionsInput): Promise<ListSessionsOutput>;
  /** Throws `NOT_FOUND` or `VERSION_CONFLICT`. */
  update(principal: Principal, input: UpdateSessionInput): Promise<UpdateSessionOutput>;
  /** False when it was not there. */
  delete(principal: Principal, input: DeleteSessionInput): Promise<boolean>;
}

export function createSessions(dependencies: Dependencies): Sessions {
  const { sessions } = dependencies.records;
  return {
    create: (principal, input) => create(dependencies, principal, input),
    get: (principal, sessionId) => sessions.get(principal, sessionId),
    list: (principal, input) => list(dependencies, principal, input),
    update: (principal, input) => update(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input),
  };
}

async function create(dependencies: Dependencies, principal: Principal, input: CreateSessionInput): Promise<Session> {
  const { records, clock, ids, limits } = dependencies;
  assertSize('metadata', input.metadata, limits);
  const now = isoAt(clock.now());
  const sessionId = input.sessionId ?? ids.next();
  const session = await records.sessions.create(principal, {
    ...input,
    sessionId,
    userId: principal.userId,
    agentId: input.agentId ?? principal.agentId,
    metadata: input.metadata ?? {},
    lastInteraction: now,
    createdAt: now,
    updatedAt: now,
  });
  if (session === null) throw taken('session', sessionId);
  return session;
}

async function list(
  { records }: Dependencies,
  principal: Principal,
  { agentId, limit, cursor }: ListSessionsInput,
): Promise<ListSessionsOutput> {
  const page = await recordPage(records.sessions, principal, {
    list: 'sessions',
    where: { ...(agentId !== undefined && { agentId: [agentId] }) },
    limit,
    cursor,
    place: (session) => [session.lastInteraction, session.sessionId],
  });
  return { sessions: page.items, count: page.items.length, nextCursor: page.nextCursor };
}

async function update(
  dependencies: Dependencies,
  principal: Principal,
  input: UpdateSessionInput,
): Promise<UpdateSessionOutput> {
  const { records, clock, limits } = dependencies;
  const { sessionId, ifVersion, ended, endedAt, lastInteraction, cascade = false, ...fields } = input;
  assertSize('metadata', fields.metadata, limits);
  if (ended === false && endedAt !== undefined)
    throw invalidField('ended', 'is false, though endedAt says when it ended');
  const changed = await records.sessions.change(principal, sessionId, (current) => {
    assertVersion(current, ifVersion);
    const now = isoAt(clock.now());
    const { endedAt: before, ...rest } = merged(current, fields);
    const end = ended === false ? undefined : endedAt !== undefined ? utc(endedAt) : (before ?? (ended && now));
    if (cascade && !end) throw invalidField('cascade', 'goes with the end of the session');
    const times = { lastInteraction: lastInteraction === undefined ? now : utc(lastInteraction), updatedAt: now };
    return { ...rest, ...times, ...(end && { endedAt: end }) };
  });
  const session = orAbsent('session', changed);
  if (cascade) await clearSession(dependencies, principal, sessionId);
  // Also when it had ended before: a call that was cut short can be repeated.
  const isEnding = ended === true || endedAt !== undefined;
  if (!isEnding || !dependencies.lifecycle.sessionCleanup.promoteImportant) return session;
  const { promoted, blocked } = await promoteImportant(dependencies, principal, sessionId);
  return { ...session, cleanUp: { promoted: promoted.length, blocked } };
}

/** The session goes last, so that a call that was cut short can be repeated. */
async function remove(
  dependencies: Dependencies,
  principal: Principal,
  { sessionId, cascade = false }: DeleteSessionInput,
): Promise<boolean> {
  const { sessions } = dependencies.records;
  if (cascade) {
    if ((await sessions.get(principal, sessionId)) === null) return false;
    await cleanUpSession(dependencies, principal, sessionId);
    await forgetSession(dependencies, principal, sessionId);
    await forget(dependencies, principal, {
      layer: 'session',
      identifiers: { userId: principal.userId, sessionId },
    });
  }
  return (await sessions.remove(principal, sessionId)) !== null;
}
