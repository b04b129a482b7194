/** Writing one entry that may already exist elsewhere or in other words: then that entry is changed. */

import { partitionOf, type Placement } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddOutput } from '../../domain/remember.ts';
import { isAtLeast, trustOf } from '../../domain/trust.ts';
import type { EntryTransaction, Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertMayBePublished } from '../lifecycle/publish.ts';
import { placementOf } from '../scoping.ts';
import { draftText, identityOf, unembeddedText, type Draft } from './draft.ts';
import { Embeddings } from './embeddings.ts';
import { assertFields } from './fields.ts';
import { findLiving, type Living } from './living.ts';
import { resolve } from './resolve.ts';
import { outcomeOf, writeOf } from './write.ts';

interface Matched {
  readonly placement: Placement;
  /** Told in the transaction, perhaps more than once; the last time counts. */
  readonly found: (entries: readonly Entry[]) => void;
}

export interface Matching {
  /** Where else the same entry may be stored; it moves to the place of the draft, and keeps its id and history. */
  readonly elsewhere: readonly Placement[];
  /** Where the same may be stored as well: it stays there as it is, and is told of. */
  readonly beside?: Matched;
  /** Raw cosine similarity from which the nearest entry of the same place counts as the same. Default: none does. */
  readonly dedupeThreshold?: number | undefined;
  /** Whether an entry that is near enough is the same indeed. Default: it is. */
  readonly isSameByMeaning?: (entry: Entry) => boolean;
  /**
   * Reads the stored entry and returns what to write over it, except for the content: inside the transaction, so that
   * nothing comes in between. If it throws, nothing changes.
   */
  readonly settle?: (draft: Draft, existing: Entry | null) => Draft;
}

/**
 * By external id, else by content, else by meaning. Everything is decided inside the transaction, so that any number
 * of writers that say the same make one entry.
 */
export async function upsert(
  dependencies: Dependencies,
  principal: Principal,
  draft: Draft,
  matching: Matching,
): Promise<AddOutput> {
  const { entries, embedder } = dependencies;
  const known = choose(draft, await entries.findSame(principal, identitiesOf(draft, matching)));
  const embeddings = new Embeddings(embedder);
  const unembedded = unembeddedText(draft, known);
  if (unembedded !== undefined) await embeddings.prepare([unembedded]);
  const { output, expiredTexts } = await embeddings.retrying(() =>
    entries.transaction(principal, (tx) => upsertWithin(dependencies, principal, tx, draft, matching, embeddings)),
  );
  if (expiredTexts.length > 0) embedder.forget(expiredTexts);
  return output;
}

interface Upserted extends Pick<Living, 'expiredTexts'> {
  readonly output: AddOutput;
}

/** The same as a part of a transaction that does more, and that runs under `embeddings.retrying`. */
export async function upsertWithin(
  dependencies: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  draft: Draft,
  matching: Matching,
  embeddings: Embeddings,
): Promise<Upserted> {
  const identities = identitiesOf(draft, matching);
  const beside = besideOf(draft, matching);
  const now = new Date(dependencies.clock.now()).toISOString();
  // In one go, because each costs a way to the database and back.
  const { found: all, expiredTexts } = await findLiving(principal, tx, [...identities, ...beside], now);
  const found = all.slice(0, identities.length);
  matching.beside?.found(distinct(all.slice(identities.length)));
  const existing = choose(draft, found) ?? (await findNearest(principal, tx, draft, embeddings, matching));
  const settled = matching.settle?.(draft, existing) ?? draft;
  const output = await write(dependencies, principal, tx, settled, existing, embeddings, now);
  return { output, expiredTexts };
}

function identitiesOf(draft: Draft, { elsewhere }: Matching): Identity[] {
  return [draft.placement, ...elsewhere].map((placement) => identityOf({ ...draft, placement }));
}

