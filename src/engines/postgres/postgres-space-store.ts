/** Which embedding spaces are in use, in a table that belongs to no tenant, and the vectors that entries lack. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Fill, SpacesInUse, SpaceStore, UnembeddedPage } from '../../ports/space-store.ts';
import { keptSpaces, neededSpaces } from '../sql/spaces-in-use.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import { ENTRY_COLUMNS, entryOf, WITH_ACCESSES, type EntryRow } from './postgres-entry-row.ts';
import { insertGiven, IS_KEPT } from './postgres-entry-writes.ts';
import type { PostgresSpaces } from './postgres-spaces.ts';
import { packedValues } from './postgres-vector.ts';

const SELECT_STATE = 'SELECT u.state FROM lamina.spaces_in_use u';
const CHANGE = 'SELECT lamina.change_spaces($1::bigint, $2::json, $3::int[], $4::int[]) AS "isChanged"';

// One by one: an anti-join would go through all vectors for every page.
const WITHOUT = `
  LEFT JOIN LATERAL (
    SELECT true AS has FROM lamina.embeddings v
    WHERE v.tenant_id = $1 AND v.seq = e.seq AND v.space_id = $2::int LIMIT 1) there ON true`;
const SELECT_UNEMBEDDED = `
  SELECT ${ENTRY_COLUMNS} FROM lamina.entries e ${WITHOUT} ${WITH_ACCESSES}
  WHERE e.tenant_id = $1 AND e.seq > $3::bigint AND there.has IS NULL ORDER BY e.seq LIMIT $4::bigint`;
const COUNT_UNEMBEDDED = `
  SELECT (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = $1)
       - (SELECT count(*) FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.space_id = $2::int) AS count`;

// What is being changed is waited for, and then looked at again: the vector of a former text would be one of another.
const fillOf = (vectorSchema: string): string => `
  WITH given AS MATERIALIZED (
    SELECT e.tenant_id, e.seq, e.partition_id, e.audience, w.space_id, w.start, w.dimensions
    FROM json_to_recordset($1::json) AS w (id uuid, version bigint, space_id int, start int, dimensions int)
    JOIN lamina.entries e ON e.tenant_id = $3 AND e.id = w.id AND e.version = w.version
    ORDER BY e.seq FOR NO KEY UPDATE OF e),
  ${insertGiven(vectorSchema, IS_KEPT)}
  ON CONFLICT DO NOTHING`;

const DROP = `
  DELETE FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.space_id = $2::int AND v.seq = ANY (ARRAY(
    SELECT x.seq FROM lamina.embeddings x WHERE x.tenant_id = $1 AND x.space_id = $2::int LIMIT $3::bigint))`;

const DIRECTORY: Context = { purpose: 'directory' };

export class PostgresSpaceStore implements SpaceStore {
  readonly #database: PostgresDatabase;
  readonly #spaces: PostgresSpaces;
  readonly #fill: string;

  constructor(database: PostgresDatabase, spaces: PostgresSpaces, vectorSchema: string) {
    this.#database = database;
    this.#spaces = spaces;
    this.#fill = fillOf(vectorSchema);
  }

  async read(): Promise<SpacesInUse | undefined> {
    const [row] = await this.#database.read<{ state: SpacesInUse }>({}, SELECT_STATE);
    return row?.state;
  }

  async change(next: SpacesInUse): Promise<boolean> {
    const [needed, kept] = [await this.#idsOf(neededSpaces(next)), await this.#idsOf(keptSpaces(next))];
    const values = [next.revision, JSON.stringify(next), needed, kept];
    const { rows } = await this.#database.write<{ isChanged: boolean }>(DIRECTORY, CHANGE, values);
    return rows[0]?.isChanged === true;
  }

  open(space: EmbeddingSpace): Promise<void> {
    return this.#spaces.open(space);
  }

  async unembedded(tenantId: string, space: EmbeddingSpace, limit: number, after = 0): Promise<UnembeddedPage> {
    const values = [tenantId, await this.#idOf(space), after, limit];
    const rows = await this.#database.read<EntryRow>(administration(tenantId), SELECT_UNEMBEDDED, values);
    return { entries: rows.map(entryOf), next: rows.at(-1)?.seq };
  }

  async countUnembedded(tenantId: string, space: EmbeddingSpace): Promise<number> {
    const values = [tenantId, await this.#idOf(space)];
    const [row] = await this.#database.read<{ count: number }>(administration(tenantId), COUNT_UNEMBEDDED, values);
    return row?.count ?? 0;
  }

  async fill(tenantId: string, fills: readonly Fill[]): Promise<void> {
    const rows: (Pick<Fill, 'id' | 'version'> & { space_id: number; vector: Float32Array })[] = [];
    for (const { id, version, embedding } of fills) {
      const { space, vector } = embedding;
      rows.push({ id, version, space_id: await this.#idOf(space), vector });
    }
    await this.#database.write(administration(tenantId), this.#fill, [...packedValues(rows), tenantId]);
  }

  async drop(tenantId: string, space: EmbeddingSpace, limit: number): Promise<number> {
    const values = [tenantId, await this.#idOf(space), limit];
    return (await this.#database.write(administration(tenantId), DROP, values)).count;
  }

  async #idsOf(spaces: readonly EmbeddingSpace[]): Promise<number[]> {
    return Promise.all(spaces.map((space) => this.#idOf(space)));
  }

  async #idOf(space: EmbeddingSpace): Promise<number> {
    await this.#spaces.open(space);
    return this.#spaces.idOf(space);
  }
}

function administration(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
