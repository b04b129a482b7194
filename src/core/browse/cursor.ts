/** Cursors: opaque texts that say where a page ended, valid only for the list that gave them. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ListInput } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Position } from '../../ports/entry-store.ts';

const cursorSchema = z.tuple([z.int().min(0), z.uuid(), z.string()]);

function fingerprint({ layer, identifiers, kinds, filter }: ListInput): string {
  const list = canonicalJson({ layer, identifiers, kinds, filter });
  return createHash('sha256').update(list).digest('base64url').slice(0, 8);
}

export function cursorAfter(list: ListInput, entry: Entry): string {
  return Buffer.from(JSON.stringify([Date.parse(entry.createdAt), entry.id, fingerprint(list)])).toString('base64url');
}

/** Throws `VALIDATION_FAILED` when the cursor is broken or belongs to another list. */
export function positionOf(list: ListInput): Position | undefined {
  if (list.cursor === undefined) return undefined;
  const parsed = cursorSchema.safeParse(readJson(Buffer.from(list.cursor, 'base64url').toString()));
  if (!parsed.success) throw badCursor('The cursor is broken. Take it unchanged from the answer before.');
  const [createdAt, id, of] = parsed.data;
  if (of !== fingerprint(list)) throw badCursor('The cursor belongs to a list with other parameters.');
  return { createdAt, id };
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
