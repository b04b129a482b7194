/** Changing an entry: a new version replaces the old one, which is kept. */

import { mayWrite, partitionOf } from '../../domain/access.ts';
import { isClosed, unreadable } from '../../domain/closed-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { DEFAULT_QUARANTINE } from '../../domain/quarantine.ts';
import type { UpdateInput, UpdateOutput } from '../../domain/remember.ts';
import { scopeKey } from '../../domain/scope.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import { assertMayWriteEntry, assertVersion, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertMayBePublished } from '../lifecycle/publish.ts';
import { placementOf } from '../scoping.ts';
import { settleTrust } from '../trust/settle-trust.ts';
import { assertContent, contentHash, embeddedText } from './content.ts';
import { Embeddings } from './embeddings.ts';
import { assertFields, assertUnexpired, TIMES } from './fields.ts';
import { findLiving, type Living } from './living.ts';
import { revised, type Change } from './resolve.ts';
import { writeOf } from './write.ts';

/** Reads the stored entry inside the transaction, and returns what else changes: its place, its owner. */
export type Settle = (next: Entry, current: Entry, now: string) => Entry;

export async function update(
  dependencies: Dependencies,
  principal: Principal,
  { id, expectedVersion, ...input }: UpdateInput,
  isMeant: (entry: Entry) => boolean = () => true,
  settle: Settle = (next) => next,
): Promise<UpdateOutput> {
  const { entries, embedder, clock, limits, quarantine = DEFAULT_QUARANTINE } = dependencies;
  const change = changeOf(input);
  if (change.content !== undefined) assertContent(change.content, limits);
  assertUnexpired(change, clock.now());
  const embeddings = new Embeddings(embedder);
  const hash = change.content === undefined ? undefined : contentHash(change.content);
  // The time is that of the transaction, so that versions follow one another in time however long embedding takes.
  const next = (entry: Entry): Entry => {
    const now = new Date(clock.now()).toISOString();
    const changed = settle(revised(entry, { ...change, contentHash: hash }, now), entry, now);
    const written = { source: change.source ?? changed.source, role: change.role, trust: change.trust };
    return settleTrust(quarantine, principal, written, changed, entry);
  };

  const [known] = await entries.find(principal, [id]);
  if (known !== undefined && mayWrite(principal, placementOf(known))) {
    const text = embeddedText(next(known));
    if (text !== embeddedText(known)) await embeddings.prepare([text]);
  }
  const { output, expiredTexts } = await embeddings.retrying(() =>
    entries.transaction(principal, async (tx): Promise<Updated> => {
      const [current] = await tx.find([id]);
      if (current === undefined || !isMeant(current)) throw notFound(id);
      assertMayWriteEntry(principal, current);
      if (isClosed(current)) throw unreadable('memory', id);
      assertVersion(current, expectedVersion);
      const entry = next(current);
      if (entry === current) return { output: { memory: current, embeddingRegenerated: false }, expiredTexts: [] };
      assertFields(entry, limits);
      assertVisibility(current, entry);
      assertMayBePublished(dependencies, current, entry);
      const texts = await assertDistinct(principal, tx, current, entry);
      const write = writeOf(entry, current, embeddings);
      await tx.replace([write]);
      const isRegenerated = write.embedding !== undefined;
      return { output: { memory: entry, embeddingRegenerated: isRegenerated }, expiredTexts: texts };
    }),
  );
  if (expiredTexts.length > 0) embedder.forget(expiredTexts);
  return output;
}

/** A time that is null is taken away. */
function changeOf({ validFrom, validTo, expiresAt, ...rest }: Omit<UpdateInput, 'id' | 'expectedVersion'>): Change {
  const times = { validFrom, validTo, expiresAt };
  return {
    ...rest,
    validFrom: validFrom ?? undefined,
    validTo: validTo ?? undefined,
    expiresAt: expiresAt ?? undefined,
    removeTimes: TIMES.filter((name) => times[name] === null),
  };
}

interface Updated extends Pick<Living, 'expiredTexts'> {
  readonly output: UpdateOutput;
}

/** What belongs to a whole layer cannot be made one person's. */
function assertVisibility(current: Entry, next: Entry): void {
  if (current.ownerId !== null || next.visibility === 'shared') return;
  throw new LaminaError(
    'FORBIDDEN',
    `This memory belongs to its ${current.layer} layer and cannot be made private. Add a private one of your own instead.`,
  );
}

/**
 * The same is not stored twice in one scope, so a change must not turn one entry into another. Returns what had been embedded
 * for one that had expired and made way.
 */
async function assertDistinct(
  principal: Principal,
  tx: EntryTransaction,
  current: Entry,
  next: Entry,
): Promise<Living['expiredTexts']> {
  const { ownerId, externalId, contentHash: hash } = next;
  const isNamed = externalId !== undefined;
  if (next.kind === 'episodic' && !isNamed) return [];
  const hasOtherContent = !isNamed && hash !== current.contentHash;
  if (!hasOtherContent && placeKey(next) === placeKey(current)) return [];
  const identity = isNamed ? { externalId } : { contentHash: hash };
  const identities = [{ partition: partitionOf(placementOf(next)), ownerId, ...identity }];
  const { found, expiredTexts } = await findLiving(principal, tx, identities, next.updatedAt);
  const [same] = found;
  if (!same || same.id === next.id) return expiredTexts;
  throw new LaminaError('VERSION_CONFLICT', 'Another memory in the same scope already says exactly this.', {
    details: { conflictingId: same.id },
  });
}

/** Equal for entries of one scope and owner. */
function placeKey(entry: Entry): string {
  return JSON.stringify([scopeKey(placementOf(entry).scope), entry.ownerId]);
}
