/** Archiving what has lost its relevance, but for exempt layers and contexts. */

import { currentRelevance } from '../../domain/decay.ts';
import type { Entry } from '../../domain/entry.ts';
import { archiveWhere } from './archiving.ts';
import { isInUse, nextEntries } from './entry-pages.ts';
import type { Job, JobContext } from './job.ts';

export const decay: Job = {
  name: 'decay',
  counted: ['examined', 'archived'],
  isOn: ({ decay: { enabled } }) => enabled,
  batch: async (context, progress) => {
    const { items, last } = await nextEntries(context, progress);
    const fading = items.map(({ entry }) => entry).filter((entry) => relevanceOf(context, entry) !== undefined);
    const changes = await archiveWhere(
      context,
      context.isRepeated ? items.map(({ entry }) => entry) : fading,
      (entry) => isFaded(context, entry),
    );
    return { changes, counts: { examined: fading.length }, progress: last && { after: last } };
  },
};

/** As it is, or would be, where decay is on. */
function relevanceOf({ dependencies: { lifecycle, clock } }: JobContext, entry: Entry): number | undefined {
  return currentRelevance(entry, { ...lifecycle.decay, enabled: true }, clock.now());
}

function isFaded(context: JobContext, entry: Entry): boolean {
  const { lifecycle, clock } = context.dependencies;
  const relevance = relevanceOf(context, entry);
  return relevance !== undefined && relevance < lifecycle.decay.archiveThreshold && isInUse(entry, clock.now());
}