/** By name and by content, each for itself: there may be one of either. */
function besideOf(draft: Draft, { beside }: Matching): Identity[] {
  if (beside === undefined) return [];
  const same = { ...identityOf({ ...draft, placement: beside.placement }), id: undefined };
  if (same.externalId === undefined) return [same];
  return [
    { ...same, contentHash: undefined },
    { ...same, externalId: undefined },
  ];
}

function distinct(found: readonly (Entry | null)[]): Entry[] {
  return [...new Map(found.flatMap((entry) => (entry ? [[entry.id, entry] as const] : []))).values()];
}

/** Of what is the same in several places: the external id wins over the content, then the place of the draft. */
function choose({ externalId }: Draft, found: readonly (Entry | null)[]): Entry | null {
  const living = found.filter((entry) => entry !== null);
  const named = externalId === undefined ? undefined : living.find((entry) => entry.externalId === externalId);
  return named ?? living[0] ?? null;
}

/** How many of the nearest are looked at, where not all of them may be the same. */
const NEAREST = 8;

/**
 * Only in the very place of the draft: what is private never becomes public, or the other way round, for merely
 * resembling something. An entry that goes by another external id is another entry, whatever it says; and words that are less
 * trusted never take the place of others.
 */
async function findNearest(
  principal: Principal,
  tx: EntryTransaction,
  draft: Draft,
  embeddings: Embeddings,
  { dedupeThreshold: threshold, isSameByMeaning }: Matching,
): Promise<Entry | null> {
  if (threshold === undefined) return null;
  const embedding = embeddings.of(draftText(draft));
  const { placement, externalId } = draft;
  const place = { partitions: [partitionOf(placement)] };
  const isNamed = externalId !== undefined;
  const trust = draft.made ?? trustOf(principal, draft.fields);
  const qualified = { ...place, ownerId: placement.ownerId, ...(isNamed && { hasExternalId: false }) };
  const isSame = (entry: Entry): boolean =>
    (!isNamed || entry.externalId === undefined) && isAtLeast(trust, entry.trust) && (isSameByMeaning?.(entry) ?? true);
  const count = isSameByMeaning ? NEAREST : 1;
  // Usually nothing is near, and that is known without checking the owner, which would double the cost.
  for (const reach of [place, qualified]) {
    const nearest = await tx.nearest(reach, embedding, reach === place ? 1 : count);
    const near = nearest.filter(({ similarity }) => similarity >= threshold).map(({ id }) => id);
    if (near.length === 0) return null;
    const found = await tx.find(near);
    const fitting = found.filter((entry) => entry.ownerId === placement.ownerId && isSame(entry));
    const [best] = fitting.toSorted((a, b) => near.indexOf(a.id) - near.indexOf(b.id));
    if (best) return best;
  }
  return null;
}

async function write(
  dependencies: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  draft: Draft,
  existing: Entry | null,
  embeddings: Embeddings,
  now: string,
): Promise<AddOutput> {
  const { ids, limits, quarantine } = dependencies;
  const { status, entry, told } = resolve(principal, draft, existing, () => ids.next(), now, quarantine);
  if (status === 'unchanged') return outcomeOf(told, status, false);
  const written = writeOf(entry, existing, embeddings);
  if (existing === null) {
    await tx.insert([written]);
  } else {
    // What fits alone may not fit together with what is stored already.
    assertFields(entry, limits);
    assertMayBePublished(dependencies, existing, entry);
    await assertNameIsFree(tx, entry);
    await tx.replace([written]);
  }
  return outcomeOf(told, status, written.embedding !== undefined);
}

/** An entry that moves takes its external id along, and may meet another one of that name. */
async function assertNameIsFree(tx: EntryTransaction, entry: Entry): Promise<void> {
  const { id, ownerId, externalId } = entry;
  if (externalId === undefined) return;
  const [other] = await tx.findSame([{ partition: partitionOf(placementOf(entry)), ownerId, externalId }]);
  if (!other || other.id === id) return;
  throw new LaminaError(
    'VERSION_CONFLICT',
    `Two memories go by the external id "${externalId}", one private and one public. Delete one of them first.`,
    { details: { conflictingId: other.id } },
  );
}
