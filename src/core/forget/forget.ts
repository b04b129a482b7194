/** Removing entries: by id, or all that meet every given condition. Nothing of them is left to find. */

import { mayWrite, reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { MetadataFilter } from '../../domain/filter.ts';
import type { ForgetInput } from '../../domain/forget.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { EntryTransaction, Position, Selection } from '../../ports/entry-store.ts';
import { assertMayWriteEntry, canSee } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { identifiersOf, placementOf, scopesOf } from '../scoping.ts';

/** Enough to be quick, little enough to hold in memory. */
const BATCH = 1000;

/** False when it was not there, not what is meant, or not this principal's to see. */
export async function remove(
  { entries, embedder }: Dependencies,
  principal: Principal,
  id: string,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<boolean> {
  const texts = await entries.transaction(principal, async (tx) => {
    const [entry] = await tx.find([id]);
    if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) return null;
    assertMayWriteEntry(principal, entry);
    return tx.remove([id]);
  });
  dropFromCache(embedder, texts ?? []);
  return texts !== null;
}

/** How many were removed. What the conditions cover but the principal may not change stays. */
export async function forget(dependencies: Dependencies, principal: Principal, input: ForgetInput): Promise<number> {
  const { entries, embedder, limits } = dependencies;
  assertWithin('LIMIT_EXCEEDED', 'The list of ids', input.ids?.length ?? 0, limits.batchSize, 'ids');
  const selection = selectionOf(principal, input);
  const { count, texts } = await entries.transaction(principal, (tx) => removeAll(tx, principal, selection));
  dropFromCache(embedder, texts);
  return count;
}

async function removeAll(
  tx: EntryTransaction,
  principal: Principal,
  selection: Selection,
): Promise<{ count: number; texts: string[] }> {
  let count = 0;
  const texts: string[] = [];
  let position: Position | undefined;
  for (;;) {
    const page: Entry[] = await tx.list(selection, BATCH, position);
    const own = page.filter((entry) => mayWrite(principal, placementOf(entry))).map((entry) => entry.id);
    texts.push(...(await tx.remove(own)));
    count += own.length;
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH) return { count, texts };
    position = { createdAt: Date.parse(last.createdAt), id: last.id };
  }
}

function selectionOf(principal: Principal, input: ForgetInput): Selection {
  const { ids, cutoffDate, layer, identifiers, filter } = input;
  const conditions = { ...input, filter: isBlank(filter) ? undefined : filter };
  if (Object.values(conditions).every((condition) => condition === undefined)) {
    throw new LaminaError(
      'VALIDATION_FAILED',
      'Say what to forget: ids, cutoffDate, layer, identifiers or filter. To forget everything of a scope, name the scope.',
    );
  }
  const isScoped = layer !== undefined || identifiers !== undefined;
  const scopes = scopesOf(identifiersOf(principal, identifiers), layer === undefined ? undefined : [layer]);
  return {
    filter,
    ids,
    createdBefore: cutoffDate === undefined ? undefined : Date.parse(cutoffDate),
    partitions: isScoped ? reachOf(principal, scopes) : undefined,
    // Without a scope a condition reaches over everything, so it is kept to what is the caller's own. An id says
    // for itself what is meant.
    ownerId: isScoped || ids !== undefined ? undefined : principal.userId,
  };
}

/** A filter that holds for everything must not be taken for a condition. */
function isBlank({ custom = {}, ...rest }: MetadataFilter = {}): boolean {
  return [...Object.values(rest), ...Object.values(custom)].every((condition) => condition === undefined);
}

function dropFromCache(embedder: Embedder, texts: readonly string[]): void {
  if (texts.length > 0) embedder.forget(texts);
}
