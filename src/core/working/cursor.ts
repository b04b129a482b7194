/** Cursors into the keys of a plan: opaque, valid for that plan only. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';

const cursorSchema = z.tuple([z.string(), z.string().min(1)]);

/** Short, so that the longest key still fits into a cursor. */
function fingerprint(namespace: string): string {
  return createHash('sha256').update(namespace).digest('base64url').slice(0, 8);
}

export function cursorAfterKey(namespace: string, key: string): string {
  return Buffer.from(JSON.stringify([fingerprint(namespace), key])).toString('base64url');
}

/** Throws `VALIDATION_FAILED` when the cursor is broken or belongs to another plan. */
export function keyOfCursor(namespace: string, cursor: string): string {
  const parsed = cursorSchema.safeParse(readJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw badCursor('The cursor is broken. Take it unchanged from the answer before.');
  const [of, key] = parsed.data;
  if (of !== fingerprint(namespace)) throw badCursor('The cursor belongs to another plan.');
  return key;
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
