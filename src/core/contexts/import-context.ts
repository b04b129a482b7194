/** Making a context from a document; the same document again changes nothing. */

import type { ContextBundle, ImportContextInput, ImportContextOutput } from '../../domain/context-bundle.ts';
import type { ContextRecord } from '../../domain/context.ts';
import { invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { ownsShared, sharedShown } from '../../domain/sharing.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Dependencies } from '../dependencies.ts';
import { taken } from '../records/record.ts';
import { described } from './clone-context.ts';
import { makeContext } from './create-context.ts';
import { visiting } from './visit.ts';
import { assertWritings, writeEntries, type Writing } from './write-entries.ts';

/**
 * Entries are imported in their latest version; earlier ones stay in the document, because a history that did not happen
 * here cannot be written. Access lists are not imported: a document shares nothing.
 */
export async function importContext(
  dependencies: Dependencies,
  principal: Principal,
  { bundle, contextId = bundle.context.contextId }: ImportContextInput,
): Promise<ImportContextOutput> {
  const writings = writingsOf(bundle, dependencies.clock.now());
  assertWritings(dependencies, principal, writings);
  const fields = { ...described(bundle.context), contextId };
  const made = await makeContext(dependencies, principal, fields);
  const context = made ?? (await ownContext(dependencies, principal, contextId));
  const visit = { contextId, need: 'write', action: 'contexts.import' } as const;
  const entries = await visiting(dependencies, principal, visit, (place) =>
    writeEntries(dependencies, principal, place, writings),
  );
  return { context: sharedShown(principal, context), status: made === null ? 'existing' : 'created', entries };
}

/** Throws `VERSION_CONFLICT` for a context of somebody else's, whether it can be seen or not. */
async function ownContext({ records }: Dependencies, principal: Principal, contextId: string): Promise<ContextRecord> {
  const context = await records.contexts.get(principal, contextId);
  if (context === null || !ownsShared(principal, context)) throw taken('context', contextId);
  return context;
}

function writingsOf({ entries }: ContextBundle, now: number): Writing[] {
  const keys = new Set<string>();
  return entries.flatMap((entry, at) => {
    const { key, content, entryType, memoryType, sourceType, sourceReference, metadata, tags } = entry;
    const { trust, importance, confidence, expiresAt, status } = entry;
    if (keys.has(key)) throw invalidField(`bundle.entries.${at}.key`, `is the key of another entry as well: "${key}"`);
    keys.add(key);
    // What has expired is not there any more.
    if (hasExpired(entry, now)) return [];
    const fields = {
      entryType,
      memoryType,
      sourceType,
      sourceReference,
      metadata,
      tags,
      trust,
      importance,
      confidence,
    };
    return [{ key, content, ...fields, expiresAt, isArchived: status === 'archived' }];
  });
}
