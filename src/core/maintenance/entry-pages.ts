/** Going through all entries of a tenant, page by page. */

import type { Entry } from '../../domain/entry.ts';
import type { ArchivedEntry, ArchivePage, Place } from '../../ports/archive.ts';
import type { Dependencies } from '../dependencies.ts';
import type { JobContext, Progress } from './job.ts';

/** Few enough that nobody waits long for what is done with one page. */
const PAGE = 100;

export function readEntries(
  { archive }: Pick<Dependencies, 'archive'>,
  tenantId: string,
  after: Place | undefined,
): Promise<ArchivePage<ArchivedEntry>> {
  return archive.read(tenantId, 'entries', PAGE, after);
}

/** The next page of a job that goes through the entries once, from the beginning to the end. */
export function nextEntries(
  { dependencies, tenantId }: JobContext,
  progress: Progress,
): Promise<ArchivePage<ArchivedEntry>> {
  return readEntries(dependencies, tenantId, placeIn(progress));
}

export function placeIn(progress: Progress): Place | undefined {
  return progress['after'] as Place | undefined;
}

/** Neither archived nor quarantined nor over. */
export function isInUse({ status, expiresAt }: Entry, now: number): boolean {
  const isApart = status === 'archived' || status === 'quarantined';
  return !isApart && (expiresAt === undefined || Date.parse(expiresAt) > now);
}
