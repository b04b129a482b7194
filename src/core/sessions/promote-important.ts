/** Promotes the important memories of an ended session to the user. */

import { mayWrite, reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { KINDS } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { mayBePromoted } from '../../domain/promotion.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { Position } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { ONCE, promotedDraft } from '../lifecycle/promote.ts';
import { isoAt } from '../records/record.ts';
import { draftText, type Draft } from '../remember/draft.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { upsertWithin } from '../remember/upsert.ts';
import { writeOf } from '../remember/write.ts';
import { isOutsideContexts, placementOf } from '../scoping.ts';

const PAGE = 100;

export interface Promotions {
  /** What they became; in a dry run what would be promoted. */
  readonly promoted: readonly Entry[];
  /** How many are important but confidential or restricted. */
  readonly blocked: number;
}

export interface PromotionOptions {
  readonly runId?: string;
  readonly isDryRun?: boolean;
}

/**
 * Promotes those of the session layer whose importance × confidence reaches the threshold to the user layer. Each once: it is
 * marked, so that what the user deletes of these does not come back. Repeatable, and where promotion is off nothing.
 */
export async function promoteImportant(
  dependencies: Dependencies,
  principal: Principal,
  sessionId: string,
  options: PromotionOptions = {},
): Promise<Promotions> {
  const promoted: Entry[] = [];
  let blocked = 0;
  let position: Position | undefined;
  if (!dependencies.lifecycle.sessionCleanup.promoteImportant) return { promoted, blocked };
  do {
    const page = await pageOf(dependencies, principal, sessionId, position);
    for (const entry of page.filter((each) => isImportant(dependencies, principal, each))) {
      if (!mayBePromoted(entry)) blocked += 1;
      else promoted.push(...(await promoteOne(dependencies, principal, entry, options)));
    }
    const last = page.length < PAGE ? undefined : page.at(-1);
    position = last && { createdAt: Date.parse(last.createdAt), id: last.id };
  } while (position !== undefined);
  if (blocked > 0 && options.isDryRun !== true) dependencies.telemetry?.promotionsBlocked?.(blocked);
  return { promoted, blocked };
}

function pageOf(
  { entries }: Dependencies,
  principal: Principal,
  sessionId: string,
  position: Position | undefined,
): Promise<Entry[]> {
  const scope = scopeOf('session', { userId: principal.userId, sessionId });
  return entries.list(principal, { partitions: reachOf(principal, [scope], KINDS) }, PAGE, position);
}

function isImportant({ lifecycle }: Dependencies, principal: Principal, entry: Entry): boolean {
  const { importance, confidence, provenance } = entry;
  const isOwn = isOutsideContexts(entry) && mayWrite(principal, placementOf(entry));
  const isNew = provenance?.promotedTo === undefined;
  return isOwn && isNew && importance * confidence >= lifecycle.sessionCleanup.promotionThreshold;
}

/**
 * The copy and the mark are one transaction that looks again: of sessions that end twice at once, one promotes it. None
 * where another did, or where it is gone or no longer such.
 */
async function promoteOne(
  dependencies: Dependencies,
  principal: Principal,
  entry: Entry,
  { runId, isDryRun = false }: PromotionOptions,
): Promise<Entry[]> {
  if (isDryRun) return [entry];
  const { entries, embedder, clock } = dependencies;
  const user = scopeOf('user', { userId: principal.userId });
  const draftFor = (source: Entry): Draft => promotedDraft(dependencies, principal, source, user, runId).draft;
  const embeddings = new Embeddings(embedder);
  await embeddings.prepare([draftText(draftFor(entry))]);
  const { promoted, expiredTexts } = await embeddings.retrying(() =>
    entries.transaction(principal, async (tx) => {
      const [current] = await tx.find([entry.id]);
      if (current === undefined || !isImportant(dependencies, principal, current) || !mayBePromoted(current)) {
        return { promoted: [], expiredTexts: [] };
      }
      const written = await upsertWithin(dependencies, principal, tx, draftFor(current), ONCE, embeddings);
      const { memory } = written.output;
      const provenance = { ...current.provenance, promotedTo: memory.id };
      const marked = revised(current, { provenance }, isoAt(clock.now()));
      await tx.replace([writeOf(marked, current, embeddings)]);
      return { promoted: [memory], expiredTexts: written.expiredTexts };
    }),
  );
  if (expiredTexts.length > 0) embedder.forget(expiredTexts);
  return promoted;
}
