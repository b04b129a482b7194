/** Items between an archive and a bundle: derived fields are left out of a bundle, and recomputed. */

import { endianness } from 'node:os';
import { partitionOf } from '../../domain/access.ts';
import type { Collection } from '../../domain/archive.ts';
import { BUNDLE_ITEMS, type BundleItems } from '../../domain/bundle-item.ts';
import { LaminaError } from '../../domain/error.ts';
import { assertJson } from '../../domain/json.ts';
import { scopeOf } from '../../domain/scope.ts';
import { membersOf, type AccessControl } from '../../domain/sharing.ts';
import { withTrust } from '../../domain/trust.ts';
import type { Archived } from '../../ports/archive.ts';
import type { Embedding } from '../../ports/entry-store.ts';
import { indexedLexemes } from '../remember/content.ts';
import { placementOf } from '../scoping.ts';

const BYTES_PER_NUMBER = 4;

type Packed = { readonly [name: string]: unknown };

/** An item of an archive as it stands in a bundle. */
export function packed<C extends Collection>(collection: C, item: Archived[C], vectors: boolean): Packed {
  if (collection === 'entries') return packedEntry(item as Archived['entries'], vectors);
  if (collection !== 'pools' && collection !== 'contexts') return { ...item };
  const { members: _members, ...shared } = item as Archived['pools'];
  return shared;
}

function packedEntry({ entry, embeddings, accessTimes }: Archived['entries'], vectors: boolean): Packed {
  const read = { entry, ...(accessTimes && { accessTimes }) };
  if (!vectors || embeddings.length === 0) return read;
  return {
    ...read,
    embeddings: embeddings.map(({ space: { model, dimensions }, vector }) => ({
      model,
      dimensions,
      vector: bytesOf(vector).toString('base64'),
    })),
  };
}

/** The item, checked field by field. Throws `VALIDATION_FAILED` with what is wrong with it. */
export function checkedItem<C extends Collection>(collection: C, item: unknown): BundleItems[C] {
  assertJson(item);
  const parsed = BUNDLE_ITEMS[collection].safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : '';
    throw misfit(`${[collection, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'does not fit'}${unknown}`);
  }
  const checked = parsed.data as BundleItems[C];
  assertFits(collection, checked);
  return checked;
}

/** What a schema cannot tell. */
function assertFits<C extends Collection>(collection: C, item: BundleItems[C]): void {
  if (collection === 'entries') {
    const { entry, embeddings = [] } = item as BundleItems['entries'];
    scopeOf(entry.layer, entry.identifiers);
    for (const embedding of embeddings) embeddingOf(embedding);
  }
  if (collection === 'facts') {
    const { layer, identifiers } = item as BundleItems['facts'];
    scopeOf(layer, identifiers);
  }
  if (collection === 'versions') {
    const { entryId, memory } = item as BundleItems['versions'];
    if (memory.id !== entryId) throw misfit('versions.memory.id: is of another entry');
  }
}

/** A checked item as an archive takes it. */
export function unpacked<C extends Collection>(collection: C, item: BundleItems[C]): Archived[C] {
  if (collection === 'entries') return unpackedEntry(item as BundleItems['entries']) as Archived[C];
  if (collection === 'facts') return withTrust(item as BundleItems['facts']) as unknown as Archived[C];
  if (collection === 'versions') {
    const version = item as BundleItems['versions'];
    return { ...version, memory: withTrust(version.memory) } as unknown as Archived[C];
  }
  if (collection !== 'pools' && collection !== 'contexts') return item as unknown as Archived[C];
  const { access } = item as { readonly access: AccessControl };
  return { ...item, members: membersOf(access) } as unknown as Archived[C];
}

function unpackedEntry({ entry: kept, embeddings = [], accessTimes }: BundleItems['entries']): Archived['entries'] {
  const entry = withTrust(kept);
  return {
    entry,
    partition: partitionOf(placementOf(entry)),
    lexemes: indexedLexemes(entry),
    embeddings: embeddings.map(embeddingOf),
    ...(accessTimes && { accessTimes }),
  };
}

type PackedEmbedding = NonNullable<BundleItems['entries']['embeddings']>[number];

function embeddingOf({ model, dimensions, vector }: PackedEmbedding): Embedding {
  const bytes = Buffer.from(vector, 'base64');
  if (bytes.length !== dimensions * BYTES_PER_NUMBER) {
    throw misfit(`entries.embeddings: a vector of ${model} has not ${dimensions} numbers`);
  }
  const numbers = numbersOf(bytes);
  if (!numbers.every(Number.isFinite)) throw misfit(`entries.embeddings: a vector of ${model} is none`);
  return { space: { model, dimensions }, vector: numbers };
}

function misfit(problem: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', `The item does not fit: ${problem}.`);
}

/** Little-endian, whatever this machine is. */
function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.from(new Float32Array(vector).buffer);
  return endianness() === 'LE' ? bytes : bytes.swap32();
}

function numbersOf(bytes: Buffer): Float32Array {
  const own = Buffer.from(bytes);
  if (endianness() !== 'LE') own.swap32();
  return new Float32Array(new Uint8Array(own).buffer);
}
