/** Writing what was extracted from a window, and marking its turns: all in one transaction. */

import { partitionKey, partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { ClosedFact, ExtractedFact, ExtractedMemory } from '../../domain/extraction.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddOutput } from '../../domain/remember.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { draftText, identityOf, type Draft } from '../remember/draft.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { resolve, revised } from '../remember/resolve.ts';
import { upsertWithin } from '../remember/upsert.ts';
import { writeOf } from '../remember/write.ts';
import { placementOf } from '../scoping.ts';
import { knownElsewhere } from './known-elsewhere.ts';
import type { Places } from './known.ts';
import { mayChange, memoryDraft, revision, saysTheSame, settled, type Made } from './memory-draft.ts';
import { rehearsable } from './rehearsal.ts';
import { isUnread } from './unread.ts';
import type { SourcedMemory, Verified } from './verify.ts';
import type { Window } from './windows.ts';
import { quoted, writeFacts } from './write-facts.ts';

export interface Written {
  readonly memories: readonly ExtractedMemory[];
  readonly facts: readonly ExtractedFact[];
  readonly closed: readonly ClosedFact[];
}

interface MemoryWrite extends SourcedMemory {
  readonly draft: Draft;
  /** What says the same in another place. */
  readonly elsewhere: Entry | undefined;
}

interface Outcome extends Written {
  readonly expiredTexts: readonly string[];
}

/** What was made of turns that are gone by now, or that somebody else has looked at meanwhile, is not written. */
export async function writeExtracted(
  dependencies: Dependencies,
  principal: Principal,
  places: Places,
  window: Window,
  verified: Verified,
  made: Made,
  isDryRun: boolean | undefined,
): Promise<Written> {
  const { entries, embedder } = dependencies;
  const embeddings = new Embeddings(embedder);
  const drafts = verified.memories.map((memory) => memoryDraft(dependencies, principal, places, memory, made));
  await embeddings.prepare(drafts.map(draftText));
  const elsewhere = await knownElsewhere(dependencies, principal, places, drafts, embeddings);
  const memories = verified.memories.map((memory, index) => ({
    ...memory,
    draft: nonNull(drafts[index]),
    elsewhere: elsewhere[index],
  }));
  const { expiredTexts, ...written } = await embeddings.retrying(() =>
    rehearsable<Outcome>(isDryRun, (run) =>
      entries.transaction(principal, (tx) =>
        run(async () => {
          const turns = isDryRun === true ? window.turns : await tx.find(window.turns.map(({ id }) => id));
          const live = new Map(turns.filter(isUnread).map((entry) => [entry.id, entry]));
          const isLive = ({ source }: { readonly source: Entry }): boolean => live.has(source.id);
          const kept = await keepAll(dependencies, principal, tx, memories.filter(isLive), embeddings);
          const relations = { facts: verified.facts.filter(isLive), ended: verified.ended.filter(isLive) };
          const now = isoAt(dependencies.clock.now());
          const {
            facts,
            closed,
            made: factsOf,
          } = await writeFacts(dependencies, principal, tx.facts, places, relations, made, now);
          if (isDryRun !== true) await mark(tx, [...live.values()], kept.made, factsOf, embeddings, now);
          return { memories: kept.memories, facts, closed, expiredTexts: kept.expiredTexts };
        }),
      ),
    ),
  );
  const unused = isDryRun === true ? drafts.map(draftText) : expiredTexts;
  if (unused.length > 0) embedder.forget(unused);
  return written;
}

interface Kept {
  readonly memories: readonly ExtractedMemory[];
  /** The ids of what was written, by the turn that it was made from. */
  readonly made: ReadonlyMap<string, readonly string[]>;
  readonly expiredTexts: readonly string[];
}

/** One after the other: what the first one says, the next need not say again. */
async function keepAll(
  dependencies: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  memories: readonly MemoryWrite[],
  embeddings: Embeddings,
): Promise<Kept> {
  const made = new Map<string, string[]>();
  const outputs: ExtractedMemory[] = [];
  const expiredTexts: string[] = [];
  for (const memory of memories) {
    const { output, expired } = await keep(dependencies, principal, tx, memory, embeddings);
    const { status, memory: entry } = output;
    expiredTexts.push(...expired);
    outputs.push({ status, id: entry.id, kind: entry.kind, content: entry.content, ...quoted(memory) });
    const sourceId = memory.source.id;
    if (status !== 'unchanged') made.set(sourceId, [...(made.get(sourceId) ?? []), entry.id]);
  }
  return { memories: outputs, made, expiredTexts };
}

async function keep(
  dependencies: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  { draft, elsewhere, replaced }: MemoryWrite,
  embeddings: Embeddings,
): Promise<{ readonly output: AddOutput; readonly expired: readonly string[] }> {
  if (elsewhere !== undefined) {
    return { output: { memory: elsewhere, status: 'unchanged', embeddingGenerated: false }, expired: [] };
  }
  const changed = replaced && (await replace(dependencies, principal, tx, draft, replaced, embeddings));
  if (changed) return { output: changed, expired: [] };
  const { output, expiredTexts: expired } = await upsertWithin(
    dependencies,
    principal,
    tx,
    draft,
    {
      elsewhere: [],
      // Rules are found by when they apply: those for the same occasion need not say the same.
      dedupeThreshold: draft.placement.kind === 'semantic' ? NEAR_DUPLICATE_SIMILARITY : undefined,
      isSameByMeaning: ({ content }) => saysTheSame(content, draft.content),
      settle: settled,
    },
    embeddings,
  );
  return { output, expired };
}

/** Undefined where the known one is not extraction's to change, or another says this already. */
async function replace(
  { clock, ids }: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  draft: Draft,
  { id }: Entry,
  embeddings: Embeddings,
): Promise<AddOutput | undefined> {
  const [current] = await tx.find([id]);
  const [same] = await tx.findSame([identityOf(draft)]);
  if (current === undefined || same || current.status !== 'active' || !mayChange(current)) return undefined;
  if (partitionKey(partitionOf(placementOf(current))) !== partitionKey(partitionOf(draft.placement))) return undefined;
  const { entry } = resolve(principal, revision(draft, current), current, () => ids.next(), isoAt(clock.now()));
  await tx.replace([writeOf(entry, current, embeddings)]);
  return { memory: entry, status: 'updated', embeddingGenerated: true };
}

/** That these turns have been looked at, and what was made of each, so that it goes when the turn goes. */
async function mark(
  tx: EntryTransaction,
  turns: readonly Entry[],
  memories: Kept['made'],
  facts: Kept['made'],
  embeddings: Embeddings,
  now: string,
): Promise<void> {
  const writes = turns.map((turn) => {
    const { extractedInto = [], extractedFacts = [], ...rest } = turn.provenance ?? {};
    const into = [...new Set([...extractedInto, ...(memories.get(turn.id) ?? [])])];
    const ofFacts = [...new Set([...extractedFacts, ...(facts.get(turn.id) ?? [])])];
    const provenance = {
      ...rest,
      extracted: turn.contentHash,
      ...(into.length > 0 && { extractedInto: into }),
      ...(ofFacts.length > 0 && { extractedFacts: ofFacts }),
    };
    return writeOf(revised(turn, { provenance }, now), turn, embeddings);
  });
  await tx.replace(writes);
}

function nonNull<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is a draft for each memory.');
  return value;
}
