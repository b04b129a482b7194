/** What things are called in Qdrant. Users, scopes and agents stand there as hashes: what is erased leaves no name behind. */

import { hash } from 'node:crypto';
import { partitionKey, type Partition } from '../../domain/access.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';

/** In hexadecimal: 128 bits, which no two will share. */
const HASH_LENGTH = 32;
const MAX_MODEL_LENGTH = 80;
const MODEL_HASH_LENGTH = 8;

/** One for each space. Models that differ only in what a name cannot hold are told apart by the hash. */
export function collectionName(prefix: string, { model, dimensions }: EmbeddingSpace): string {
  const readable = model
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_MODEL_LENGTH);
  return `${collectionPrefix(prefix)}${readable}_${dimensions}_${hash('sha256', model).slice(0, MODEL_HASH_LENGTH)}`;
}

/** What the collections begin with. The prefix has no underscore, so that no prefix begins with another one and this. */
export function collectionPrefix(prefix: string): string {
  return `${prefix}_`;
}

/**
 * The point of an entry. Not the entry's id itself: callers may bring their own, and two tenants the same one, so that one
 * would overwrite the other's.
 */
export function pointId(tenantId: string, entryId: string): string {
  return uuidOf(['entry', tenantId, entryId]);
}

/** The point that says how far a tenant has been indexed. */
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

/** As Qdrant takes it: version 8, made of whatever one likes. */
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
