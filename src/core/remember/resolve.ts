/** What a write does to what is stored: create, update, or nothing. Pure. */

import { isDeepStrictEqual } from 'node:util';
import { mayWrite, type Placement } from '../../domain/access.ts';
import { withoutKeys, type Entry, type EntryFields, type Provenance } from '../../domain/entry.ts';
import { idTaken } from '../../domain/error.ts';
import { stricter } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { DEFAULT_QUARANTINE, type Quarantine } from '../../domain/quarantine.ts';
import type { WriteStatus } from '../../domain/remember.ts';
import { scopeKey } from '../../domain/scope.ts';
import { canSee } from '../browse/sight.ts';
import { placementOf } from '../scoping.ts';
import { settleTrust, type Written } from '../trust/settle-trust.ts';
import type { Draft } from './draft.ts';
import { mergeFields, type TIMES } from './fields.ts';

export interface Resolution {
  readonly status: WriteStatus;
  readonly entry: Entry;
  /** The part that is returned to the writer. */
  readonly told: Entry;
}

/** What a write sets; what it leaves out stays. */
export interface Change extends EntryFields {
  readonly removeMetadata?: readonly string[] | undefined;
  /** Times that it no longer has. */
  readonly removeTimes?: readonly (typeof TIMES)[number][] | undefined;
  readonly content?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly externalId?: string | undefined;
  /** Its new place. */
  readonly place?: Pick<Entry, 'layer' | 'identifiers'> | undefined;
  readonly status?: Entry['status'] | undefined;
  /** Its new provenance; null for none. */
  readonly provenance?: Provenance | null | undefined;
}

const DEFAULTS = {
  metadata: {},
  sensitivity: 'internal',
  trust: 'user',
  importance: 0.5,
  confidence: 1,
  relevance: 1,
  decayFactor: 1,
} as const satisfies Partial<Entry>;

function created(draft: Draft, newId: string, now: string): Entry {
  const { placement } = draft;
  const blank: Entry = {
    // In the order in which people read it. Spelled out: to spread the defaults takes longer than all the rest.
    id: draft.id ?? newId,
    kind: placement.kind,
    layer: placement.scope.layer,
    identifiers: draft.identifiers,
    content: draft.content,
    metadata: DEFAULTS.metadata,
    tags: [],
    sensitivity: DEFAULTS.sensitivity,
    trust: DEFAULTS.trust,
    importance: DEFAULTS.importance,
    confidence: DEFAULTS.confidence,
    relevance: DEFAULTS.relevance,
    decayFactor: DEFAULTS.decayFactor,
    visibility: placement.visibility,
    ownerId: placement.ownerId,
    contentHash: draft.contentHash,
    status: 'active',
    version: 1,
    previousVersion: null,
    accessCount: 0,
    createdAt: now,
    updatedAt: now,
  };
  if (draft.externalId !== undefined) blank.externalId = draft.externalId;
  if (draft.provenance !== undefined) blank.provenance = draft.provenance;
  return mergeFields(blank, draft.fields);
}

/** The entry with a change applied as its next version, or the very same entry when the change changes nothing. */
export function revised(entry: Entry, change: Change, now: string): Entry {
  const { content, contentHash, externalId, place, status, provenance, removeMetadata, removeTimes, ...fields } =
    change;
  const next = mergeFields({ ...entry, metadata: withoutKeys(entry.metadata, removeMetadata) }, fields);
  for (const name of removeTimes ?? []) delete next[name];
  if (place !== undefined) Object.assign(next, place);
  if (status !== undefined) next.status = status;
  if (provenance === null) delete next.provenance;
  else if (provenance !== undefined) next.provenance = provenance;
  if (content !== undefined && contentHash !== undefined && contentHash !== entry.contentHash) {
    Object.assign(next, { content, contentHash });
  }
  if (externalId !== undefined) next.externalId = externalId;
  if (isDeepStrictEqual(withoutRun(next), withoutRun(entry))) return entry;
  if (provenance === undefined) dropRun(next);
  return { ...next, version: entry.version + 1, previousVersion: entry.version, updatedAt: now };
}

/** The same, but a version of its own even where the entry says all of it already: what happened is told by its version. */
export function revisedAnyway(entry: Entry, change: Change, now: string): Entry {
  const next = revised(entry, change, now);
  if (next !== entry) return next;
  const { provenance } = change;
  const said = provenance ? { ...entry, provenance } : entry;
  return { ...said, version: entry.version + 1, previousVersion: entry.version, updatedAt: now };
}

/** Another run with the same result is not a change. */
function withoutRun(entry: Entry): Entry {
  const copy = { ...entry };
  dropRun(copy);
  return copy;
}

