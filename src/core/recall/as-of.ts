/** Memory as it stood at an earlier moment: which version of an entry that was, and whether it was in sight then. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { MetadataFilter } from '../../domain/filter.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EntryStore } from '../../ports/entry-store.ts';

/** Milliseconds. Throws `VALIDATION_FAILED` for a moment that is still to come. */
export function momentOf(asOf: string, clock: Clock): number {
  const at = Date.parse(asOf);
  const now = clock.now();
  if (at <= now) return at;
  const message = `is in the future: it is ${new Date(now).toISOString()} here`;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `The input does not fit: asOf: ${message}. Leave it out to ask about now.`,
    {
      details: { problems: [{ path: 'asOf', message }] },
    },
  );
}

/** The version of an entry that stood then; undefined where it was not there yet. */
export async function versionAt(
  entries: EntryStore,
  principal: Principal,
  entry: Entry,
  at: number,
): Promise<Entry | undefined> {
  if (Date.parse(entry.createdAt) > at) return undefined;
  if (Date.parse(entry.updatedAt) <= at) return entry;
  const history = await entries.history(principal, entry.id);
  const past = history.findLast(({ replacedAt }) => replacedAt !== null && Date.parse(replacedAt) > at)?.memory;
  return past && stoodAt(past, at) ? past : undefined;
}

/** Whether this version had been written by then. Only where history has a gap the version before is not the one. */
export function stoodAt({ updatedAt }: Entry, at: number): boolean {
  return Date.parse(updatedAt) <= at;
}

/** From `validFrom` on, and until just before `validTo`. */
export function isValidAt({ validFrom, validTo }: Entry, at: number): boolean {
  if (validFrom !== undefined && Date.parse(validFrom) > at) return false;
  return validTo === undefined || Date.parse(validTo) > at;
}

/** What engines do with a filter, for versions, which no index holds. */
export function meetsFilter(entry: Entry, filter: MetadataFilter = {}): boolean {
  const { tags, sourceType, hasKnowledgePointer, custom = {} } = filter;
  if (tags !== undefined && !tags.some((tag) => entry.tags.includes(tag))) return false;
  if (sourceType !== undefined && entry.source?.type !== sourceType) return false;
  if (hasKnowledgePointer !== undefined && hasKnowledgePointer !== (entry.knowledgePointer !== undefined)) return false;
  return Object.entries(custom).every(
    ([key, value]) => value === undefined || (Object.hasOwn(entry.metadata, key) && isSame(entry.metadata[key], value)),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
