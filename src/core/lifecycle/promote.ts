/** Promoting a memory to a broader layer: a copy of it, without personal data and secrets where a group gets to see it. */

import { assertMayWriteScope, ownerOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { invalidField, LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { isBroader, mayBePromoted, type PromoteInput, type PromoteOutput } from '../../domain/promotion.ts';
import { redactWithin, type RedactionCounts } from '../../domain/redaction.ts';
import { PERSONAL_LAYERS, scopeOf, type Scope } from '../../domain/scope.ts';
import { assertVersion, canSee, notFound } from '../browse/sight.ts';
import { assertNotUnreadable } from '../browse/unreadable.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { upsert, type Matching } from '../remember/upsert.ts';
import { identifiersOf, isOutsideContexts } from '../scoping.ts';

/**
 * Throws `MEMORY_NOT_FOUND`; `FORBIDDEN` for what is confidential or restricted, and for a layer that is not the caller's to
 * write to; `VALIDATION_FAILED` for a layer that is not broader.
 */
export async function promote(
  dependencies: Dependencies,
  principal: Principal,
  { id, layer, identifiers, expectedVersion }: PromoteInput,
): Promise<PromoteOutput> {
  const [entry] = await dependencies.entries.find(principal, [id]);
  if (entry === undefined) await assertNotUnreadable(dependencies.entries, principal, id, isOutsideContexts);
  if (entry === undefined || !canSee(principal, entry) || !isOutsideContexts(entry)) throw notFound(id);
  assertVersion(entry, expectedVersion);
  if (entry.status === 'quarantined') throw unreviewed();
  if (!isBroader(layer, entry.layer)) {
    throw invalidField(
      'layer',
      `a memory is promoted to a broader layer, and ${layer} is not broader than ${entry.layer}`,
    );
  }
  const scope = scopeOf(layer, identifiersOf(principal, identifiers));
  assertMayWriteScope(principal, scope);
  if (!mayBePromoted(entry)) {
    dependencies.telemetry?.promotionsBlocked?.(1);
    throw new LaminaError('FORBIDDEN', `A memory that is ${entry.sensitivity} is never promoted.`, {
      details: { sensitivity: entry.sensitivity, blocked: 1 },
    });
  }
  return promoteTo(dependencies, principal, entry, scope);
}

function unreviewed(): LaminaError {
  return new LaminaError(
    'FORBIDDEN',
    'A memory that is quarantined is never promoted. Release it first, if it is harmless.',
  );
}

/** To a scope that the principal may write to, of an entry that may be promoted. Repeatable: the second finds the first. */
async function promoteTo(
  dependencies: Dependencies,
  principal: Principal,
  entry: Entry,
  scope: Scope,
): Promise<PromoteOutput> {
  const { draft, redactions } = promotedDraft(dependencies, principal, entry, scope);
  const { memory, status } = await upsert(dependencies, principal, draft, ONCE);
  return { memory, status, redactions };
}

/** How a copy meets what is there. */
export const ONCE: Matching = {
  elsewhere: [],
  settle: (draft, existing) => (existing === null ? draft : asItStands(draft, existing)),
};

/** What says the same already stays whose it is, where it came from, and ended where it has ended. */
function asItStands(draft: Draft, { validTo, provenance }: Entry): Draft {
  return { ...draft, fields: { validTo }, provenance };
}

/** A name of its caller's and a pointer to a knowledge item belong to the one entry, and stay with it. */
export function promotedDraft(
  dependencies: Dependencies,
  principal: Principal,
  entry: Entry,
  scope: Scope,
  runId?: string,
): { readonly draft: Draft; readonly redactions: RedactionCounts } {
  const { kind, content, metadata, tags, source, triggerCondition, procedureType, role, speaker, turn } = entry;
  const { sensitivity, importance, confidence, relevance, decayFactor, validFrom, validTo, expiresAt } = entry;
  const isShared = !PERSONAL_LAYERS.has(scope.layer);
  const said = { content, speaker, metadata, tags, source, triggerCondition };
  const { value, counts } = isShared ? redactWithin(said) : { value: said, counts: {} };
  const visibility = isShared ? 'shared' : 'private';
  const placement = { scope, kind, visibility, ownerId: ownerOf(principal, scope, kind, visibility) } as const;
  const draft = draftAt(dependencies, placement, {
    ...value,
    visibility,
    sensitivity,
    importance,
    confidence,
    relevance,
    decayFactor,
    procedureType,
    role,
    turn,
    validFrom,
    validTo,
    expiresAt,
  });
  const provenance = { promotedFromEntry: entry.id, ...(runId !== undefined && { runId }) };
  return { draft: { ...draft, made: entry.trust, provenance }, redactions: counts };
}
