/** What the use cases of every kind of record share: absence, versions, times, sizes, storing or replacing. */

import { LaminaError, versionConflict } from '../../domain/error.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Draft, Recorded, RecordStore } from '../../ports/record-store.ts';

/** Null when it is not there, or not this principal's to see. */
export function orAbsent<R>(what: string, record: R | null): R {
  if (record !== null) return record;
  throw new LaminaError('NOT_FOUND', `There is no such ${what}, or it is not yours to see.`);
}

/** The same for the caller's own key and somebody else's: it reveals only that another key is needed. */
export function taken(what: string, key: string): LaminaError {
  return new LaminaError('VERSION_CONFLICT', `The id "${key}" is taken by another ${what}. Choose another one.`);
}

/** Throws `VERSION_CONFLICT` unless this is the version that stands there, where one is expected at all. */
export function assertVersion(current: Recorded, ifVersion: number | undefined): void {
  if (ifVersion === undefined || current.version === ifVersion) return;
  const message = `It has changed since: version ${ifVersion} was expected, version ${current.version} stands there.`;
  throw versionConflict(message, current.version, ifVersion);
}

/** The current record with those of the given fields that have a value. */
export function merged<R extends object>(current: R, given: { readonly [Field in keyof R]?: R[Field] | undefined }): R {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...current, ...Object.fromEntries(fields) };
}

/**
 * Stores the record, or puts it in the place of the one that has its key, of which it keeps the time of creation.
 * Throws `VERSION_CONFLICT` when that one is not there to be changed: it is another user's.
 */
export async function put<R extends Recorded>(
  store: RecordStore<R>,
  principal: Principal,
  key: string,
  draft: Draft<R>,
): Promise<R> {
  // It may be deleted between the two, which frees the key; but not repeatedly.
  for (let round = 1; round <= 2; round += 1) {
    const record =
      (await store.create(principal, draft)) ??
      (await store.change(principal, key, ({ createdAt }) => ({ ...draft, createdAt })));
    if (record !== null) return record;
  }
  throw taken('record', key);
}

/** In UTC, as it will be given back. */
export function utc(time: string): string {
  return new Date(time).toISOString();
}

export function isoAt(ms: number): string {
  return new Date(ms).toISOString();
}

/** Throws `LIMIT_EXCEEDED` for free JSON that is too large. */
export function assertSize(field: string, value: unknown, limits: Limits): void {
  if (value === undefined) return;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  assertWithin('LIMIT_EXCEEDED', `"${field}"`, bytes, limits.valueBytes, 'bytes');
}

export function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

/** Throws `LIMIT_EXCEEDED` for a list of ids that is too long. */
export function assertCount(field: string, ids: readonly string[] | undefined, limits: Limits): void {
  assertWithin('LIMIT_EXCEEDED', `"${field}"`, ids?.length ?? 0, limits.batchSize, 'ids');
}
