/** Whether what was extracted is already known in another scope that the caller may read, such as its project. */

import { partitionKey, partitionOf, reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftText, type Draft } from '../remember/draft.ts';
import type { Embeddings } from '../remember/embeddings.ts';
import { sameStatement } from '../text/same-statement.ts';
import type { Places } from './known.ts';

const NEAREST = 8;

/** For each draft what says the same elsewhere. The embeddings of the drafts are prepared. */
export function knownElsewhere(
  { entries }: Dependencies,
  principal: Principal,
  { open }: Places,
  drafts: readonly Draft[],
  embeddings: Embeddings,
): Promise<(Entry | undefined)[]> {
  return Promise.all(
    drafts.map(async (draft) => {
      const own = partitionKey(partitionOf(draft.placement));
      const partitions = reachOf(principal, open, [draft.placement.kind]).filter((each) => partitionKey(each) !== own);
      const embedding = embeddings.of(draftText(draft));
      const found = await entries.candidates(principal, { partitions }, { terms: [], embedding }, NEAREST);
      const near = found.filter(({ contentHash, similarity = 0 }) =>
        draft.placement.kind === 'semantic' && similarity >= NEAR_DUPLICATE_SIMILARITY
          ? true
          : contentHash === draft.contentHash,
      );
      const known = await entries.find(
        principal,
        near.map(({ id }) => id),
      );
      return known.find(({ content }) => sameStatement(content, draft.content));
    }),
  );
}
