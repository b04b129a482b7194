/** Removing entries: by id, or all that meet every given condition. Nothing of them is left to find. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { mayWrite, reachOf, type Partition } from '../../domain/access.ts';
import { isClosed } from '../../domain/closed-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { MetadataFilter } from '../../domain/filter.ts';
import type { DeleteInput, ForgetInput } from '../../domain/forget.ts';
import { KINDS } from '../../domain/kind.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Scope } from '../../domain/scope.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { EntryTransaction, Position, Selection } from '../../ports/entry-store.ts';
import { assertMayWriteEntry, assertVersion, canSee } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeDerivedFacts } from './derived-facts.ts';
import { withdrawDerived } from './derived.ts';
import { markForgotten } from './forgotten-turns.ts';
import { identifiersOf, isOutsideContexts, placementOf, scopesOf } from '../scoping.ts';

/** Few enough that nobody waits long for a transaction, enough that there are not too many of them. */
const PAGE = 200;

/** False if it does not exist, is not the requested kind, or is not visible to this principal. */
export async function remove(
  { entries, embedder, clock }: Dependencies,
  principal: Principal,
  { id, expectedVersion }: DeleteInput,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<boolean> {
  const texts = await entries.transaction(principal, async (tx) => {
    const [entry] = await tx.find([id]);
    if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) return null;
    assertMayWriteEntry(principal, entry);
    assertVersion(entry, expectedVersion);
    const all = [entry, ...(await absorbedBy(tx, principal, [entry]))];
    const derived = await withdrawDerived({ embedder, clock }, tx, principal, all);
    await removeDerivedFacts(tx, principal, all);
    const embedded = await tx.remove([...all.map((each) => each.id), ...derived]);
    await markForgotten({ embedder, clock }, tx, all);
    return embedded;
  });
  dropFromCache(embedder, texts ?? []);
  return texts !== null;
}

/**
 * How many were removed, with the memories and facts that were made from them. What the conditions cover but the principal
 * may not change stays. One transaction per page, with room for others in between: an interrupted call has removed some
 * entries, never half of one, and can be repeated.
 */
export async function forget(dependencies: Dependencies, principal: Principal, input: ForgetInput): Promise<number> {
  assertWithin('LIMIT_EXCEEDED', 'The list of ids', input.ids?.length ?? 0, dependencies.limits.batchSize, 'ids');
  const selection = selectionOf(principal, input);
  // An id means what the caller can see; a scope or a time means everything in it.
  const isMeant = (entry: Entry): boolean =>
    isOutsideContexts(entry) &&
    (input.ids === undefined || canSee(principal, entry)) &&
    (input.onlyUnreadable !== true || isClosed(entry));
  return forgetSelected(dependencies, principal, selection, isMeant);
}

/** The same for what a selection covers and is meant. */
export async function forgetSelected(
  dependencies: Dependencies,
  principal: Principal,
  selection: Selection,
  isMeant: (entry: Entry) => boolean,
): Promise<number> {
  const { entries, embedder } = dependencies;
  let count = 0;
  let position: Position | undefined;
  for (;;) {
    const page = await entries.transaction(principal, (tx) =>
      removePage(dependencies, tx, principal, { selection, isMeant }, position),
    );
    dropFromCache(embedder, page.texts);
    count += page.count;
    position = page.next;
    if (position === undefined) return count;
    await nextTurn();
  }
}

interface RemovedPage {
  readonly count: number;
  /** What had been embedded for them. */
  readonly texts: readonly string[];
  /** Where the next page begins; undefined after the last. */
  readonly next: Position | undefined;
}

async function removePage(
  dependencies: Dependencies,
  tx: EntryTransaction,
  principal: Principal,
  { selection, isMeant }: { readonly selection: Selection; readonly isMeant: (entry: Entry) => boolean },
  position: Position | undefined,
): Promise<RemovedPage> {
  const page = await tx.list(selection, PAGE, position);
  const own = page.filter((entry) => isMeant(entry) && mayWrite(principal, placementOf(entry)));
  const all = [...own, ...(await absorbedBy(tx, principal, own))];
  const derived = await withdrawDerived(dependencies, tx, principal, all);
  const facts = await removeDerivedFacts(tx, principal, all);
  const ids = new Set([...all.map(({ id }) => id), ...derived]);
  const texts = await tx.remove([...ids]);
  await markForgotten(dependencies, tx, all);
  const last = page.length < PAGE ? undefined : page.at(-1);
  return { count: ids.size + facts, texts, next: last && { createdAt: Date.parse(last.createdAt), id: last.id } };
}

/**
 * What was merged into these, and is archived since: it says the same, and who deletes the one does not see the other.
 */
async function absorbedBy(
  tx: EntryTransaction,
  principal: Principal,
  entries: readonly Entry[],
  seen: ReadonlySet<string> = new Set(),
): Promise<Entry[]> {
  // What was imported may go round in a circle.
  const known = new Set([...seen, ...entries.map(({ id }) => id)]);
  const named = entries
    .flatMap(({ provenance: { mergedFrom = [], derivedFrom = [] } = {} }) => [...mergedFrom, ...derivedFrom])
    .filter((id) => !known.has(id));
  if (named.length === 0) return [];
  const into = new Set(entries.map(({ id }) => id));
  const found = (await tx.find(named)).filter(
    ({ status, provenance }) => status === 'archived' && into.has(provenance?.mergedInto ?? ''),
  );
  const own = found.filter((entry) => mayWrite(principal, placementOf(entry)));
  return [...own, ...(await absorbedBy(tx, principal, own, known))];
}

function selectionOf(principal: Principal, input: ForgetInput): Selection {
  const { ids, cutoffDate, layer, identifiers, filter } = input;
  const conditions = { ids, cutoffDate, layer, identifiers, filter: isBlank(filter) ? undefined : filter };
  if (Object.values(conditions).every((condition) => condition === undefined)) {
    throw new LaminaError(
      'VALIDATION_FAILED',
      'Say what to forget: ids, a cutoff date, a layer, identifiers or a filter. To forget everything of a scope, name the scope.',
    );
  }
  const isScoped = layer !== undefined || identifiers !== undefined;
  const scopes = scopesOf(identifiersOf(principal, identifiers), layer === undefined ? undefined : [layer]);
  return {
    filter,
    ids,
    createdBefore: cutoffDate === undefined ? undefined : Date.parse(cutoffDate),
    partitions: isScoped ? everythingIn(principal, scopes) : undefined,
    // Without a scope a condition reaches over everything, so it is kept to what is the caller's own. An id says
    // for itself what is meant.
    ownerId: isScoped || ids !== undefined ? undefined : principal.userId,
  };
}

/** Includes what waits for review, whoever asks: forgetting it does not reveal it. */
function everythingIn(principal: Principal, scopes: readonly Scope[]): Partition[] {
  const held = reachOf(principal, scopes, KINDS).map((partition) => ({ ...partition, isQuarantined: true }));
  return [...reachOf(principal, scopes, KINDS, 'all'), ...held];
}

/** A filter that matches everything does not count as a condition. */
function isBlank({ custom = {}, ...rest }: MetadataFilter = {}): boolean {
  return [...Object.values(rest), ...Object.values(custom)].every((condition) => condition === undefined);
}

function dropFromCache(embedder: Embedder, texts: readonly string[]): void {
  if (texts.length > 0) embedder.forget(texts);
}
