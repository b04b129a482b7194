/** The floor on PostgreSQL: one table, one statement to add and one to search by words and vectors within a user. */

import pg from 'pg';
import { DIMENSIONS } from '../cached-vectors.ts';
import { RESULTS, type OpenPeer } from '../peer.ts';

/** An index on the user is all that a search within one user can use: the rest is exact. */
const SCHEMA = `
  CREATE EXTENSION IF NOT EXISTS vector;
  CREATE TABLE memories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id text NOT NULL, content text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', content)) STORED,
    embedding vector(${DIMENSIONS}) NOT NULL);
  CREATE INDEX ON memories (user_id)`;

const INSERT = 'INSERT INTO memories (user_id, content, embedding) VALUES ($1, $2, $3::vector)';

/** Fifty by each, fused by reciprocal ranks. */
const SEARCH = `
  WITH by_vector AS (
    SELECT id, row_number() OVER (ORDER BY distance) AS rank FROM (
      SELECT id, embedding <=> $2::vector AS distance FROM memories WHERE user_id = $1 ORDER BY 2 LIMIT 50) AS nearest),
  by_words AS (
    SELECT id, row_number() OVER (ORDER BY score DESC) AS rank FROM (
      SELECT id, ts_rank_cd(words, query) AS score FROM memories, to_tsquery('english', $3) AS query
      WHERE user_id = $1 AND words @@ query ORDER BY 2 DESC LIMIT 50) AS best),
  fused AS (
    SELECT id, sum(1.0 / (60 + rank)) AS score
    FROM (SELECT * FROM by_vector UNION ALL SELECT * FROM by_words) AS ranked GROUP BY id ORDER BY 2 DESC LIMIT $4)
  SELECT m.content FROM fused JOIN memories m USING (id) ORDER BY fused.score DESC`;

function written(vector: readonly number[]): string {
  return `[${vector.join(',')}]`;
}

/** Any of the words. */
function queryOf(text: string): string {
  return (text.toLowerCase().match(/\w+/g) ?? []).join(' | ');
}

export const openRawPostgres: OpenPeer = async ({ databaseUrl, vectors }) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(SCHEMA);
  return {
    add: (userId, text) =>
      client.query({ name: 'add', text: INSERT, values: [userId, text, written(vectors.numbersOf(text))] }),
    searches: [
      {
        by: 'words + vectors',
        find: async (userId, query) => {
          const values = [userId, written(vectors.numbersOf(query)), queryOf(query), RESULTS];
          const { rows } = await client.query<{ content: string }>({ name: 'search', text: SEARCH, values });
          return rows.map(({ content }) => content);
        },
      },
    ],
    close: () => client.end(),
  };
};
