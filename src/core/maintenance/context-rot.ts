/** Archiving what nobody has used in a context for long. */

import type { Entry } from '../../domain/entry.ts';
import { ROTTEN, staleness } from '../../domain/staleness.ts';
import { archiveWhere } from './archiving.ts';
import { isInUse, nextEntries } from './entry-pages.ts';
import type { Job, JobContext } from './job.ts';

export const contextRot: Job = {
  name: 'context_rot',
  counted: ['examined', 'archived'],
  batch: async (context, progress) => {
    const { items, last } = await nextEntries(context, progress);
    const held = items.map(({ entry }) => entry).filter(({ identifiers }) => identifiers.contextId !== undefined);
    const changes = await archiveWhere(context, held, (entry) => isRotten(context, entry));
    return { changes, counts: { examined: held.length }, progress: last && { after: last } };
  },
};

function isRotten({ dependencies }: JobContext, entry: Entry): boolean {
  const now = dependencies.clock.now();
  return isInUse(entry, now) && staleness(entry, now) >= ROTTEN;
}
