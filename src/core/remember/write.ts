/** An entry with everything that is stored beside it. */

import { partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { assertMove } from '../../domain/lifecycle.ts';
import type { AddOutput, WriteStatus } from '../../domain/remember.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';
import { indexedLexemes } from './content.ts';
import type { Embeddings } from './embeddings.ts';

/** What is answered to who wrote it. */
export function outcomeOf(memory: Entry, status: WriteStatus, embeddingGenerated: boolean): AddOutput {
  return { memory, status, embeddingGenerated, ...(memory.status === 'quarantined' && { quarantined: true }) };
}

/** Every write of an entry goes through here, so that no invalid transition is stored. Throws `VERSION_CONFLICT`. */
export function writeOf(entry: Entry, previous: Entry | null, embeddings: Embeddings): EntryWrite {
  assertMove(previous?.status ?? null, entry.status);
  return {
    entry,
    partition: partitionOf(placementOf(entry)),
    lexemes: indexedLexemes(entry),
    ...embeddings.for({ entry, previous }),
  };
}
