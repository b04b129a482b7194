/**
 * Vectors, and in large partitions the codes by which those are searched. Nothing else puts vectors into a file. One row at a time, by
 * statements that change one table: SQLite then needs no copy of the pages that they change. Triggers take codes out again.
 */

import type { Embedding } from '../../ports/entry-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { StoredPartition } from './sqlite-entry-places.ts';

const INSERT_EMBEDDING = 'INSERT INTO embeddings (space_id, partition_id, seq, vector) VALUES (?, ?, ?, ?)';
// Instead of what may be there: a Lamina of an earlier version that has the file open still writes codes for every vector.
const INSERT_CODE = 'INSERT OR REPLACE INTO embedding_codes (space_id, partition_id, seq, code) VALUES (?, ?, ?, ?)';
const INSERT_CHANGE = 'INSERT INTO code_changes (space_id, partition_id, seq) VALUES (?, ?, ?)';
const INSERT_REMOVAL = `
  INSERT INTO code_changes (space_id, partition_id, seq)
  SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM embeddings WHERE seq = ?)`;

const MOVE_EMBEDDINGS = 'UPDATE embeddings SET partition_id = ? WHERE seq = ?';
const SELECT_COUNT = 'SELECT entry_count AS count FROM partitions WHERE id = ?';
const MARK_CODED = 'UPDATE partitions SET is_coded = 1 WHERE id = ?';
const insertCodes = (where: string): string => `
  INSERT OR REPLACE INTO embedding_codes (space_id, partition_id, seq, code)
  SELECT v.space_id, v.partition_id, v.seq,
    CAST(vec_quantize_binary(vec_add(v.vector, s.step)) || vec_quantize_binary(vec_sub(v.vector, s.step)) AS BLOB)
  FROM embedding_spaces s CROSS JOIN embeddings v ON v.space_id = s.id
  WHERE s.step IS NOT NULL AND v.partition_id = ? ${where}`;
const INSERT_CODES = insertCodes('');
const INSERT_MOVED_CODES = insertCodes('AND v.seq = ?');
const INSERT_CODED = 'INSERT INTO code_changes (space_id, partition_id, seq) SELECT id, ?, ? FROM embedding_spaces';

/** No space has this id: it stands for no vector. */
const NO_SPACE = 0;

/** No entry has this number: it stands for all of a partition. */
export const EVERY_SEQ = 0;

/** Where a vector lies. */
export interface EmbeddingPlace {
  readonly spaceId: number;
  readonly partition: StoredPartition;
  readonly seq: number;
}

/** Puts in a vector where there is none. `isNew` says that its entry is the newest, which whoever holds codes finds by itself. */
export function insertEmbedding(
  connection: SqliteConnection,
  { spaceId, partition, seq }: EmbeddingPlace,
  vector: Embedding['vector'],
  isNew: boolean,
): void {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  connection.run(INSERT_EMBEDDING, spaceId, partition.id, seq, bytes);
  const code = partition.isCoded === 1 ? codeOf(vector) : undefined;
  if (code !== undefined) connection.run(INSERT_CODE, spaceId, partition.id, seq, code);
  if (!isNew) connection.run(INSERT_CHANGE, spaceId, partition.id, seq);
}

/** The vectors of an entry lie in another partition from now on. */
export function moveEmbeddings(connection: SqliteConnection, seq: number, to: StoredPartition): void {
  connection.run(MOVE_EMBEDDINGS, to.id, seq);
  if (to.isCoded === 1) connection.run(INSERT_MOVED_CODES, to.id, seq);
}

/** To be called when entries were added and counted. A partition that has `least` by now is searched by codes from here on, and gets them. */
export function codeIfLarge(
  connection: SqliteConnection,
  partition: StoredPartition,
  added: number,
  least: number,
): void {
  partition.most += added;
  if (partition.isCoded === 1 || partition.most < least) return;
  partition.most = connection.first<{ count: number }>(SELECT_COUNT, partition.id)?.count ?? 0;
  if (partition.most < least) return;
  connection.run(INSERT_CODES, partition.id);
  connection.run(MARK_CODED, partition.id);
  connection.run(INSERT_CODED, partition.id, EVERY_SEQ);
  connection.lookAgain();
}

/** An entry is stored in another way, which is no event: whoever holds what describes it learns of it here. */
export function noteRewritten(connection: SqliteConnection, partitionId: number, seq: number): void {
  connection.run(INSERT_CHANGE, NO_SPACE, partitionId, seq);
}

/** An entry is about to be removed: the same for one without vectors, with which nothing else would go. */
export function noteRemoved(connection: SqliteConnection, partitionId: number, seq: number): void {
  connection.run(INSERT_REMOVAL, NO_SPACE, partitionId, seq, seq);
}

/**
 * For each value whether it is high or middling, and then whether it is high: a bit each, the first dimension lowest. Undefined
 * where bits do not fill whole words of 64. The same as of `vec_quantize_binary`; see `sql/sqlite/0004_vector_codes.sql`.
 */
function codeOf(vector: Float32Array): Buffer | undefined {
  if (vector.length % 64 !== 0) return undefined;
  const half = vector.length / 8;
  const code = Buffer.allocUnsafe(half * 2);
  const step = stepOf(vector.length);
  for (let place = 0, index = 0; place < half; place += 1) {
    let middling = 0;
    let high = 0;
    // Without branches, which a processor cannot foresee here: that takes a third of the time.
    for (let bit = 0; bit < 8; bit += 1, index += 1) {
      const value = Number(vector[index]);
      middling |= Number(value > -step) << bit;
      high |= Number(value > step) << bit;
    }
    code[place] = middling;
    code[half + place] = high;
  }
  return code;
}

const STEPS = new Map<number, number>();

/** From where on a value is high, as the file has it: nine digits, as a number of 32 bits. */
function stepOf(dimensions: number): number {
  let step = STEPS.get(dimensions);
  if (step === undefined) {
    step = Math.fround(Number((0.612 / Math.sqrt(dimensions)).toPrecision(9)));
    STEPS.set(dimensions, step);
  }
  return step;
}
