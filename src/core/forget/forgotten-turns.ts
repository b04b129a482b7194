/** What is left of the last turns of a conversation that are removed: that they are, so that they do not come back. */

import { partitionKey, partitionOf } from '../../domain/access.ts';
import { isClosed } from '../../domain/closed-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { givenName, isRemembered, markOf } from '../extraction/turn-name.ts';
import { isoAt } from '../records/record.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { placementOf } from '../scoping.ts';

/** Of what is left of a conversation, the turns in which the last one is looked for. */
const LATEST = 20;
/** More that were deleted at the end of one conversation come back when they are sent again. */
const MAX_MARKS = 200;

type Turn = Entry & { readonly turn: number };

/**
 * In the same transaction, after they were removed. That a turn is gone is told by its empty place where others follow it;
 * where none do, the one before has to tell. Agents send the whole conversation again and again.
 */
export async function markForgotten(
  { embedder, clock }: Pick<Dependencies, 'embedder' | 'clock'>,
  tx: EntryTransaction,
  removed: readonly Entry[],
): Promise<void> {
  for (const turns of Map.groupBy(removed.filter(isTurn), conversationKey).values()) {
    const last = await lastLeft(tx, turns);
    if (last === undefined) continue;
    const marks = [...(last.provenance?.forgotten ?? []), ...turns.flatMap(marksOf)]
      .filter(({ turn }) => turn > last.turn)
      .toSorted((a, b) => a.turn - b.turn)
      .slice(-MAX_MARKS);
    if (marks.length === (last.provenance?.forgotten?.length ?? 0)) continue;
    const next = revised(last, { provenance: { ...last.provenance, forgotten: marks } }, isoAt(clock.now()));
    await tx.replace([writeOf(next, last, new Embeddings(embedder))]);
  }
}

function isTurn(entry: Entry): entry is Turn {
  const { kind, turn, identifiers } = entry;
  const isPlaced = turn !== undefined && identifiers.sessionId !== undefined;
  return kind === 'episodic' && isPlaced && isRemembered(entry);
}

function conversationKey(turn: Turn): string {
  return JSON.stringify([partitionKey(partitionOf(placementOf(turn))), turn.ownerId, turn.identifiers.sessionId]);
}

/** Undefined where nothing is left of the conversation: then it begins anew. */
async function lastLeft(tx: EntryTransaction, [first]: readonly Turn[]): Promise<Turn | undefined> {
  if (first === undefined) return undefined;
  const { sessionId } = first.identifiers;
  const selection = {
    partitions: [partitionOf(placementOf(first))],
    ownerId: first.ownerId,
    identifiers: { sessionId },
  };
  const left = (await tx.list(selection, LATEST)).filter(isTurn).filter((turn) => !isClosed(turn));
  return left.toSorted((a, b) => b.turn - a.turn)[0];
}

function marksOf(entry: Turn): { turn: number; mark: string }[] {
  return [...(entry.provenance?.forgotten ?? []), { turn: entry.turn, mark: markOf(entry, givenName(entry)) }];
}
