/**
 * The archive including the hot store, if there is a separate one. For working and short-term memory only that store counts
 * then: what the database has of it is invisible.
 */

import type { Collection } from '../../domain/archive.ts';
import { HOT_PREFIXES, isHotNamespace, isNoteNamespace } from '../../domain/namespace.ts';
import type { Archive, Archived, ArchivedState, ArchivePage, Place } from '../../ports/archive.ts';
import type { HotArchive } from '../../ports/hot-store.ts';

export interface WholeArchive {
  readonly archive: Archive;
  readonly hotArchive?: HotArchive | undefined;
}

const UNSEEN_PAGE = 1000;

/** As of an archive; but state of the database comes first, then that of the hot store. */
export async function readWhole<C extends Collection>(
  { archive, hotArchive }: WholeArchive,
  tenantId: string,
  collection: C,
  limit: number,
  after?: Place,
): Promise<ArchivePage<Archived[C]>> {
  if (collection !== 'state' || hotArchive === undefined) return archive.read(tenantId, collection, limit, after);
  const page = await statePage(archive, hotArchive, tenantId, limit, after);
  return page as ArchivePage<Archived[C]>;
}

async function statePage(
  archive: Archive,
  hotArchive: HotArchive,
  tenantId: string,
  limit: number,
  after?: Place,
): Promise<ArchivePage<ArchivedState>> {
  const [namespace, key] = (after ?? []).map(String);
  const isHot = namespace !== undefined && isHotNamespace(namespace);
  if (!isHot) {
    const page = await databasePage(archive, tenantId, limit, after);
    if (page.last !== undefined) return page;
  }
  const items = await hotArchive.read(tenantId, limit, isHot ? { namespace, key: key ?? '' } : undefined);
  return pageOf(items);
}

/** Skips what is invisible. */
async function databasePage(
  archive: Archive,
  tenantId: string,
  limit: number,
  after?: Place,
): Promise<ArchivePage<ArchivedState>> {
  for (let place = after; ;) {
    const { items, last, unreadable: closed = [] } = await archive.read(tenantId, 'state', limit, place);
    const seen = items.filter(({ namespace }) => !isHotNamespace(namespace));
    const unreadable = closed.filter(([namespace]) => !isHotNamespace(String(namespace)));
    if (unreadable.length > 0) return { items: seen, last, unreadable };
    if (seen.length > 0 || last === undefined) return pageOf(seen);
    place = last;
  }
}

function pageOf(items: readonly ArchivedState[]): ArchivePage<ArchivedState> {
  const last = items.at(-1);
  return { items, last: last && [last.namespace, last.key] };
}

/** The hot store first: it is the one that may be out of reach, and then nothing was written. */
export async function writeWhole<C extends Collection>(
  { archive, hotArchive }: WholeArchive,
  tenantId: string,
  collection: C,
  items: readonly Archived[C][],
): Promise<void> {
  if (collection !== 'state' || hotArchive === undefined) return archive.write(tenantId, collection, items);
  const state = items as readonly ArchivedState[];
  const isHot = ({ namespace }: ArchivedState): boolean => isHotNamespace(namespace) && !isNoteNamespace(namespace);
  await hotArchive.write(tenantId, state.filter(isHot));
  const others = state.filter((item) => !isHot(item));
  if (others.length > 0) await archive.write(tenantId, 'state', others);
}

/** How many values {@link readWhole} gives, of those of the database that were counted. */
export async function countState(
  { archive, hotArchive }: WholeArchive,
  tenantId: string,
  inDatabase: number,
): Promise<number> {
  if (hotArchive === undefined) return inDatabase;
  const hot = await hotArchive.count(tenantId);
  return inDatabase - (await countUnseen(archive, tenantId)) + hot;
}

async function countUnseen(archive: Archive, tenantId: string): Promise<number> {
  let count = 0;
  for (const prefix of HOT_PREFIXES) {
    let after: Place | undefined = [prefix, ''];
    while (after !== undefined) {
      const { items, last }: ArchivePage<ArchivedState> = await archive.read(tenantId, 'state', UNSEEN_PAGE, after);
      const unseen = items.filter(({ namespace }) => namespace.startsWith(prefix));
      count += unseen.length;
      after = unseen.length === UNSEEN_PAGE ? last : undefined;
    }
  }
  return count;
}

/** The highest version that either has given. */
export async function latestWhole({ archive, hotArchive }: WholeArchive, tenantId: string): Promise<number> {
  const hot = await hotArchive?.latestVersion(tenantId);
  return Math.max(await archive.latestVersion(tenantId), hot ?? 0);
}

/** In both, each by itself. */
export async function advanceWhole(
  { archive, hotArchive }: WholeArchive,
  tenantId: string,
  version: number,
): Promise<void> {
  for (const each of hotArchive === undefined ? [archive] : [hotArchive, archive]) {
    if (version > 0 && (await each.latestVersion(tenantId)) < version) await each.advanceVersions(tenantId, version);
  }
}
