/** Cursors: opaque texts that say where a page ended, valid only for the list that gave them. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';
import { canonicalJson } from '../../domain/json.ts';

/** The last of a page: the time that its list goes by (milliseconds), and its id or key. */
export interface Bookmark {
  readonly at: number;
  readonly id: string;
}

/** Milliseconds that a date can be made of. */
const instant = z.int().min(-8.64e15).max(8.64e15);
// No key has a NUL character, and not every database could look for one.
const key = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\0]*$/);
const cursorSchema = z.tuple([instant, key, z.string()]);

/** `list` is everything that tells this list from others. */
function fingerprint(list: object): string {
  return createHash('sha256').update(canonicalJson(list)).digest('base64url').slice(0, 8);
}

export function cursorAfter(list: object, { at, id }: Bookmark): string {
  return Buffer.from(JSON.stringify([at, id, fingerprint(list)])).toString('base64url');
}

/** Throws `VALIDATION_FAILED` when the cursor is broken or belongs to another list. */
export function bookmarkOf(list: object, cursor: string | undefined): Bookmark | undefined {
  if (cursor === undefined) return undefined;
  const parsed = cursorSchema.safeParse(readJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw badCursor('The cursor is broken. Take it unchanged from the answer before.');
  const [at, id, of] = parsed.data;
  if (of !== fingerprint(list)) throw badCursor('The cursor belongs to a list with other parameters.');
  return { at, id };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badCursor(message: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', message, { details: { problems: [{ path: 'cursor', message }] } });
}
