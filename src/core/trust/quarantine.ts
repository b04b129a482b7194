/** Reviewing quarantined memories: list, release or delete. For people: no agent reviews what it may have brought in. */

import { reachOf } from '../../domain/access.ts';
import type { ListOutput } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { TRUSTS } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer, Scope } from '../../domain/scope.ts';
import type { QuarantineListInput, QuarantineRejectInput, QuarantineReleaseInput } from '../../domain/quarantine.ts';
import { assertAdmin } from '../admin/assert-admin.ts';
import { recordAct } from '../admin/record-act.ts';
import { assertMayWriteEntry, assertVersion, canSee, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { remove } from '../forget/forget.ts';
import { pageOf } from '../paging/page.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { identifiersOf, isOutsideContexts, scopesOf } from '../scoping.ts';

/** All of it throws `FORBIDDEN` for agents, and for who names another user without administering the tenant. */
export interface QuarantineReview {
  /** Newest first. */
  list(principal: Principal, input: QuarantineListInput): Promise<ListOutput>;
  /** Into use, with a trust that this alone can raise. Of what is in use already, only the trust. */
  release(principal: Principal, input: QuarantineReleaseInput): Promise<Entry>;
  /** False where there is nothing of that id in quarantine. */
  reject(principal: Principal, input: QuarantineRejectInput): Promise<boolean>;
}

export function createQuarantineReview(dependencies: Dependencies): QuarantineReview {
  return {
    list: (principal, input) => list(dependencies, principal, input),
    release: (principal, input) => release(dependencies, principal, input),
    reject: (principal, input) => reject(dependencies, principal, input),
  };
}

async function list(
  dependencies: Dependencies,
  principal: Principal,
  { layer, identifiers, kinds, userId, cursor, limit }: QuarantineListInput,
): Promise<ListOutput> {
  const { entries } = dependencies;
  const owner = ownerFor(principal, userId);
  const scopes =
    identifiers === undefined
      ? await ownScopes(dependencies, owner, layer)
      : scopesOf(identifiers, layer === undefined ? undefined : [layer]);
  const selection = { partitions: reachOf(owner, scopes, kinds, 'quarantined') };
  const [page, totalCount] = await Promise.all([
    pageOf<Entry>({
      list: { quarantine: owner.userId, layer, identifiers, kinds },
      cursor,
      limit,
      placeOf: ({ createdAt, id }) => ({ at: Date.parse(createdAt), id }),
      read: (count, after) => entries.list(owner, selection, count, after && { createdAt: after.at, id: after.id }),
    }),
    entries.count(owner, selection),
  ]);
  return { memories: page.items, nextCursor: page.nextCursor, totalCount };
}

/** The layers of which a person has any number, each under a name that a review need not know. */
const MANY: readonly Layer[] = ['agent', 'session'];

/**
 * All that opens without naming anything, with every agent and session of the owner: what strangers say comes in with the
 * turns of some agent. Only those with anything that waits: there may be thousands of others, and each costs time.
 */
async function ownScopes({ entries }: Dependencies, owner: Principal, layer: Layer | undefined): Promise<Scope[]> {
  const isMeant = (one: Layer): boolean => layer === undefined || layer === one;
  const many = MANY.filter(isMeant).map((one) => entries.personalScopes(owner, one, owner.userId, 'quarantined'));
  const named = (await Promise.all(many)).flat().filter(isOutsideContexts);
  if (layer !== undefined && MANY.includes(layer)) return named;
  return [...named, ...scopesOf(identifiersOf(owner, undefined), layer === undefined ? undefined : [layer])];
}

async function release(
  dependencies: Dependencies,
  principal: Principal,
  { id, trust, expectedVersion, userId }: QuarantineReleaseInput,
): Promise<Entry> {
  const { entries, embedder, clock } = dependencies;
  const owner = ownerFor(principal, userId);
  const reviewed = (current: Entry | undefined): Entry => {
    if (current === undefined) throw notFound(id);
    assertMayWriteEntry(owner, current);
    assertVersion(current, expectedVersion);
    const { quarantined: _why, ...provenance } = current.provenance ?? {};
    const change = {
      trust: trust ?? current.trust,
      ...(current.status === 'quarantined' && { status: 'active' as const }),
      provenance: Object.keys(provenance).length === 0 ? null : provenance,
    };
    return revised(current, change, new Date(clock.now()).toISOString());
  };
  const [known] = await entries.find(owner, [id]);
  const foreseen = reviewed(known);
  if (foreseen === known) return known;
  await recordAct(dependencies, principal, 'quarantine.release', { about: { entryId: id, trust: foreseen.trust } });
  return entries.transaction(owner, async (tx) => {
    const [current] = await tx.find([id]);
    const next = reviewed(current);
    if (current && next !== current) await tx.replace([writeOf(next, current, new Embeddings(embedder))]);
    return next;
  });
}

async function reject(
  dependencies: Dependencies,
  principal: Principal,
  { id, expectedVersion, userId }: QuarantineRejectInput,
): Promise<boolean> {
  const owner = ownerFor(principal, userId);
  const isMeant = ({ status }: Entry): boolean => status === 'quarantined';
  const [known] = await dependencies.entries.find(owner, [id]);
  if (known === undefined || !canSee(owner, known) || !isMeant(known)) return false;
  assertMayWriteEntry(owner, known);
  await recordAct(dependencies, principal, 'quarantine.reject', { about: { entryId: id } });
  return remove(dependencies, owner, { id, expectedVersion }, isMeant);
}

/** In whose name it is done. */
function ownerFor(principal: Principal, userId: string = principal.userId): Principal {
  if (principal.agentId !== undefined) {
    throw new LaminaError(
      'FORBIDDEN',
      `Agents do not review what is quarantined, nor say that it is trusted as ${TRUSTS[0]}. Act as the user, without an agent.`,
    );
  }
  if (userId === principal.userId) return principal;
  assertAdmin(principal);
  return { tenantId: principal.tenantId, userId };
}
