/** A tenant in a database as one end of a transfer by bundle. */

import { COLLECTIONS, type Collection } from '../../domain/archive.ts';
import { DEFAULT_PAGE_ITEMS } from '../../domain/bundle.ts';
import type { BundleItem } from '../../domain/bundle-item.ts';
import { DEFAULT_RETRY_POLICY, withRetries, type RetryPolicy } from '../../domain/retry.ts';
import type { Archived, ArchivedEntry, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { Upkeep } from '../../ports/upkeep.ts';
import { cannotBeRead, placeText } from '../archive/copy-tenant.ts';
import { embeddedText } from '../remember/content.ts';
import { packed, unpacked } from './bundle-codec.ts';
import type { BundleEnd, BundlePage, BundleSurvey } from './bundle-end.ts';
import { advanceWhole, countState, latestWhole, readWhole, writeWhole, type WholeArchive } from './whole-archive.ts';

interface ArchiveNeeds extends WholeArchive {
  readonly upkeep: Pick<Upkeep, 'points'>;
  readonly clock: Clock;
}

/** A database that is restarted comes back meanwhile. A page can be written twice. */
const PATIENCE: RetryPolicy = { ...DEFAULT_RETRY_POLICY, maxAttempts: 6, retryableCodes: ['UNAVAILABLE'] };

interface ArchiveEndOptions {
  readonly collections: readonly Collection[];
  /** Embeds what comes without a vector. Default: it stays without. */
  readonly embedder?: Pick<Embedder, 'embed' | 'space'> | undefined;
  /** Told of what cannot be read, which is left out then. Default: it throws `VALIDATION_FAILED`. */
  readonly skipped?: Skipped | undefined;
}

type Skipped = (collection: Collection, names: readonly string[]) => void;

type Skip = (collection: Collection, places: readonly Place[]) => void;

export function archiveEnd(needs: ArchiveNeeds, tenantId: string, options: ArchiveEndOptions): BundleEnd {
  const { clock } = needs;
  const { collections, embedder, skipped } = options;
  const patiently = <T>(work: () => Promise<T>): Promise<T> => withRetries(PATIENCE, (ms) => clock.sleep(ms), work);
  return {
    collections,
    survey: () => patiently(() => surveyOf(needs, tenantId)),
    pages: (vectors) => pagesOf(needs, tenantId, { collections, vectors, patiently, skipped }),
    advanceVersions: (version) => patiently(() => advanceWhole(needs, tenantId, version)),
    write: async (collection, items) => {
      // Before they arrive, so that also an unfinished import never gives one twice.
      await patiently(() => advanceWhole(needs, tenantId, highestVersion(collection, items)));
      const arrived = items.map((item) => unpacked(collection, item));
      if (collection !== 'entries' || embedder === undefined) {
        await patiently(() => writeWhole(needs, tenantId, collection, arrived));
        return 0;
      }
      const ready = await embedded(needs.upkeep, tenantId, embedder, arrived as Archived['entries'][]);
      await patiently(() => writeWhole(needs, tenantId, 'entries', ready.entries));
      return ready.count;
    },
  };
}

export async function surveyOf(needs: ArchiveNeeds, tenantId: string): Promise<BundleSurvey> {
  const tallies = await needs.archive.tallies(tenantId, needs.clock.now());
  const inDatabase = Object.fromEntries(COLLECTIONS.map((collection) => [collection, tallies[collection].count]));
  const counts = { ...inDatabase, state: await countState(needs, tenantId, tallies.state.count) };
  return { tenantId, counts, latestVersion: await latestWhole(needs, tenantId) };
}

interface Paging {
  readonly collections: readonly Collection[];
  readonly vectors: boolean;
  readonly patiently: <T>(work: () => Promise<T>) => Promise<T>;
  readonly skipped: Skipped | undefined;
}

async function* pagesOf(
  needs: ArchiveNeeds,
  tenantId: string,
  { collections, vectors, patiently, skipped }: Paging,
): AsyncGenerator<BundlePage> {
  const closed = new Set<unknown>();
  const leaveOut: Skip = (collection, places) => {
    if (collection === 'entries') for (const [id] of places) closed.add(id);
    skipped?.(
      collection,
      places.map((place) => placeText(collection, place)),
    );
  };
  const skip = skipped && leaveOut;
  for (const collection of collections) {
    let after: Place | undefined;
    do {
      const page = await patiently(() => packedPage(needs, tenantId, { collection, vectors, after, skip }));
      // The former versions of what is left out stay behind with it.
      const items = collection === 'versions' ? page.items.filter(({ entryId }) => !closed.has(entryId)) : page.items;
      if (items.length > 0) yield { collection, items };
      after = page.last;
    } while (after !== undefined);
  }
}

interface PageOf {
  readonly collection: Collection;
  readonly vectors: boolean;
  readonly after: Place | undefined;
  readonly limit?: number | undefined;
  readonly skip?: Skip | undefined;
}

/** The next items as they stand in a bundle. Throws `VALIDATION_FAILED` for what cannot be read, unless it is to be left out. */
export async function packedPage(
  from: WholeArchive,
  tenantId: string,
  { collection, vectors, after, limit = DEFAULT_PAGE_ITEMS, skip }: PageOf,
): Promise<{ readonly items: BundlePage['items']; readonly last: Place | undefined }> {
  const { items, last, unreadable } = await readWhole(from, tenantId, collection, limit, after);
  if (unreadable !== undefined) {
    if (skip === undefined) throw cannotBeRead(collection, unreadable);
    skip(collection, unreadable);
  }
  return { items: items.map((item) => packed(collection, item, vectors)), last };
}

/** What has a version of its own counts them by itself. */
function highestVersion(collection: Collection, items: readonly BundleItem[]): number {
  if (collection === 'entries' || collection === 'versions') return 0;
  return items.reduce((highest, item) => ('version' in item ? Math.max(highest, item.version) : highest), 0);
}

/** Those that are not there yet, with vectors of the model in use. What is there costs no embedding. */
async function embedded(
  upkeep: Pick<Upkeep, 'points'>,
  tenantId: string,
  embedder: Pick<Embedder, 'embed' | 'space'>,
  entries: readonly ArchivedEntry[],
): Promise<{ readonly entries: readonly ArchivedEntry[]; readonly count: number }> {
  const space = await embedder.space();
  const isOfSpace = ({ embeddings }: ArchivedEntry): boolean =>
    embeddings.some((each) => each.space.model === space.model && each.space.dimensions === space.dimensions);
  const ids = entries.map(({ entry }) => entry.id);
  const there = new Set((await upkeep.points(tenantId, space, ids)).map(({ id }) => id));
  const missing = entries.filter(({ entry }) => !there.has(entry.id));
  const bare = missing.filter((entry) => !isOfSpace(entry));
  if (bare.length === 0) return { entries: missing, count: 0 };
  const vectors = await embedder.embed(bare.map(({ entry }) => embeddedText(entry)));
  const vectorOf = new Map(bare.map(({ entry }, index) => [entry.id, vectors[index]]));
  const ready = missing.map((each) => {
    const vector = vectorOf.get(each.entry.id);
    return vector === undefined ? each : { ...each, embeddings: [...each.embeddings, { space, vector }] };
  });
  return { entries: ready, count: bare.length };
}
