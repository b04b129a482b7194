/** A context as one document. */

import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleEntry,
  type BundleVersion,
  type ContextBundle,
} from '../../domain/context-bundle.ts';
import type { ContextEntryFields } from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { ownsShared } from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { contextEntryOf } from './context-entry-view.ts';
import { allEntries } from './find-entry.ts';
import type { OpenContext } from './open-context.ts';
import { visited } from './visit.ts';

/** Snapshots stay behind: they name versions of this database. */
export function exportContext(
  dependencies: Dependencies,
  principal: Principal,
  contextId: string,
): Promise<ContextBundle | null> {
  const visit = { contextId, need: 'read', action: 'contexts.export' } as const;
  return visited(dependencies, principal, visit, async (place) => {
    const { type, scope, scopeId, name, description, metadata, access } = place.context;
    const found = (await allEntries(dependencies, place)).toReversed();
    const entries: BundleEntry[] = [];
    for (const entry of found) entries.push(await bundled(dependencies, place, entry));
    return {
      format: BUNDLE_FORMAT,
      formatVersion: BUNDLE_VERSION,
      exportedAt: isoAt(dependencies.clock.now()),
      context: {
        contextId,
        type,
        scope,
        ...(scopeId !== undefined && { scopeId }),
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        metadata,
        ...(ownsShared(principal, place.context) && { access }),
      },
      entries,
    };
  });
}

async function bundled({ entries }: Dependencies, { owner }: OpenContext, entry: Entry): Promise<BundleEntry> {
  const history = entry.version > 1 ? await entries.history(owner, entry.id) : [];
  const versions = history.map(({ memory, replacedAt }) => ({
    ...stateOf(memory),
    ...(replacedAt !== null && { replacedAt }),
  }));
  return { key: entry.externalId ?? '', ...stateOf(entry), createdAt: entry.createdAt, versions };
}

function stateOf(entry: Entry): Omit<BundleVersion, 'replacedAt'> {
  const { version, editedBy, updatedAt } = contextEntryOf(entry, 0);
  const { content, status } = entry;
  return {
    content,
    ...writtenFields(entry),
    status: status === 'archived' ? 'archived' : 'active',
    version,
    editedBy,
    updatedAt,
  };
}

/** What a write would have to say for the entry to be as it is. */
export function writtenFields(entry: Entry): ContextEntryFields {
  const shown = contextEntryOf(entry, 0);
  const { entryType, memoryType, sourceType, sourceReference, metadata, tags, trust, importance, confidence } = shown;
  return {
    entryType,
    memoryType,
    ...(sourceType !== undefined && { sourceType }),
    ...(sourceReference !== undefined && { sourceReference }),
    metadata,
    tags,
    trust,
    importance,
    confidence,
    ...(shown.expiresAt !== undefined && { expiresAt: shown.expiresAt }),
  };
}