/** The run that made the version before did not make this one. */
function dropRun(entry: Entry): void {
  if (entry.provenance?.runId === undefined) return;
  const { runId: _before, ...rest } = entry.provenance;
  if (Object.keys(rest).length === 0) delete entry.provenance;
  else entry.provenance = rest;
}

function isSamePlace(a: Placement, b: Placement): boolean {
  return scopeKey(a.scope) === scopeKey(b.scope) && a.kind === b.kind && a.ownerId === b.ownerId;
}

/** A caller may bring its own id, but never take over the record that has it already. */
function assertOwnId(principal: Principal, existing: Entry, draft: Draft): void {
  if (existing.id !== draft.id) return;
  const place = placementOf(existing);
  const isOwn = mayWrite(principal, place) && isSamePlace(place, draft.placement);
  const isSameContent = existing.contentHash === draft.contentHash;
  const isSame = draft.externalId === undefined ? isSameContent : existing.externalId === draft.externalId;
  if (isOwn && isSame) return;
  throw idTaken(existing.id);
}

/** Where an entry that lies in another scope than the draft moves to. */
function newPlace(existing: Entry, { placement: { scope }, identifiers }: Draft): Change['place'] {
  const isThere = scopeKey(placementOf(existing).scope) === scopeKey(scope);
  return isThere ? undefined : { layer: scope.layer, identifiers };
}

/** A repeated entry is active again, and no longer counts as merged into another. */
function standing(existing: Entry, { provenance }: Draft): Pick<Change, 'status' | 'provenance'> {
  if (existing.status !== 'archived') {
    return { provenance: provenance && { ...existing.provenance, ...provenance } };
  }
  const { mergedInto: _into, runId: _by, ...rest } = { ...existing.provenance, ...provenance };
  const kept = provenance?.runId === undefined ? rest : { ...rest, runId: provenance.runId };
  return { status: 'active', provenance: Object.keys(kept).length === 0 ? null : kept };
}

/**
 * Whether the draft says that something holds which had ended: it says so of now, or from a time when it no longer held. What happened
 * does not happen again by being told again.
 */
function holdsAgain({ kind, validTo }: Entry, { fields }: Draft, now: string): boolean {
  if (kind === 'episodic' || validTo === undefined || fields.validTo !== undefined) return false;
  const end = Date.parse(validTo);
  return end <= Date.parse(now) && Date.parse(fields.validFrom ?? now) >= end;
}

export function resolve(
  principal: Principal,
  draft: Draft,
  existing: Entry | null,
  newId: () => string,
  now: string,
  quarantine: Quarantine = DEFAULT_QUARANTINE,
): Resolution {
  const settled = (next: Entry): Entry => settleTrust(quarantine, principal, writtenBy(draft, next), next, existing);
  if (existing === null) {
    const entry = settled(created(draft, newId(), now));
    return { status: 'created', entry, told: entry };
  }
  assertOwnId(principal, existing, draft);
  const entry = settled(revised(existing, changeOf(existing, draft, now), now));
  const told = canSee(principal, existing) ? entry : asSaid(draft, entry);
  return { status: entry === existing ? 'unchanged' : 'updated', entry, told };
}

/** Without what others wrote into it, which is not for this writer to see. */
function asSaid(draft: Draft, { id, version, previousVersion, status, trust, createdAt, updatedAt }: Entry): Entry {
  const said = created(draft, id, createdAt);
  return { ...said, id, version, previousVersion, status, trust, createdAt, updatedAt };
}

function writtenBy({ made, fields }: Draft, next: Entry): Written {
  return { made, source: fields.source ?? next.source, role: fields.role ?? next.role, trust: fields.trust };
}

function changeOf(existing: Entry, draft: Draft, now: string): Change {
  const { content, contentHash, externalId, maxSensitivity, keepsSource, fields: given } = draft;
  const sensitivity = maxSensitivity && stricter(existing.sensitivity, given.sensitivity);
  // A writer who may not see it cannot change it, even by repeating it. Raising the sensitivity is always allowed.
  if (maxSensitivity && stricter(existing.sensitivity, maxSensitivity) !== maxSensitivity) return { sensitivity };
  const fields = {
    ...given,
    ...(keepsSource === true && existing.source && { source: existing.source }),
    ...(sensitivity && { sensitivity }),
  };
  return {
    ...fields,
    content,
    contentHash,
    externalId,
    place: newPlace(existing, draft),
    removeTimes: holdsAgain(existing, draft, now) ? ['validTo'] : undefined,
    ...standing(existing, draft),
  };
}
