/** Writing what was extracted from a window, and marking its turns: all in one transaction. */

import { partitionKey, partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { ClosedFact, ExtractedFact, ExtractedMemory } from '../../domain/extraction.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddOutput } from '../../domain/remember.ts';
import { isAtLeast } from '../../domain/trust.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { draftText, identityOf, type Draft } from '../remember/draft.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { resolve, revised } from '../remember/resolve.ts';
import { upsertWithin } from '../remember/upsert.ts';
import { outcomeOf, writeOf } from '../remember/write.ts';
import { placementOf } from '../scoping.ts';
import { sameStatement } from '../text/same-statement.ts';
import { knownElsewhere } from './known-elsewhere.ts';
import type { Places } from './known.ts';
import { mayChange, memoryDraft, revision, saidAgain, settled, type Made } from './memory-draft.ts';
import { rehearsable } from './rehearsal.ts';
import { isUnread, readMark, readUpTo } from './unread.ts';
import type { SourcedMemory, Verified } from './verify.ts';
import { isLastPiece, type Window } from './windows.ts';
import { quoted, writeFacts } from './write-facts.ts';

export interface Written {
  readonly memories: readonly ExtractedMemory[];
  readonly facts: readonly ExtractedFact[];
  readonly closed: readonly ClosedFact[];
}

export interface WrittenWindow extends Written {
  /** How many turns need not be looked at any more. */
  readonly read: number;
  /** Whether there is one that says something else by now. */
  readonly isChanged: boolean;
}

interface MemoryWrite extends SourcedMemory {
  readonly draft: Draft;
  /** What says the same in another place. */
  readonly elsewhere: Entry | undefined;
}

interface Outcome extends WrittenWindow {
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
): Promise<WrittenWindow> {
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
          const found = isDryRun === true ? undefined : await tx.find(window.pieces.map(({ turn }) => turn.id));
          const { live, ...progress } = progressOf(window, found);
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
          return { memories: kept.memories, facts, closed, expiredTexts: kept.expiredTexts, ...progress };
        }),
      ),
    ),
  );
  const unused = isDryRun === true ? drafts.map(draftText) : expiredTexts;
  if (unused.length > 0) embedder.forget(unused);
  return written;
}

/** A turn as it stands now, and how much of it has been looked at when this is written. */
interface LiveTurn {
  readonly turn: Entry;
  readonly upTo: number;
}

interface Progress extends Pick<WrittenWindow, 'read' | 'isChanged'> {
  /** Turns that still say what was looked at, and that nobody else has looked at, by their ids. */
  readonly live: ReadonlyMap<string, LiveTurn>;
}

/** `found` is what is left of the turns by now; undefined where nothing can have come in between. */
function progressOf({ pieces }: Window, found: readonly Entry[] | undefined): Progress {
  const current = new Map((found ?? pieces.map(({ turn }) => turn)).map((entry) => [entry.id, entry]));
  const live = new Map<string, LiveTurn>();
  let [read, isChanged] = [0, false];
  for (const piece of pieces) {
    const { id, contentHash } = piece.turn;
    const turn = current.get(id);
    const isOther = turn !== undefined && turn.contentHash !== contentHash;
    isChanged ||= isOther;
    if (isLastPiece(piece) && !isOther) read += 1;
    const upTo = live.get(id)?.upTo ?? (found && turn ? readUpTo(turn) : piece.start);
    if (turn !== undefined && !isOther && isUnread(turn) && upTo === piece.start)
      live.set(id, { turn, upTo: piece.end });
  }
  return { live, read, isChanged };
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
    const isAgain =
      output.status !== 'created' && (await addSource(dependencies, principal, tx, memory, output.memory));
    const { status, memory: entry, quarantined } = output;
    const { id, kind, content } = entry;
    expiredTexts.push(...expired);
    outputs.push({ status, id, kind, content, ...(quarantined && { quarantined }), ...quoted(memory) });
    const sourceId = memory.source.id;
    if (status !== 'unchanged' || isAgain) made.set(sourceId, [...(made.get(sourceId) ?? []), id]);
  }
  return { memories: outputs, made, expiredTexts };
}

/** Whether what is known goes with that turn too, from now on, where no other says it. */
async function addSource(
  { embedder, clock }: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  { draft }: MemoryWrite,
  { id }: Entry,
): Promise<boolean> {
  const [known] = await tx.find([id]);
  if (known?.ownerId !== principal.userId) return false;
  const provenance = saidAgain(known, draft);
  if (provenance === undefined) return false;
  const next = revised(known, { provenance }, isoAt(clock.now()));
  await tx.replace([writeOf(next, known, new Embeddings(embedder))]);
  return true;
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
      isSameByMeaning: ({ content }) => sameStatement(content, draft.content),
      settle: settled,
    },
    embeddings,
  );
  return { output, expired };
}

/** Undefined where the known one is not extraction's to change, or another says this already. */
async function replace(
  { clock, ids, quarantine }: Dependencies,
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
  if (draft.made !== undefined && !isAtLeast(draft.made, current.trust)) return undefined;
  const now = isoAt(clock.now());
  const { entry } = resolve(principal, revision(draft, current), current, () => ids.next(), now, quarantine);
  await tx.replace([writeOf(entry, current, embeddings)]);
  return outcomeOf(entry, 'updated', true);
}

/** That these turns have been looked at, how far, and what was made of each, so that it goes when the turn goes. */
async function mark(
  tx: EntryTransaction,
  turns: readonly LiveTurn[],
  memories: Kept['made'],
  facts: Kept['made'],
  embeddings: Embeddings,
  now: string,
): Promise<void> {
  const writes = turns.map(({ turn, upTo }) => {
    const { extractedInto = [], extractedFacts = [], ...rest } = turn.provenance ?? {};
    const into = [...new Set([...extractedInto, ...(memories.get(turn.id) ?? [])])];
    const ofFacts = [...new Set([...extractedFacts, ...(facts.get(turn.id) ?? [])])];
    const provenance = {
      ...rest,
      extracted: readMark(turn, upTo),
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
