/** The numbers of what entries lie in: partitions and embedding spaces, looked up once for all writes that share a commit. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';

const SELECT_PARTITION = 'SELECT id FROM partitions WHERE key = ?';
const INSERT_PARTITION = 'INSERT INTO partitions (key, layer) VALUES (?, ?) RETURNING id';
const DELETE_EMPTY_PARTITION = 'DELETE FROM partitions WHERE id = ? AND entry_count = 0';
const SELECT_SPACE = 'SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?';
const INSERT_SPACE = 'INSERT INTO embedding_spaces (model, dimensions, created_at) VALUES (?, ?, ?) RETURNING id';

/** Makes it where there is none. */
export function partitionIdOf(connection: SqliteConnection, partition: Partition): number {
  const key = partitionKey(partition);
  return connection.lookedUp(
    `partition ${key}`,
    () => idFrom(connection, SELECT_PARTITION, key) ?? newId(connection, INSERT_PARTITION, key, partition.scope.layer),
  );
}

/** Makes it where there is none. */
export function spaceIdOf(connection: SqliteConnection, { model, dimensions }: EmbeddingSpace, now: number): number {
  return connection.lookedUp(
    `space ${dimensions} ${model}`,
    () =>
      idFrom(connection, SELECT_SPACE, model, dimensions) ?? newId(connection, INSERT_SPACE, model, dimensions, now),
  );
}

export function dropIfEmpty(connection: SqliteConnection, partitionId: Value): void {
  if (connection.run(DELETE_EMPTY_PARTITION, partitionId).changes > 0) connection.lookAgain();
}

function idFrom(connection: SqliteConnection, sql: string, ...values: Value[]): number | undefined {
  return connection.first<{ id: number }>(sql, ...values)?.id;
}

function newId(connection: SqliteConnection, sql: string, ...values: Value[]): number {
  return Number(idFrom(connection, sql, ...values));
}
