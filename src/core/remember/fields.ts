/** Merging what a caller writes into an entry's fields. */

import type { z } from 'zod';
import { entryFieldsSchema, type EntryFields, type Metadata } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import { camelCase, snakeCase } from '../../domain/spelling.ts';
import { hasExpired } from '../../domain/time-to-live.ts';

/**
 * Fields that the seven-layer specification writes inside metadata. Metadata is free JSON and is given back as it came;
 * where a key has the name and the shape of one of these it also sets the field, and from then on both say the same.
 */
const LIFTED = ['tags', 'source', 'knowledgePointer', 'relevance', 'decayFactor'] as const;

export const TIMES = ['validFrom', 'validTo', 'expiresAt'] as const;

/** As metadata may spell them: it is not translated on its way in. */
const SPELLINGS = new Map(LIFTED.map((name) => [name, [name, snakeCase(name)]]));

const ALL_SPELLINGS: ReadonlySet<string> = new Set([...SPELLINGS.values()].flat());

type Lifted = (typeof LIFTED)[number];

/** The metadata without what is, or could become, a field. */
export function plainMetadata(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !ALL_SPELLINGS.has(key)));
}

function spellingIn(metadata: Metadata, name: Lifted): string | undefined {
  return SPELLINGS.get(name)?.find((key) => Object.hasOwn(metadata, key));
}

/** So are the keys of a pointer that was written over HTTP. */
function withCamelKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), inner]));
}

function readAs(name: Lifted, value: unknown): z.ZodSafeParseResult<unknown> {
  const schema: z.ZodType = entryFieldsSchema.shape[name];
  return schema.safeParse(withCamelKeys(value));
}

function liftFrom(metadata: Metadata): EntryFields {
  const lifted: Record<string, unknown> = {};
  for (const name of LIFTED) {
    const key = spellingIn(metadata, name);
    const parsed = key === undefined ? undefined : readAs(name, metadata[key]);
    if (parsed?.success) lifted[name] = parsed.data;
  }
  return lifted;
}

/** Whether there may be a field in it. */
function hasSpelling(metadata: Metadata): boolean {
  for (const key in metadata) if (ALL_SPELLINGS.has(key)) return true;
  return false;
}

/**
 * Keeps a copy in the metadata, if the caller put one there, equal to the field. A value that merely has the same key but
 * another shape is left alone.
 */
function mirrorInto(metadata: Metadata, fields: EntryFields): Metadata {
  if (!hasSpelling(metadata)) return metadata;
  const mirrored = { ...metadata };
  for (const name of LIFTED) {
    const key = spellingIn(mirrored, name);
    const isCopied = key !== undefined && fields[name] !== undefined && readAs(name, mirrored[key]).success;
    if (isCopied) mirrored[key] = fields[name];
  }
  return mirrored;
}

/** The fields after a write: metadata merged key by key, every other given field replaced, times in UTC. */
export function mergeFields<Fields extends EntryFields>(current: Fields, written: EntryFields): Fields {
  const { metadata: given = NO_METADATA } = written;
  const merged: Fields = { ...current };
  if (hasSpelling(given)) Object.assign(merged, liftFrom(given));
  setGiven(merged, written);
  for (const name of TIMES) {
    const time = written[name];
    if (time !== undefined) merged[name] = new Date(time).toISOString();
  }
  if (merged.tags) merged.tags = [...new Set(merged.tags)];
  merged.metadata = mirrorInto({ ...current.metadata, ...asStored(given) }, written);
  return merged;
}

const NO_METADATA: Metadata = {};

function setGiven(fields: EntryFields, written: EntryFields): void {
  const to = fields as Record<string, unknown>;
  for (const [name, value] of Object.entries(written)) if (value !== undefined) to[name] = value;
}

/** As it will be read back: without undefined fields and negative zeros, which JSON does not have. */
function asStored(metadata: Metadata): Metadata {
  for (const key in metadata) {
    if (!isAsStored(metadata[key])) return JSON.parse(JSON.stringify(metadata)) as Metadata;
  }
  return metadata;
}

function isAsStored(value: unknown): boolean {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && !Object.is(value, -0))
  );
}

/** Throws `LIMIT_EXCEEDED` or `VALIDATION_FAILED` when the fields cannot stand together. */
export function assertFields(fields: EntryFields, limits: Limits): void {
  if (fields.metadata !== undefined) {
    const bytes = Buffer.byteLength(JSON.stringify(fields.metadata));
    assertWithin('LIMIT_EXCEEDED', 'The metadata', bytes, limits.metadataBytes, 'bytes');
  }
  const { validFrom, validTo } = fields;
  // Compared as times: as texts, offsets and fractions of a second would mislead.
  if (validFrom !== undefined && validTo !== undefined && Date.parse(validTo) < Date.parse(validFrom)) {
    throw invalidField('validTo', 'before validFrom');
  }
}

/** Throws `VALIDATION_FAILED` for what would be out of sight at once. What is restored or copied may have expired. */
export function assertUnexpired(fields: Pick<EntryFields, 'expiresAt'>, now: number): void {
  if (hasExpired(fields, now)) throw invalidField('expiresAt', 'is over already');
}
