/** Copying one tenant: what is missing of each collection, page by page, and then counting both sides. */

import { COLLECTIONS, type Collection, type Tallies } from '../../domain/archive.ts';
import { LaminaError } from '../../domain/error.ts';
import { DEFAULT_RETRY_POLICY, withRetries, type RetryPolicy } from '../../domain/retry.ts';
import type { Archive, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import { assertBeginning, assertNoDifference, differences } from './compare.ts';

export interface TenantCopy {
  readonly from: Archive;
  readonly to: Archive;
  readonly clock: Clock;
  readonly tenantId: string;
  /** Items at once. */
  readonly pageSize: number;
  /** Called with how many more have arrived, now or before. */
  readonly arrived: (collection: Collection, count: number, when: 'now' | 'before') => void;
}

/** Milliseconds: state that expires this soon is not counted at the end, because it may expire between two counts. */
const COUNTING_MS = 60_000;

/** Long enough for a database to restart. A page can be written twice. */
const PATIENCE: RetryPolicy = { ...DEFAULT_RETRY_POLICY, maxAttempts: 6, retryableCodes: ['UNAVAILABLE'] };

/** What both hold in the end. Throws `VERSION_CONFLICT` when they do not hold the same. */
export async function copyTenant(copy: TenantCopy): Promise<Tallies> {
  const { source, target } = await talliesOf(copy, 0);
  const missing = differences(source, target);
  assertBeginning(copy.tenantId, missing);
  await advanceVersions(copy);
  const isMissing = new Set(missing.map(({ name }) => collectionOf(name)));
  for (const collection of COLLECTIONS) {
    if (isMissing.has(collection)) await resume(copy, collection, target[collection].count);
    else copy.arrived(collection, source[collection].count, 'before');
  }
  return verify(copy);
}

interface BothTallies {
  readonly source: Tallies;
  readonly target: Tallies;
}

/** State that ends within so many milliseconds does not count. */
async function talliesOf({ from, to, clock, tenantId }: TenantCopy, within: number): Promise<BothTallies> {
  const at = clock.now() + within;
  return { source: await from.tallies(tenantId, at), target: await to.tallies(tenantId, at) };
}

/** Before anything with a version is written, so that even an unfinished copy never reuses one. */
async function advanceVersions({ from, to, tenantId }: TenantCopy): Promise<void> {
  const version = await from.latestVersion(tenantId);
  if ((await to.latestVersion(tenantId)) < version) await to.advanceVersions(tenantId, version);
}

/** After the last item that has arrived. */
async function resume(copy: TenantCopy, collection: Collection, count: number): Promise<void> {
  const end = await copy.to.end(copy.tenantId, collection);
  if (end !== undefined) copy.arrived(collection, count, 'before');
  await copyPages(copy, collection, end);
}

async function copyPages(copy: TenantCopy, collection: Collection, start: Place | undefined): Promise<void> {
  const { from, to, clock, tenantId, pageSize } = copy;
  const patiently = <T>(work: () => Promise<T>): Promise<T> => withRetries(PATIENCE, (ms) => clock.sleep(ms), work);
  let after = start;
  for (;;) {
    const { items, last, unreadable } = await patiently(() => from.read(tenantId, collection, pageSize, after));
    if (unreadable !== undefined) throw cannotBeRead(collection, unreadable);
    if (last === undefined) return;
    await patiently(() => to.write(tenantId, collection, items));
    copy.arrived(collection, items.length, 'now');
    after = last;
  }
}

/** Corrupt items cannot be copied. The integrity audit lists all of them. */
export function cannotBeRead(collection: Collection, places: readonly Place[]): LaminaError {
  const names = places.map((place) => placeText(collection, place)).join(', ');
  return new LaminaError(
    'VALIDATION_FAILED',
    `Of the ${collection} these cannot be read: ${names}. Delete them first (memories by lamina forget ID), restore a backup, or ` +
      'have lamina export --skip-unreadable leave them out.',
  );
}

/** For people. */
export function placeText(collection: Collection, place: Place): string {
  return place.join(collection === 'versions' ? ' version ' : ' ');
}

/** Where something lies before the end that was resumed from, a second pass from the beginning brings it. */
async function verify(copy: TenantCopy): Promise<Tallies> {
  const first = await talliesOf(copy, COUNTING_MS);
  const short = differences(first.source, first.target).filter(({ source, target }) => target.count < source.count);
  for (const collection of new Set(short.map(({ name }) => collectionOf(name)))) {
    await copyPages({ ...copy, arrived: () => {} }, collection, undefined);
  }
  const { source, target } = await talliesOf(copy, COUNTING_MS);
  assertNoDifference(copy.tenantId, differences(source, target));
  return source;
}

/** Vectors go with their entries. */
function collectionOf(name: keyof Tallies): Collection {
  return name === 'embeddings' ? 'entries' : name;
}
