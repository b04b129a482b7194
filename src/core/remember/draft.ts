/** A write as requested, checked and placed, before looking at what is stored. */

import {
  assertMayWriteScope,
  defaultVisibility,
  ownerOf,
  partitionOf,
  type Partition,
  type Placement,
  type Visibility,
} from '../../domain/access.ts';
import type { Entry, EntryFields, Provenance } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import type { Kind, Sensitivity, Trust } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddInput } from '../../domain/remember.ts';
import { PERSONAL_LAYERS, scopeOf, type Identifiers, type Layer } from '../../domain/scope.ts';
import type { Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { identifiersOf } from '../scoping.ts';
import { assertContent, contentHash, embeddedText } from './content.ts';
import { assertFields, assertUnexpired } from './fields.ts';

export interface Draft {
  readonly id: string | undefined;
  readonly externalId: string | undefined;
  readonly content: string;
  readonly contentHash: string;
  /** Whether only its external id decides identity; otherwise the content does too. */
  readonly isKnownByName?: boolean | undefined;
  /** Whether what is known already stays with the source that it has: where it came up, not who said it last. */
  readonly keepsSource?: boolean | undefined;
  /** The highest sensitivity that the writer may see. More sensitive entries stay as they are; nothing is lowered. */
  readonly maxSensitivity?: Sensitivity | undefined;
  readonly placement: Placement;
  readonly identifiers: Identifiers;
  readonly fields: EntryFields;
  /** The lowest trust of its sources, if Lamina writes it on its own. Default: by its source and its writer. */
  readonly made?: Trust | undefined;
  /** Its provenance, if Lamina writes it on its own. */
  readonly provenance?: Provenance | undefined;
}

/** What is to be written, without its place. */
type Writing = EntryFields & Pick<AddInput, 'content' | 'id' | 'externalId'>;

/** Throws when the input cannot be stored, or not by this principal. */
export function draftOf(dependencies: Dependencies, principal: Principal, input: AddInput): Draft {
  return drafting(dependencies, principal)(input);
}

/** The same for many inputs of one principal, which mostly go to the same few places. */
export function drafting(dependencies: Dependencies, principal: Principal): (input: AddInput) => Draft {
  const known = new Map<string, Place>();
  const ownPlace = (layer: Layer, kind: Kind, visibility: Visibility | undefined): Place => {
    const name = `${layer} ${kind} ${visibility}`;
    const place = known.get(name) ?? placeOf(principal, layer, undefined, kind, visibility);
    known.set(name, place);
    return place;
  };
  return (input) => {
    const { content, id, externalId, layer, identifiers, kind = 'semantic', byNameOnly = false, ...rest } = input;
    const { maxSensitivity, ...fields } = rest;
    if (byNameOnly && externalId === undefined) throw invalidField('byNameOnly', 'needs an externalId');
    assertUnexpired(fields, dependencies.clock.now());
    const { placement, named } =
      identifiers === undefined
        ? ownPlace(layer, kind, fields.visibility)
        : placeOf(principal, layer, identifiers, kind, fields.visibility);
    return {
      ...checked(dependencies, content, fields),
      id,
      externalId,
      placement,
      // Its own: what is answered may be changed by whoever gets it.
      identifiers: { ...named },
      isKnownByName: byNameOnly,
      maxSensitivity,
    };
  };
}

interface Place {
  readonly placement: Placement;
  /** The identifiers that are stored with what is written there. */
  readonly named: Identifiers;
}

/** Throws when this principal may not write there. */
function placeOf(
  principal: Principal,
  layer: Layer,
  given: Identifiers | undefined,
  kind: Kind,
  wanted: Visibility | undefined,
): Place {
  const identifiers = identifiersOf(principal, given);
  const scope = scopeOf(layer, identifiers);
  assertMayWriteScope(principal, scope);
  const visibility = wanted ?? defaultVisibility(scope, kind);
  const ownerId = ownerOf(principal, scope, kind, visibility);
  // Identifiers that were not named are not stored, except for the agent that wrote it.
  const { companyId: _tenant, ...own } = identifiers;
  const named = given ?? (PERSONAL_LAYERS.has(layer) ? own : scope.identifiers);
  return { placement: { scope, kind, visibility, ownerId }, named };
}

/** A draft for a place that the caller is known to be allowed to write to. Throws when it cannot be stored. */
export function draftAt(
  dependencies: Dependencies,
  placement: Placement,
  { content, id, externalId, ...fields }: Writing,
  identifiers: Identifiers = placement.scope.identifiers,
): Draft {
  return { ...checked(dependencies, content, fields), id, externalId, placement, identifiers };
}

function checked(
  { limits }: Dependencies,
  content: string,
  fields: EntryFields,
): Pick<Draft, 'content' | 'contentHash' | 'fields'> {
  assertContent(content, limits);
  assertFields(fields, limits);
  return { content, contentHash: contentHash(content), fields };
}

/** Episodes are occurrences: saying "yes" twice happened twice. Everything else is the same when it says the same. */
export function identityOf(draft: Draft): Identity {
  return identityIn(partitionOf(draft.placement), draft);
}

function identityIn(partition: Partition, draft: Draft): Identity {
  const { placement, id, externalId } = draft;
  const isOccurrence = placement.kind === 'episodic';
  const isKnownByContent = !isOccurrence && draft.isKnownByName !== true;
  const said = isKnownByContent ? draft.contentHash : undefined;
  return { id, externalId, partition, ownerId: placement.ownerId, contentHash: said };
}

/** The same for many drafts: those of one place share their partition. */
export function identifying(): (draft: Draft) => Identity {
  const partitions = new Map<Placement, Partition>();
  return (draft) => {
    const partition = partitions.get(draft.placement) ?? partitionOf(draft.placement);
    partitions.set(draft.placement, partition);
    return identityIn(partition, draft);
  };
}

/** What has to be embedded to write the draft over this entry; undefined if its vector is still valid. */
export function unembeddedText(draft: Draft, known: Entry | null | undefined): string | undefined {
  if (!known) return draftText(draft);
  // What is left out stays, and of two spellings of one content the first.
  const content = known.contentHash === draft.contentHash ? known.content : draft.content;
  const triggerCondition = draft.fields.triggerCondition ?? known.triggerCondition;
  const text = draftText({ ...draft, content, fields: { triggerCondition } });
  return text === embeddedText(known) ? undefined : text;
}

/** What the vector of a new entry will be made from. */
export function draftText({ content, placement, fields: { triggerCondition } }: Draft): string {
  const { kind, scope, ownerId } = placement;
  return embeddedText({ kind, layer: scope.layer, ownerId, content, triggerCondition });
}
