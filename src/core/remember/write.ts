/** An entry with everything that is stored beside it. */

import { partitionOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';
import { lexemesOf } from '../text/lexemes.ts';
import { indexedText } from './content.ts';
import type { Embeddings } from './embeddings.ts';

export function writeOf(entry: Entry, previous: Entry | null, embeddings: Embeddings): EntryWrite {
  return {
    entry,
    partition: partitionOf(placementOf(entry)),
    lexemes: lexemesOf(indexedText(entry)),
    embedding: embeddings.for({ entry, previous }),
  };
}
