/** Cursors: opaque texts that say where a page ended, valid only for the list that gave them. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalidField } from '../../domain/error.ts';
import { canonicalJson } from '../../domain/json.ts';

/** The last item of a page: the time that the list is sorted by (milliseconds), and its id or key. */
export interface Bookmark {
  readonly at: number;
  readonly id: string;
  /** How many there were on all pages when the first was read, where that was counted. */
  readonly total?: number | undefined;
}

/** Milliseconds that a date can be made of. */
const instant = z.int().min(-8.64e15).max(8.64e15);
// No key has a NUL character, and not every database could look for one.
const key = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\0]*$/);
const cursorSchema = z.tuple([instant, key, z.string(), z.int().min(0).optional()]);

/** `list` is everything that identifies this list. */
function fingerprint(list: object): string {
  return createHash('sha256').update(canonicalJson(list)).digest('base64url').slice(0, 8);
}

export function cursorAfter(list: object, { at, id, total }: Bookmark): string {
  const parts = [at, id, fingerprint(list), ...(total === undefined ? [] : [total])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Throws `VALIDATION_FAILED` when the cursor is broken or belongs to another list. */
export function bookmarkOf(list: object, cursor: string | undefined): Bookmark | undefined {
  if (cursor === undefined) return undefined;
  const parsed = cursorSchema.safeParse(readJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw invalidField('cursor', 'is broken; take it unchanged from the answer before');
  const [at, id, of, total] = parsed.data;
  if (of !== fingerprint(list)) throw invalidField('cursor', 'belongs to a list with other parameters');
  return { at, id, total };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
