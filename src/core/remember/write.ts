/** An entry with everything that is stored beside it. */

import { partitionOf, type Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { assertMove } from '../../domain/lifecycle.ts';
import type { AddOutput, WriteStatus } from '../../domain/remember.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';
import { indexedLexemes } from './content.ts';
import type { Embeddings } from './embeddings.ts';

/** What is answered to who wrote it. */
export function outcomeOf(memory: Entry, status: WriteStatus, embeddingGenerated: boolean): AddOutput {
  const outcome = { memory, status, embeddingGenerated };
  return memory.status === 'quarantined' ? { ...outcome, quarantined: true } : outcome;
}

/**
 * Every write of an entry goes through here, so that no invalid transition is stored. Throws `VERSION_CONFLICT`. `partition` is where the
 * entry lies, for whoever has it at hand.
 */
export function writeOf(
  entry: Entry,
  previous: Entry | null,
  embeddings: Embeddings,
  partition: Partition = partitionOf(placementOf(entry)),
): EntryWrite {
  assertMove(previous?.status ?? null, entry.status);
  const { embedding, otherEmbedding } = embeddings.for({ entry, previous });
  return { entry, partition, lexemes: indexedLexemes(entry), embedding, otherEmbedding };
}
