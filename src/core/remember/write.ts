/** An entry with everything that is stored beside it. */

import { partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { assertMove } from '../../domain/lifecycle.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';
import { indexedLexemes } from './content.ts';
import type { Embeddings } from './embeddings.ts';

/** Every write of an entry comes through here, so that none makes a move that there is not. Throws `VERSION_CONFLICT`. */
export function writeOf(entry: Entry, previous: Entry | null, embeddings: Embeddings): EntryWrite {
  assertMove(previous?.status ?? null, entry.status);
  return {
    entry,
    partition: partitionOf(placementOf(entry)),
    lexemes: indexedLexemes(entry),
    ...embeddings.for({ entry, previous }),
  };
}
