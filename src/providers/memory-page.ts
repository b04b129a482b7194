/** Pages of a list that is at hand as a whole, newest first. */

import { invalidField } from '../domain/error.ts';
import { canonicalJson } from '../domain/json.ts';
import type { ListMemoriesOutput, MemoryEntry } from '../domain/provider.ts';

/** Where a page ended, and in which list. */
type Bookmark = readonly [createdAt: number, id: string, list: string];

/** `list` is everything that tells this list from others. Throws `VALIDATION_FAILED` for a cursor of another list. */
export function pageOf(
  memories: readonly MemoryEntry[],
  list: object,
  cursor: string | undefined,
  limit: number,
): ListMemoriesOutput {
  const name = fingerprint(canonicalJson(list));
  const after = cursor === undefined ? undefined : bookmarkOf(cursor, name);
  const sorted = memories.toSorted((a, b) => order([time(a), a.id], [time(b), b.id]));
  // Not by position: what comes or goes between two pages makes nothing appear twice, and nothing be missed.
  const rest = after === undefined ? sorted : sorted.filter((memory) => order([time(memory), memory.id], after) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  return {
    memories: page,
    nextCursor: hasMore ? encode([time(last), last.id, name]) : null,
    totalCount: memories.length,
  };
}

function time({ createdAt }: MemoryEntry): number {
  return Date.parse(createdAt);
}

/** Newest first; of the same moment, by id. */
function order(a: readonly [number, string, ...unknown[]], b: readonly [number, string, ...unknown[]]): number {
  return b[0] - a[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
}

function encode(bookmark: Bookmark): string {
  return encodeURIComponent(JSON.stringify(bookmark));
}

function bookmarkOf(cursor: string, list: string): Bookmark {
  const parsed = parse(cursor);
  if (!isBookmark(parsed)) throw invalidField('cursor', 'is broken; take it unchanged from the answer before');
  if (parsed[2] !== list) throw invalidField('cursor', 'belongs to a list with other parameters');
  return parsed;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(cursor));
  } catch {
    return undefined;
  }
}

function isBookmark(value: unknown): value is Bookmark {
  if (!Array.isArray(value) || value.length !== 3) return false;
  return typeof value[0] === 'number' && typeof value[1] === 'string' && typeof value[2] === 'string';
}

/** FNV-1a: enough to tell one's own lists apart. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}
