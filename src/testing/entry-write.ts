/** Entries as the engine contract writes them: everything said or derived, without the use cases of the core. */

import { createHash } from 'node:crypto';
import { partitionOf, type Partition } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import { scopeOf } from '../domain/scope.ts';
import type { Embedding, EntryWrite, Probe } from '../ports/entry-store.ts';
import { HashEmbedder } from './hash-embedder.ts';

const WRITTEN_AT = '2026-03-04T08:00:00.000Z';

const embedder = new HashEmbedder();

let count = 0;

/** UUIDs in the order in which they are asked for. */
function nextId(): string {
  count += 1;
  return `018f0000-0000-7000-8000-${count.toString(16).padStart(12, '0')}`;
}

export function lexemesIn(content: string): string[] {
  return content.split(' ');
}

/** A search for words of which each tells as much as the others. */
export function wordsProbe(...lexemes: readonly string[]): Probe {
  return { terms: lexemes.map((lexeme) => ({ lexeme, weight: 1 })) };
}

/** A search for a meaning alone. */
export async function meaningProbe(text: string): Promise<Probe> {
  return { terms: [], embedding: await embeddingOf(text) };
}

/** A new entry of project `p`, shared by everyone, unless said otherwise. */
export function entryOf(fields: Partial<Entry> & { readonly content: string }): Entry {
  return {
    id: nextId(),
    kind: 'semantic',
    layer: 'project',
    identifiers: { projectId: 'p' },
    metadata: {},
    tags: [],
    sensitivity: 'internal',
    trust: 'user',
    visibility: 'shared',
    importance: 0.5,
    confidence: 1,
    relevance: 1,
    decayFactor: 1,
    ownerId: null,
    contentHash: createHash('sha256').update(fields.content).digest('hex'),
    status: 'active',
    version: 1,
    previousVersion: null,
    accessCount: 0,
    createdAt: WRITTEN_AT,
    updatedAt: WRITTEN_AT,
    ...fields,
  };
}

export function partitionOfEntry(entry: Entry): Partition {
  const { kind, visibility, ownerId, status } = entry;
  const scope = scopeOf(entry.layer, entry.identifiers);
  return partitionOf({
    scope,
    kind,
    visibility,
    ownerId,
    isArchived: status === 'archived',
    isQuarantined: status === 'quarantined',
  });
}

export async function embeddingOf(text: string, dims = 64): Promise<Embedding> {
  const model = dims === 64 ? embedder : new HashEmbedder({ dims });
  const [vector = new Float32Array()] = await model.embed([text]);
  return { space: await model.space(), vector };
}

/** Everything that is written with an entry; contents are words divided by single spaces. */
export async function writeOf(entry: Entry): Promise<EntryWrite> {
  return {
    entry,
    partition: partitionOfEntry(entry),
    lexemes: lexemesIn(entry.content),
    embedding: await embeddingOf(entry.content),
  };
}

/** The next version of an entry, with these changes. */
export function nextVersion(entry: Entry, changes: Partial<Entry>): Entry {
  const changed = { ...entry, ...changes };
  const contentHash = createHash('sha256').update(changed.content).digest('hex');
  return { ...changed, contentHash, version: entry.version + 1, previousVersion: entry.version };
}
