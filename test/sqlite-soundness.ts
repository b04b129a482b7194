/** Whether the file of a tenant is sound, and its parts agree. */

import type { Database } from 'better-sqlite3';
import { expect } from 'vitest';

/** Counters that do not count what is there, and rows that belong to nothing. */
const INCONSISTENCIES = [
  `SELECT p.id FROM partitions p WHERE p.entry_count <> (SELECT count(*) FROM entries e WHERE e.partition_id = p.id)`,
  `SELECT p.id FROM partitions p WHERE p.entry_count = 0`,
  `SELECT p.id FROM partitions p WHERE p.lexeme_count <> (
     SELECT sum(CASE lexemes WHEN '' THEN 0 ELSE 1 + length(lexemes) - length(replace(lexemes, ' ', '')) END)
     FROM entries e WHERE e.partition_id = p.id)`,
  `SELECT v.seq FROM embeddings v LEFT JOIN entries e ON e.seq = v.seq AND e.partition_id = v.partition_id WHERE e.seq IS NULL`,
  `SELECT e.seq FROM entries e WHERE (SELECT count(*) FROM embeddings v WHERE v.seq = e.seq) <> 1`,
  // Either all vectors of a partition have codes, or none does.
  `SELECT c.seq FROM embedding_codes c LEFT JOIN partitions p ON p.id = c.partition_id AND p.is_coded = 1 WHERE p.id IS NULL`,
  `SELECT v.seq FROM embeddings v JOIN partitions p ON p.id = v.partition_id AND p.is_coded = 1
   JOIN embedding_spaces s ON s.id = v.space_id AND s.step IS NOT NULL
   LEFT JOIN embedding_codes c ON (c.space_id, c.partition_id, c.seq) = (v.space_id, v.partition_id, v.seq)
   WHERE c.seq IS NULL`,
  `SELECT v.seq FROM entry_versions v LEFT JOIN entries e ON e.seq = v.seq WHERE e.seq IS NULL`,
  `SELECT e.seq FROM entries e WHERE e.version - 1 <> (SELECT count(*) FROM entry_versions v WHERE v.seq = e.seq)`,
  `SELECT id FROM entry_text_docsize EXCEPT SELECT seq FROM entries`,
  `SELECT seq FROM entries EXCEPT SELECT id FROM entry_text_docsize`,
  // Every entry that is, was created; every one that was deleted, is not.
  `SELECT id FROM entries EXCEPT SELECT entry_id FROM events WHERE type = 'created'`,
  `SELECT entry_id FROM events WHERE type = 'deleted' INTERSECT SELECT id FROM entries`,
  `SELECT e.id FROM entries e WHERE e.version <> (SELECT count(*) FROM events v WHERE v.entry_id = e.id)`,
];

export function expectSound(db: Database): void {
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  expect(() => db.exec("INSERT INTO entry_text (entry_text) VALUES ('integrity-check')")).not.toThrow();
  for (const query of INCONSISTENCIES) expect({ query, rows: db.prepare(query).all() }).toEqual({ query, rows: [] });
}
