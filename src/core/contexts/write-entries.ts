/** Writing many entries into a context, by their keys. */

import type { ContextEntryFields } from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddInput, WriteStatus } from '../../domain/remember.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import { trustOf } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { setArchived } from '../lifecycle/archive.ts';
import { addMany } from '../remember/add.ts';
import { assertContent } from '../remember/content.ts';
import { draftAt, identityOf, type Draft } from '../remember/draft.ts';
import { assertFields } from '../remember/fields.ts';
import { fieldsOver, signed } from './context-entry-view.ts';
import type { OpenContext } from './open-context.ts';
import { saysNothingNew } from './put-entry.ts';

/** An entry to be written. */
export interface Writing extends ContextEntryFields {
  readonly key: string;
  readonly content: string;
  readonly isArchived: boolean;
}

const BATCH = 100;

/** Throws what writing one of them would throw for what it says; says which. */
export function assertWritings({ limits }: Dependencies, principal: Principal, writings: readonly Writing[]): void {
  for (const { key, content, isArchived: _isArchived, ...given } of writings) {
    try {
      assertContent(content, limits);
      assertFields(signed(fieldsOver(null, given, principal), principal), limits);
    } catch (error) {
      if (!(error instanceof LaminaError)) throw error;
      const details = { ...error.details, key };
      throw new LaminaError(error.code, `The entry "${key}": ${error.message}`, { details, cause: error });
    }
  }
}

/** A batch is written whole or not at all; what was cut short can be repeated. */
export async function writeEntries(
  dependencies: Dependencies,
  principal: Principal,
  place: OpenContext,
  writings: readonly Writing[],
): Promise<Record<WriteStatus, number>> {
  const size = Math.min(BATCH, dependencies.limits.batchSize);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  for (let from = 0; from < writings.length; from += size) {
    const batch = writings.slice(from, from + size);
    for (const status of await writeBatch(dependencies, principal, place, batch)) counts[status] += 1;
  }
  return counts;
}

async function writeBatch(
  dependencies: Dependencies,
  principal: Principal,
  place: OpenContext,
  batch: readonly Writing[],
): Promise<WriteStatus[]> {
  const { owner } = place;
  const unknown = batch.map((writing) => identityOf(draftOf(dependencies, principal, place, writing, null)));
  const known = await dependencies.entries.findSame(owner, unknown);
  const drafts = batch.map((writing, at) => draftOf(dependencies, principal, place, writing, known[at] ?? null));
  const now = dependencies.clock.now();
  const news = batch.flatMap((writing, at) => {
    const [draft, existing] = [drafts[at], known[at] ?? null];
    // What has expired since it was read is not there any more.
    if (draft === undefined || hasExpired(writing, now)) return [];
    if (existing !== null && isAlready(existing, draft, writing)) return [];
    return [{ writing, draft }];
  });
  const outputs = await addMany(
    dependencies,
    owner,
    news.map(({ draft }) => inputOf(draft, principal)),
  );
  for (const [at, { memory }] of outputs.entries()) {
    if (news[at]?.writing.isArchived) await setArchived(dependencies, owner, { id: memory.id, isArchived: true });
  }
  const skipped = Array.from({ length: batch.length - news.length }, () => 'unchanged' as const);
  return [...outputs.map(({ status }) => status), ...skipped];
}

/** Not yet signed: whoever writes what is there already has edited nothing. */
function draftOf(
  dependencies: Dependencies,
  principal: Principal,
  { placement }: OpenContext,
  { key, content, isArchived: _isArchived, ...given }: Writing,
  existing: Entry | null,
): Draft {
  const fields = fieldsOver(existing, given, principal);
  return draftAt(dependencies, placement, { content, externalId: key, ...fields });
}

function isAlready(existing: Entry, draft: Draft, { isArchived }: Writing): boolean {
  return (existing.status === 'archived') === isArchived && saysNothingNew(existing, draft);
}

function inputOf({ content, externalId, fields, placement }: Draft, principal: Principal): AddInput {
  const { layer, identifiers } = placement.scope;
  const trust = trustOf(principal, fields);
  return { content, layer, identifiers, kind: placement.kind, externalId, ...signed(fields, principal), trust };
}
