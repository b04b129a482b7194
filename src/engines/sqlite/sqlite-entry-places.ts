/** The numbers of what entries lie in: partitions and embedding spaces, looked up again only where they may have changed. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';

const SELECT_PARTITION = 'SELECT id, is_coded AS isCoded, entry_count AS most FROM partitions WHERE key = ?';
const INSERT_PARTITION = 'INSERT INTO partitions (key, layer) VALUES (?, ?) RETURNING id';
const DELETE_EMPTY_PARTITION = 'DELETE FROM partitions WHERE id = ? AND entry_count = 0';
const SELECT_SPACE = 'SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?';
const INSERT_SPACE = 'INSERT INTO embedding_spaces (model, dimensions, created_at) VALUES (?, ?, ?) RETURNING id';

/** A partition as the file has it. */
export interface StoredPartition {
  readonly id: number;
  /** Whether its vectors have codes. */
  readonly isCoded: 0 | 1;
  /** How many entries it may hold at most; fewer where some have gone. */
  most: number;
}

/** Makes it where there is none. */
export function storedPartition(connection: SqliteConnection, partition: Partition): StoredPartition {
  const key = partitionKey(partition);
  return connection.known(
    `partition ${key}`,
    () =>
      connection.first<StoredPartition>(SELECT_PARTITION, key) ?? {
        id: newId(connection, INSERT_PARTITION, key, partition.scope.layer),
        isCoded: 0,
        most: 0,
      },
  );
}

/** Makes it where there is none. */
export function spaceIdOf(connection: SqliteConnection, { model, dimensions }: EmbeddingSpace, now: number): number {
  return connection.known(`space ${dimensions} ${model}`, () => ({
    id: idFrom(connection, SELECT_SPACE, model, dimensions) ?? newId(connection, INSERT_SPACE, model, dimensions, now),
  })).id;
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
