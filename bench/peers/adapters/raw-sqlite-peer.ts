/**
 * The floor: what somebody would write who needs just this one search, by hand and without a library around it.
 * FTS5 and sqlite-vec beside each other, each within one user, fused by reciprocal ranks.
 */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { DIMENSIONS } from '../cached-vectors.ts';
import { RESULTS, type OpenPeer } from '../peer.ts';

const CANDIDATES = 50;
/** The constant of reciprocal rank fusion, as everywhere. */
const RANK_OFFSET = 60;

const SCHEMA = `
  CREATE TABLE memories (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, content TEXT NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(user_id, content, content='memories', content_rowid='id', tokenize='porter');
  CREATE VIRTUAL TABLE vectors USING vec0(
    user_id TEXT PARTITION KEY, embedding FLOAT[${DIMENSIONS}] DISTANCE_METRIC=cosine)`;

const INSERT_MEMORY = 'INSERT INTO memories (user_id, content) VALUES (?, ?)';
const INSERT_WORDS = 'INSERT INTO words (rowid, user_id, content) VALUES (?, ?, ?)';
const INSERT_VECTOR = 'INSERT INTO vectors (rowid, user_id, embedding) VALUES (?, ?, ?)';
const BY_WORDS = 'SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY bm25(words, 0, 1) LIMIT ?';
const BY_VECTOR = 'SELECT rowid AS id FROM vectors WHERE user_id = ? AND embedding MATCH ? AND k = ?';
const FETCH = 'SELECT m.content FROM json_each(?) j JOIN memories m ON m.id = j.value ORDER BY j.key';

/** Words that every text has say nothing, and cost the most. */
const LEFT_OUT = new Set(
  'the to and of a in is that it was for on you he with as this be have at by not are from but she'.split(' '),
);

/** A query of FTS5: this user's texts with any of the words. */
function match(userId: string, query: string): string | undefined {
  const words = new Set((query.toLowerCase().match(/\w+/g) ?? []).filter((word) => !LEFT_OUT.has(word)));
  if (words.size === 0) return undefined;
  return `user_id : "${userId}" AND content : (${[...words].map((word) => `"${word}"`).join(' OR ')})`;
}

function fuse(...rankings: readonly (readonly { readonly id: number }[])[]): number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    ranking.forEach(({ id }, rank) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank)));
  }
  return [...scores]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, RESULTS)
    .map(([id]) => id);
}

export const openRawSqlite: OpenPeer = async ({ folder, vectors }) => {
  const db = new Sqlite(join(folder, 'raw.db'));
  loadVectorFunctions(db);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(SCHEMA);
  const insertMemory = db.prepare<[string, string]>(INSERT_MEMORY);
  const insertWords = db.prepare<[bigint, string, string]>(INSERT_WORDS);
  const insertVector = db.prepare<[bigint, string, Float32Array]>(INSERT_VECTOR);
  const byWords = db.prepare<[string, number], { id: number }>(BY_WORDS);
  const byVector = db.prepare<[string, Float32Array, number], { id: number }>(BY_VECTOR);
  const fetch = db.prepare<[string], string>(FETCH).pluck();
  const add = db.transaction((userId: string, text: string) => {
    const id = BigInt(insertMemory.run(userId, text).lastInsertRowid);
    insertWords.run(id, userId, text);
    insertVector.run(id, userId, vectors.floatsOf(text));
  });
  const find = (userId: string, query: string): string[] => {
    const words = match(userId, query);
    const ids = fuse(
      byVector.all(userId, vectors.floatsOf(query), CANDIDATES),
      words === undefined ? [] : byWords.all(words, CANDIDATES),
    );
    return fetch.all(JSON.stringify(ids));
  };
  return { add, searches: [{ by: 'words + vectors', find }], close: () => void db.close() };
};
