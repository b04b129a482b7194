/** Entries and their superseded states in an archive: in the order in which the entries were written. */

import { partitionOfKey } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { withTrust } from '../../domain/trust.ts';
import type { ArchivedEntry, ArchivedVersion, ArchivePage, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedding } from '../../ports/entry-store.ts';
import { archivedTimes } from '../sql/archive-page.ts';
import type { SqliteCollection } from './sqlite-archive-collections.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { ENTRY_COLUMNS, entryOf, splitLexemes, type EntryRow } from './sqlite-entry-row.ts';
import { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';

const SELECT_SEQ = 'SELECT seq FROM entries WHERE id = ?';
// CROSS JOIN fixes the order in which tables are gone through.
const SELECT_ENTRIES = `
  SELECT ${ENTRY_COLUMNS}, e.lexemes, e.access_times, p.key AS partition_key
  FROM entries e CROSS JOIN partitions p ON p.id = e.partition_id
  WHERE e.seq > ? ORDER BY e.seq LIMIT ?`;
const SELECT_EMBEDDINGS = `
  SELECT v.seq, s.model, s.dimensions, v.vector
  FROM json_each(?) j CROSS JOIN embeddings v ON v.seq = j.value JOIN embedding_spaces s ON s.id = v.space_id
  ORDER BY v.seq, s.model, s.dimensions`;
const SELECT_LAST_ENTRY = 'SELECT id FROM entries ORDER BY seq DESC LIMIT 1';
const SELECT_VERSIONS = `
  SELECT e.id AS entryId, v.version, v.entry, v.replaced_at AS replacedAt
  FROM entry_versions v CROSS JOIN entries e ON e.seq = v.seq
  WHERE (v.seq, v.version) > (?, ?) ORDER BY v.seq, v.version LIMIT ?`;
const SELECT_LAST_VERSION = `
  SELECT e.id, v.version FROM entry_versions v CROSS JOIN entries e ON e.seq = v.seq
  ORDER BY v.seq DESC, v.version DESC LIMIT 1`;
const RESTORE_VERSION = `
  INSERT INTO entry_versions (seq, version, entry, replaced_at) SELECT e.seq, ?, ?, ? FROM entries e WHERE e.id = ?
  ON CONFLICT DO NOTHING`;

type ArchivedRow = EntryRow & { readonly partition_key: string; readonly access_times: string | null };

interface EmbeddingRow {
  readonly seq: number;
  readonly model: string;
  readonly dimensions: number;
  readonly vector: Buffer;
}

interface VersionRow {
  readonly entryId: string;
  readonly version: number;
  readonly entry: string;
  readonly replacedAt: number;
}

export function archivedEntries(clock: Clock): SqliteCollection<ArchivedEntry> {
  return {
    read: (connection, limit, [id = '']) => {
      const rows = connection.all<ArchivedRow>(SELECT_ENTRIES, seqOf(connection, id), limit);
      const embeddings = embeddingsOf(connection, rows);
      const read = (row: ArchivedRow): ArchivedEntry => ({
        entry: whole(entryOf(row)),
        partition: partitionOfKey(row.partition_key),
        lexemes: splitLexemes(String(row.lexemes)),
        embeddings: embeddings.get(Number(row.seq)) ?? [],
        ...archivedTimes(JSON.parse(row.access_times ?? '[]') as number[]),
      });
      return readablePage(rows, read, (row) => [String(row.id)]);
    },
    end: (connection) => {
      const last = connection.first<{ id: string }>(SELECT_LAST_ENTRY);
      return last && [last.id];
    },
    write: (connection, items) => new SqliteEntryTransaction(connection, clock, '').restore(items),
  };
}

export const ARCHIVED_VERSIONS: SqliteCollection<ArchivedVersion> = {
  read: (connection, limit, [id = '', version = 0]) => {
    const rows = connection.all<VersionRow>(SELECT_VERSIONS, seqOf(connection, id), version, limit);
    const read = ({ entryId, entry, replacedAt }: VersionRow): ArchivedVersion => ({
      entryId,
      memory: withTrust(whole(JSON.parse(entry) as Entry)),
      replacedAt: new Date(replacedAt).toISOString(),
    });
    return readablePage(rows, read, (row) => [row.entryId, row.version]);
  },
  end: (connection) => {
    const last = connection.first<{ id: string; version: number }>(SELECT_LAST_VERSION);
    return last && [last.id, last.version];
  },
  write: (connection, items) => {
    for (const { entryId, memory, replacedAt } of items) {
      connection.run(RESTORE_VERSION, memory.version, JSON.stringify(memory), Date.parse(replacedAt), entryId);
    }
  },
};

/** A column may hold anything: who writes to the file by other ways can break a row, and must not hide the others. */
function readablePage<R, T>(rows: readonly R[], read: (row: R) => T, placeOf: (row: R) => Place): ArchivePage<T> {
  const items: T[] = [];
  const unreadable: Place[] = [];
  for (const row of rows) {
    try {
      items.push(read(row));
    } catch {
      unreadable.push(placeOf(row));
    }
  }
  const last = rows.at(-1);
  return { items, last: last && placeOf(last), ...(unreadable.length > 0 && { unreadable }) };
}

/** Throws for what is no entry, whatever else it is. */
function whole(entry: Entry): Entry {
  const { content, metadata, identifiers, tags } = entry;
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (typeof content === 'string' && isObject(metadata) && isObject(identifiers) && Array.isArray(tags)) return entry;
  throw new TypeError('It is no entry.');
}

/** Before all of them where there is no such entry. */
function seqOf(connection: SqliteConnection, id: string | number): number {
  return connection.first<{ seq: number }>(SELECT_SEQ, id)?.seq ?? 0;
}

function embeddingsOf(connection: SqliteConnection, entries: readonly EntryRow[]): Map<number, Embedding[]> {
  const seqs = JSON.stringify(entries.map(({ seq }) => seq));
  const bySeq = new Map<number, Embedding[]>();
  for (const { seq, model, dimensions, vector } of connection.all<EmbeddingRow>(SELECT_EMBEDDINGS, seqs)) {
    const embedding = { space: { model, dimensions }, vector: new Float32Array(new Uint8Array(vector).buffer) };
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), embedding]);
  }
  return bySeq;
}
