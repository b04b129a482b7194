/** The statements that add one entry. Over values and not over rows, because most of what a short statement takes is its plan. */

import type { Entry } from '../../domain/entry.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { eventAudience } from '../sql/event-audience.ts';
import { WRITTEN, WRITTEN_ROW, WRITTEN_VALUES, writtenValues } from './postgres-entry-row.ts';
import { IS_KEPT, saysTheSame } from './postgres-entry-writes.ts';
import { IN_TENANT } from './postgres-page.ts';
import type { Statement } from './postgres-statement.ts';
import { arrayVector, packed } from './postgres-vector.ts';

const insert = (condition: string): string => `
  INSERT INTO lamina.entries (tenant_id, partition_id, ${WRITTEN})
  SELECT (SELECT lamina.current_tenant()),
         coalesce((SELECT p.id FROM lamina.partitions p WHERE ${IN_TENANT} AND p.key = w.partition_key ${condition}),
                  lamina.collide()),
         ${WRITTEN_VALUES}
  FROM ${WRITTEN_ROW}`;

const INSERT = insert('');
const INSERT_UNNAMED = insert(`AND ${saysTheSame('NOT NULL')} IS NULL`);
const INSERT_NAMED = insert(`AND ${saysTheSame('NULL')} IS NULL`);

/** Where its content is new, that must still be so. Collides where it is not, or where its partition is gone. */
export function insertEntry(write: EntryWrite, isNewContent: boolean): Statement {
  const insertNew = write.entry.externalId === undefined ? INSERT_UNNAMED : INSERT_NAMED;
  return { sql: isNewContent ? insertNew : INSERT, values: writtenValues(write) };
}

const TELL = `
  INSERT INTO lamina.events (tenant_id, type, entry_id, version, audience, agent_id, actor_id, at)
  VALUES ((SELECT lamina.current_tenant()), 'created', $1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::bigint)`;

export function tellCreated(entry: Entry, actorId: string, at: number): Statement {
  const { audience, agentId } = eventAudience(entry);
  return { sql: TELL, values: [entry.id, entry.version, audience, agentId, actorId, at] };
}

export interface VectorRow {
  readonly id: string;
  readonly space_id: number;
  readonly vector: Float32Array;
}

/** As `insertEmbeddings`, of an entry that is there. */
export function insertEmbedding(vectorSchema: string, row: VectorRow): Statement {
  const sql = `
  INSERT INTO lamina.embeddings (tenant_id, seq, space_id, partition_id, audience, vector, is_indexed)
  SELECT e.tenant_id, e.seq, w.space_id, e.partition_id, e.audience, ${arrayVector('$3', vectorSchema)},
         lamina.is_indexed(e.tenant_id, e.partition_id, e.audience)
  FROM (SELECT $1::uuid AS id, $2::int AS space_id) w JOIN lamina.entries e ON e.id = w.id
  WHERE ${IS_KEPT}`;
  return { sql, values: [row.id, row.space_id, packed([row])] };
}
