/** Changing what is known of a fact, and deleting it. What it says does not change: something else is another fact. */

import { isDeepStrictEqual } from 'node:util';
import { LaminaError } from '../../domain/error.ts';
import { withoutKeys } from '../../domain/entry.ts';
import { factReach, type DeleteFactInput, type Fact, type UpdateFactInput } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import { leastTrust, trustOf } from '../../domain/trust.ts';
import type { FactDraft, FactTransaction } from '../../ports/fact-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertVersion, isoAt, merged, orAbsent, utc } from '../records/record.ts';
import { assertDraft, asStored } from './fact-draft.ts';
import { lessTrusted, mayRevise } from '../trust/settle-trust.ts';
import { outlasts, saysTheSame } from './timeline.ts';

/** Null when it is not there, or not this principal's to see. */
export function visible(principal: Principal, fact: Fact | null | undefined): Fact | null {
  return fact && factReach(principal, [fact]).length > 0 ? fact : null;
}

export async function updateFact(
  { facts, clock, limits }: Dependencies,
  principal: Principal,
  { factId, ifVersion, ...change }: UpdateFactInput,
): Promise<Fact> {
  // What is not there costs no transaction.
  orAbsent('fact', visible(principal, await facts.find(principal, factId)));
  return facts.transaction(principal, async (tx) => {
    const [found] = await tx.find([factId]);
    const current = orAbsent('fact', visible(principal, found));
    assertVersion(current, ifVersion);
    const written = trustOf(principal, change);
    if (!mayRevise(current.trust, written)) throw lessTrusted(factId, current.trust, written);
    const changes = changed(current, change);
    if (isDeepStrictEqual(changes, current)) return current;
    const next = { ...changes, trust: leastTrust(current.trust, written) };
    assertDraft(next, limits);
    if (next.validFrom !== current.validFrom || next.validTo !== current.validTo) await assertDistinct(tx, next);
    const [fact] = await tx.replace([{ ...next, updatedAt: isoAt(clock.now()) }]);
    return orAbsent('fact', fact ?? null);
  });
}

/** False when it was not there, or not this principal's to see. */
export async function deleteFact(
  { facts }: Dependencies,
  principal: Principal,
  { factId, ifVersion }: DeleteFactInput,
): Promise<boolean> {
  if (visible(principal, await facts.find(principal, factId)) === null) return false;
  return facts.transaction(principal, async (tx) => {
    const [found] = await tx.find([factId]);
    const current = visible(principal, found);
    if (current === null) return false;
    assertVersion(current, ifVersion);
    await tx.remove([factId]);
    return true;
  });
}

function changed(
  current: Fact,
  { metadata = {}, removeMetadata, validFrom, validTo, ...given }: Omit<UpdateFactInput, 'factId'>,
): Fact {
  return merged<Fact>(current, {
    ...given,
    metadata: { ...withoutKeys(current.metadata, removeMetadata), ...asStored(metadata) },
    validFrom: validFrom && utc(validFrom),
    validTo: validTo && utc(validTo),
  });
}

/** What says the same does not hold twice at the same time. */
async function assertDistinct(tx: FactTransaction, next: FactDraft): Promise<void> {
  const { layer, identifiers, factType, subject, predicate, object, validFrom, validTo } = next;
  const query = { scope: { layer, identifiers }, factType, subject, predicate, object, from: validFrom };
  const known = await tx.timelines([query]);
  const overlapping = known.find(
    (other) =>
      other.factId !== next.factId &&
      saysTheSame(other, next) &&
      outlasts(other, validFrom) &&
      (validTo === null || other.validFrom < validTo),
  );
  if (overlapping === undefined) return;
  throw new LaminaError(
    'VERSION_CONFLICT',
    'Another fact in the same scope already says this for a part of that time.',
    {
      details: { conflictingId: overlapping.factId },
    },
  );
}
