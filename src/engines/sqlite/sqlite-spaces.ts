/** Which embedding spaces are in use, in `system.db`; their vectors lie in the tenants' files. */

import { OutdatedSpaces } from '../../domain/outdated-spaces.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import type { Fill, SpacesInUse, SpaceStore, UnembeddedPage } from '../../ports/space-store.ts';
import { hasSpace, keptSpaces, neededSpaces, spacesOf } from '../sql/spaces-in-use.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { insertEmbedding, type EmbeddingPlace } from './sqlite-embedding-writes.ts';
import type { StoredPartition } from './sqlite-entry-places.ts';
import { ENTRY_COLUMNS, entryOf, type EntryRow } from './sqlite-entry-row.ts';
import type { SqliteSystem } from './sqlite-system.ts';
import type { SqliteTenant } from './sqlite-tenant.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const SELECT = 'SELECT state FROM spaces_in_use';
const CHANGE = `
  INSERT INTO spaces_in_use (id, revision, state) SELECT 1, n.revision, n.state FROM (SELECT ? AS revision, ? AS state) n
  WHERE n.revision = 1 OR EXISTS (SELECT 1 FROM spaces_in_use u WHERE u.revision = n.revision - 1)
  ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, state = excluded.state
    WHERE spaces_in_use.revision = excluded.revision - 1`;

const SPACE = '(SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?)';
const WITHOUT = `NOT EXISTS (SELECT 1 FROM embeddings v WHERE v.seq = e.seq AND v.space_id = s.id)`;
// A space that nobody has written to has no number; then all entries lack a vector.
const SPACE_ID = `(SELECT coalesce(${SPACE}, -1) AS id)`;
const SELECT_UNEMBEDDED = `
  SELECT ${ENTRY_COLUMNS} FROM ${SPACE_ID} s CROSS JOIN entries e WHERE e.seq > ? AND ${WITHOUT} ORDER BY e.seq LIMIT ?`;
const COUNT_UNEMBEDDED = `SELECT count(*) AS count FROM ${SPACE_ID} s CROSS JOIN entries e WHERE ${WITHOUT}`;
const INSERT_SPACE =
  'INSERT INTO embedding_spaces (model, dimensions, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const SELECT_TO_FILL = `
  SELECT s.id AS spaceId, e.seq, p.id, p.is_coded AS isCoded, p.entry_count AS most
  FROM ${SPACE_ID} s CROSS JOIN entries e CROSS JOIN partitions p ON p.id = e.partition_id
  WHERE e.id = ? AND e.version = ? AND ${WITHOUT}`;
const DROP = `
  DELETE FROM embeddings WHERE (space_id, partition_id, seq) IN (
    SELECT space_id, partition_id, seq FROM embeddings WHERE space_id = ${SPACE} LIMIT ?)`;

type ToFill = Omit<EmbeddingPlace, 'partition'> & StoredPartition;

/** What a transaction that writes vectors has to ask. */
export interface SpaceGuard {
  /** The writes with those of their vectors that are kept. Throws `OutdatedSpaces` where one lacks a vector. */
  admitted(writes: readonly EntryWrite[], connection: SqliteConnection): readonly EntryWrite[];
}

export class SqliteSpaces implements SpaceStore, SpaceGuard {
  readonly #tenants: SqliteTenants;
  readonly #system: SqliteSystem;
  readonly #now: () => number;

  constructor(tenants: SqliteTenants, system: SqliteSystem, now: () => number) {
    this.#tenants = tenants;
    this.#system = system;
    this.#now = now;
  }

  read(): Promise<SpacesInUse | undefined> {
    return this.#system.read(stateIn, () => undefined);
  }

  async change(next: SpacesInUse): Promise<boolean> {
    const { changes } = await this.#system.write((connection) =>
      connection.run(CHANGE, next.revision, JSON.stringify(next)),
    );
    if (changes === 0) return false;
    // Whoever has not read it yet holds a file for writing, and has let go of it once the same was done here.
    for (const tenantId of this.#tenants.ids()) await this.#write(tenantId, () => {});
    return true;
  }

  admitted(writes: readonly EntryWrite[], connection: SqliteConnection): readonly EntryWrite[] {
    const state = connection.lookedUp('spaces in use', () => this.#system.readNow(stateIn));
    if (state === undefined) return writes;
    const [needed, kept] = [neededSpaces(state), keptSpaces(state)];
    return writes.map((write) => {
      const spaces = spacesOf(write);
      if (spaces.length === 0) return write;
      if (!needed.every((space) => hasSpace(spaces, space))) throw new OutdatedSpaces();
      return spaces.every((space) => hasSpace(kept, space)) ? write : keeping(write, kept);
    });
  }

  /** A file makes it known with the first vector. */
  async open(): Promise<void> {}

  unembedded(
    tenantId: string,
    { model, dimensions }: EmbeddingSpace,
    limit: number,
    after = 0,
  ): Promise<UnembeddedPage> {
    return this.#read<UnembeddedPage>(
      tenantId,
      ({ connection }) => {
        const rows = connection.all<EntryRow>(SELECT_UNEMBEDDED, model, dimensions, after, limit);
        const last = rows.at(-1);
        return { entries: rows.map(entryOf), next: last && Number(last.seq) };
      },
      () => ({ entries: [], next: undefined }),
    );
  }

  countUnembedded(tenantId: string, { model, dimensions }: EmbeddingSpace): Promise<number> {
    return this.#read(
      tenantId,
      ({ connection }) => connection.first<{ count: number }>(COUNT_UNEMBEDDED, model, dimensions)?.count ?? 0,
      () => 0,
    );
  }

  async fill(tenantId: string, fills: readonly Fill[]): Promise<void> {
    const now = this.#now();
    await this.#write(tenantId, (connection) => {
      const state = this.#system.readNow(stateIn);
      for (const { id, version, embedding } of fills) {
        const { space, vector } = embedding;
        if (state && !hasSpace(keptSpaces(state), space)) continue;
        connection.run(INSERT_SPACE, space.model, space.dimensions, now);
        const row = connection.first<ToFill>(SELECT_TO_FILL, space.model, space.dimensions, id, version);
        if (row === undefined) continue;
        const { spaceId, seq, ...partition } = row;
        insertEmbedding(connection, { spaceId, partition, seq }, vector, false);
      }
    });
  }

  async drop(tenantId: string, { model, dimensions }: EmbeddingSpace, limit: number): Promise<number> {
    const dropped = await this.#write(tenantId, (connection) => connection.run(DROP, model, dimensions, limit).changes);
    return dropped ?? 0;
  }

  #read<T>(tenantId: string, read: (tenant: SqliteTenant) => T, nothing: () => T): Promise<T> {
    return this.#tenants.read({ tenantId, userId: '' }, read, nothing);
  }

  /** Undefined where the tenant is gone: nobody's file is made by this. */
  async #write<T>(tenantId: string, work: (connection: SqliteConnection) => T): Promise<T | undefined> {
    return this.#read<Promise<T | undefined>>(
      tenantId,
      (tenant) => tenant.write(work),
      async () => undefined,
    );
  }
}

function stateIn(connection: SqliteConnection): SpacesInUse | undefined {
  const row = connection.first<{ state: string }>(SELECT);
  return row && (JSON.parse(row.state) as SpacesInUse);
}

function keeping(write: EntryWrite, kept: readonly EmbeddingSpace[]): EntryWrite {
  const [embedding, otherEmbedding] = [write.embedding, write.otherEmbedding].flatMap((each) =>
    each && hasSpace(kept, each.space) ? [each] : [],
  );
  return { ...write, embedding, otherEmbedding };
}
