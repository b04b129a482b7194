/** Entries and their superseded states in an archive: in the order in which the entries were written. */

import { partitionOfKey } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { withTrust } from '../../domain/trust.ts';
import type { ArchivedEntry, ArchivedVersion } from '../../ports/archive.ts';
import { archivePage, archivedTimes } from '../sql/archive-page.ts';
import { keyIn, type PostgresCollection, type Writing } from './postgres-archive-collections.ts';
import {
  ENTRY_COLUMNS,
  entryOf,
  WITH_ACCESSES,
  WRITTEN,
  WRITTEN_VALUES,
  writtenOf,
  writtenTable,
  type EntryRow,
} from './postgres-entry-row.ts';
import { insertEmbeddings, openPartitions } from './postgres-entry-writes.ts';
import type { PostgresSpaces } from './postgres-spaces.ts';
import { packedValues, vectorOf } from './postgres-vector.ts';

/** Before all of them where there is no such entry. */
const SEQ_OF = 'coalesce((SELECT x.seq FROM lamina.entries x WHERE x.tenant_id = $1 AND x.id = $2::uuid), 0)';

const EMBEDDINGS = `(
  SELECT json_agg(json_build_object('model', s.model, 'dimensions', s.dimensions, 'vector', v.vector::text)
                  ORDER BY s.model COLLATE "C", s.dimensions)
  FROM lamina.embeddings v JOIN lamina.embedding_spaces s ON s.id = v.space_id
  WHERE v.tenant_id = e.tenant_id AND v.seq = e.seq)`;
const ACCESS_TIMES = `(
  SELECT to_json(x.access_times) FROM lamina.entry_accesses x WHERE x.tenant_id = e.tenant_id AND x.seq = e.seq)`;
const SELECT_ENTRIES = `
  SELECT ${ENTRY_COLUMNS}, e.lexemes, p.key AS partition_key, ${EMBEDDINGS} AS embeddings, ${ACCESS_TIMES} AS access_times
  FROM lamina.entries e JOIN lamina.partitions p ON p.tenant_id = e.tenant_id AND p.id = e.partition_id ${WITH_ACCESSES}
  WHERE e.tenant_id = $1 AND e.seq > ${SEQ_OF} ORDER BY e.seq LIMIT $3`;
const SELECT_LAST_ENTRY = 'SELECT id FROM lamina.entries WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1';
const SELECT_THERE = 'SELECT id FROM lamina.entries WHERE tenant_id = $1 AND id = ANY ($2::uuid[])';
const RESTORE_ENTRIES = `
  INSERT INTO lamina.entries (tenant_id, partition_id, ${WRITTEN})
  SELECT p.tenant_id, p.id, ${WRITTEN_VALUES} FROM ${writtenTable('$2', 'place int')}
  JOIN lamina.partitions p ON p.tenant_id = $1 AND p.key = w.partition_key
  ORDER BY w.place ON CONFLICT DO NOTHING RETURNING id`;
const RESTORE_ACCESSES = `
  INSERT INTO lamina.entry_accesses (tenant_id, seq, access_count, last_accessed_at, access_times)
  SELECT e.tenant_id, e.seq, w.access_count, w.last_accessed_at, w.access_times
  FROM json_to_recordset($2::json) AS w (id uuid, access_count bigint, last_accessed_at bigint, access_times bigint[])
  JOIN lamina.entries e ON e.tenant_id = $1 AND e.id = w.id`;

const SELECT_VERSIONS = `
  SELECT e.id AS "entryId", v.entry, v.replaced_at AS "replacedAt"
  FROM lamina.entry_versions v JOIN lamina.entries e ON e.tenant_id = v.tenant_id AND e.seq = v.seq
  WHERE v.tenant_id = $1 AND (v.seq, v.version) > (${SEQ_OF}, $3) ORDER BY v.seq, v.version LIMIT $4`;
const SELECT_LAST_VERSION = `
  SELECT e.id, v.version FROM lamina.entry_versions v JOIN lamina.entries e ON e.tenant_id = v.tenant_id AND e.seq = v.seq
  WHERE v.tenant_id = $1 ORDER BY v.seq DESC, v.version DESC LIMIT 1`;
const RESTORE_VERSIONS = `
  INSERT INTO lamina.entry_versions (tenant_id, seq, version, entry, replaced_at)
  SELECT e.tenant_id, e.seq, w.version, w.entry, w.replaced_at
  FROM json_to_recordset($2::json) AS w (id uuid, version bigint, entry json, replaced_at bigint)
  JOIN lamina.entries e ON e.tenant_id = $1 AND e.id = w.id
  ON CONFLICT DO NOTHING`;

interface ArchivedRow extends EntryRow {
  readonly lexemes: string;
  readonly partition_key: string;
  readonly embeddings: readonly { model: string; dimensions: number; vector: string }[] | null;
  readonly access_times: readonly number[] | null;
}

