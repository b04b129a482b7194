/** A write as it was asked for, checked and placed, before anything is known of what is stored already. */

import { assertMayWriteScope, defaultVisibility, ownerOf, partitionOf, type Placement } from '../../domain/access.ts';
import type { EntryFields } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddInput } from '../../domain/remember.ts';
import { scopeOf, type Identifiers } from '../../domain/scope.ts';
import type { Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { identifiersOf } from '../scoping.ts';
import { assertContent, contentHash } from './content.ts';
import { assertFields } from './fields.ts';

export interface Draft {
  readonly id: string | undefined;
  readonly externalId: string | undefined;
  readonly content: string;
  readonly contentHash: string;
  readonly placement: Placement;
  readonly identifiers: Identifiers;
  readonly fields: EntryFields;
}

/** Throws when the input cannot be stored, or not by this principal. */
export function draftOf({ limits }: Dependencies, principal: Principal, input: AddInput): Draft {
  const { content, layer, identifiers: given, kind = 'semantic', id, externalId, ...fields } = input;
  const identifiers = identifiersOf(principal, given);
  const scope = scopeOf(layer, identifiers);
  assertMayWriteScope(principal, scope);
  assertContent(content, limits);
  assertFields(fields, limits);
  const visibility = fields.visibility ?? defaultVisibility(scope, kind);
  const ownerId = ownerOf(principal, scope, kind, visibility);
  return {
    id,
    externalId,
    content,
    contentHash: contentHash(content),
    placement: { scope, kind, visibility, ownerId },
    identifiers,
    fields,
  };
}

/** Episodes are occurrences: saying "yes" twice happened twice. Everything else is the same when it says the same. */
export function identityOf(draft: Draft): Identity {
  const { placement, id, externalId } = draft;
  const isOccurrence = placement.kind === 'episodic';
  return {
    id,
    externalId,
    partition: partitionOf(placement),
    ownerId: placement.ownerId,
    ...(!isOccurrence && { contentHash: draft.contentHash }),
  };
}
