/** Entries of a set whose items are gone: found, and marked so that nothing is lost. */

import { mayWrite, reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { KNOWLEDGE_KEYS, type SyncedItem, type SyncKnowledgeInput } from '../../domain/knowledge.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Scope } from '../../domain/scope.ts';
import type { Position } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { setArchived } from '../lifecycle/archive.ts';
import { update } from '../remember/update.ts';
import { placementOf } from '../scoping.ts';

const PAGE = 200;

/** Those that the principal may change, also where they are archived. `present` are the entries of items that are there. */
export async function findOrphans(
  { entries }: Dependencies,
  principal: Principal,
  set: string,
  scopes: readonly Scope[],
  present: ReadonlySet<string>,
): Promise<Entry[]> {
  const partitions = reachOf(principal, scopes, ['semantic'], 'all');
  const filter = { hasKnowledgePointer: true, custom: { [KNOWLEDGE_KEYS.set]: set } };
  const orphans: Entry[] = [];
  let position: Position | undefined;
  do {
    const page = await entries.list(principal, { partitions, filter }, PAGE, position);
    orphans.push(...page.filter((entry) => !present.has(entry.id) && mayWrite(principal, placementOf(entry))));
    const last = page.length < PAGE ? undefined : page.at(-1);
    position = last && { createdAt: Date.parse(last.createdAt), id: last.id };
  } while (position !== undefined);
  return orphans;
}

/** Marks it, and archives it where that is asked for; says what that was, or would be. */
export async function markOrphan(
  dependencies: Dependencies,
  principal: Principal,
  entry: Entry,
  { orphans = 'mark', dryRun = false }: SyncKnowledgeInput,
): Promise<SyncedItem> {
  const { id, metadata, status, knowledgePointer } = entry;
  const isMarked = metadata[KNOWLEDGE_KEYS.status] === 'orphaned';
  const isToArchive = orphans === 'archive' && status !== 'archived';
  if (!dryRun && !isMarked) {
    const orphanedAt = new Date(dependencies.clock.now()).toISOString();
    const mark = { [KNOWLEDGE_KEYS.status]: 'orphaned', [KNOWLEDGE_KEYS.orphanedAt]: orphanedAt };
    await update(dependencies, principal, { id, metadata: mark });
  }
  if (!dryRun && isToArchive) await setArchived(dependencies, principal, { id, isArchived: true });
  const { sourceType = 'spec', sourceId = id } = knowledgePointer ?? {};
  return { sourceType, sourceId, id, status: isMarked && !isToArchive ? 'unchanged' : 'orphaned' };
}