export function archivedEntries(spaces: PostgresSpaces, vectorSchema: string): PostgresCollection<ArchivedEntry> {
  const restoreEmbeddings = insertEmbeddings(vectorSchema);
  return {
    read: async (ask, { tenantId, limit, after }) => {
      const rows = await ask<ArchivedRow>(SELECT_ENTRIES, [tenantId, keyIn(after), limit]);
      return archivePage(rows.map(archivedOf), ({ entry }) => [entry.id]);
    },
    end: async (ask, tenantId) => {
      const [last] = await ask<{ id: string }>(SELECT_LAST_ENTRY, [tenantId]);
      return last && [last.id];
    },
    // Opening a space makes an index, for which everyone who writes has to wait.
    prepare: async (items) => {
      for (const { embeddings } of items) for (const { space } of embeddings) await spaces.open(space);
    },
    write: async (writing, items) => {
      const { transaction, tenantId } = writing;
      const restored = await restoreEntries(writing, items);
      const accesses = restored.flatMap(accessesOf);
      transaction.send(RESTORE_ACCESSES, [tenantId, JSON.stringify(accesses)]);
      const vectors = restored.flatMap(({ entry: { id }, embeddings }) =>
        embeddings.map(({ space, vector }) => ({ id, space_id: spaces.idOf(space), vector })),
      );
      transaction.send(restoreEmbeddings, packedValues(vectors));
    },
  };
}

/** Those that were not there. */
async function restoreEntries(writing: Writing, items: readonly ArchivedEntry[]): Promise<ArchivedEntry[]> {
  const { transaction, enter, tenantId } = writing;
  const ids = items.map(({ entry }) => entry.id);
  const there = new Set(
    (await transaction.query<{ id: string }>(SELECT_THERE, [tenantId, ids])).rows.map(({ id }) => id),
  );
  const missing = items.filter(({ entry }) => !there.has(entry.id));
  for (const userId of new Set(missing.flatMap(({ entry, partition }) => [entry.ownerId, partition.audience]))) {
    if (userId) enter(userId);
  }
  const { sql, values } = openPartitions(
    tenantId,
    missing.map(({ partition }) => partition),
  );
  transaction.send(sql, values);
  const rows = missing.map((item, place) => ({ ...writtenOf({ ...item, embedding: undefined }), place }));
  const restored = await transaction.query<{ id: string }>(RESTORE_ENTRIES, [tenantId, JSON.stringify(rows)]);
  const arrived = new Set(restored.rows.map(({ id }) => id));
  return missing.filter(({ entry }) => arrived.has(entry.id));
}

export const ARCHIVED_VERSIONS: PostgresCollection<ArchivedVersion> = {
  read: async (ask, { tenantId, limit, after }) => {
    const [, version = 0] = after;
    const rows = await ask<{ entryId: string; entry: Entry; replacedAt: number }>(SELECT_VERSIONS, [
      tenantId,
      keyIn(after),
      version,
      limit,
    ]);
    const items = rows.map(({ entryId, entry, replacedAt }) => ({
      entryId,
      memory: withTrust(entry),
      replacedAt: new Date(replacedAt).toISOString(),
    }));
    return archivePage(items, ({ entryId, memory }) => [entryId, memory.version]);
  },
  end: async (ask, tenantId) => {
    const [last] = await ask<{ id: string; version: number }>(SELECT_LAST_VERSION, [tenantId]);
    return last && [last.id, last.version];
  },
  write: async ({ transaction, tenantId }, items) => {
    const rows = items.map(({ entryId, memory, replacedAt }) => ({
      id: entryId,
      version: memory.version,
      entry: memory,
      replaced_at: Date.parse(replacedAt),
    }));
    await transaction.query(RESTORE_VERSIONS, [tenantId, JSON.stringify(rows)]);
  },
};

function archivedOf(row: ArchivedRow): ArchivedEntry {
  const { lexemes, partition_key: key, embeddings, access_times: times } = row;
  return {
    entry: entryOf(row),
    partition: partitionOfKey(key),
    lexemes: lexemes === '' ? [] : lexemes.split(' '),
    embeddings: (embeddings ?? []).map(({ model, dimensions, vector }) => ({
      space: { model, dimensions },
      vector: vectorOf(vector),
    })),
    ...archivedTimes(times ?? []),
  };
}

/** None for what was never recalled. */
function accessesOf({ entry: { id, accessCount, lastAccessedAt }, accessTimes = [] }: ArchivedEntry): object[] {
  if (lastAccessedAt === undefined) return [];
  const times = accessTimes.map((time) => Date.parse(time));
  return [{ id, access_count: accessCount, last_accessed_at: Date.parse(lastAccessedAt), access_times: times }];
}
