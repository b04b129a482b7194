/** Names in Qdrant. Users, scopes and agents are stored as hashes, so that erasure leaves no name behind. */

import { hash } from 'node:crypto';
import { partitionKey, type Partition } from '../../domain/access.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';

/** In hexadecimal: 128 bits, which no two will share. */
const HASH_LENGTH = 32;
const MAX_MODEL_LENGTH = 80;
const MODEL_HASH_LENGTH = 8;

/** One for each space. The hash distinguishes models that differ only in characters that a name cannot contain. */
export function collectionName(prefix: string, { model, dimensions }: EmbeddingSpace): string {
  const readable = model
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_MODEL_LENGTH);
  return `${collectionPrefix(prefix)}${readable}_${dimensions}_${hash('sha256', model).slice(0, MODEL_HASH_LENGTH)}`;
}

/** The prefix of the collections. It has no underscore, so that no prefix followed by one begins another. */
export function collectionPrefix(prefix: string): string {
  return `${prefix}_`;
}

/**
 * The point id of an entry. Not the entry's id itself: callers may choose their own, and two tenants with the same one
 * would overwrite each other.
 */
export function pointId(tenantId: string, entryId: string): string {
  return uuidOf(['entry', tenantId, entryId]);
}

/** The point that records how far a tenant has been indexed. */
export function progressId(tenantId: string): string {
  return uuidOf(['progress', tenantId]);
}

export function partitionHash(tenantId: string, partition: Partition): string {
  return hashOf(['partition', tenantId, partitionKey(partition)]);
}

export function ownerHash(tenantId: string, ownerId: string): string {
  return hashOf(['owner', tenantId, ownerId]);
}

function hashOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, HASH_LENGTH);
}

/** As Qdrant accepts it: UUID version 8, with free content. */
function uuidOf(parts: readonly string[]): string {
  const text = hashOf(parts);
  const variant = '89ab'[Number.parseInt(text[16] ?? '0', 16) % 4];
  return [
    text.slice(0, 8),
    text.slice(8, 12),
    `8${text.slice(13, 16)}`,
    `${variant}${text.slice(17, 20)}`,
    text.slice(20),
  ].join('-');
}
