/** How much one call may send. All of it can be configured. */

import { LaminaError, type ErrorCode } from './error.ts';

export interface Limits {
  /** Characters in the content of an entry. */
  readonly contentLength: number;
  /** Characters in a search query. */
  readonly queryLength: number;
  /** Bytes of an entry's metadata as JSON. */
  readonly metadataBytes: number;
  /** Entries in one batch. */
  readonly batchSize: number;
  /** Bytes of a value of working memory as JSON. */
  readonly valueBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  contentLength: 32_768,
  queryLength: 8_192,
  metadataBytes: 64 * 1024,
  batchSize: 1_000,
  valueBytes: 1024 * 1024,
};

/** A character is a code point. Throws `code` as {@link assertWithin} does. */
export function assertCharacters(code: ErrorCode, what: string, text: string, limit: number): void {
  let length = text.length;
  // Only a text with more code units than allowed needs to be counted.
  if (length > limit) {
    length = 0;
    for (const _ of text) length += 1;
  }
  assertWithin(code, what, length, limit, 'characters');
}

/** Throws `code` with the limit in its details if `actual` exceeds `limit`. */
export function assertWithin(code: ErrorCode, what: string, actual: number, limit: number, unit: string): void {
  if (actual <= limit) return;
  throw new LaminaError(code, `${what} has ${actual} ${unit}; the limit is ${limit}.`, { details: { limit, actual } });
}
