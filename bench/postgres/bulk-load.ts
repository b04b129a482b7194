/**
 * Fills a database with entries faster than Lamina would: rows in bulk with the triggers off, the text index by one
 * statement, the vector index built at the end. What stands there afterwards is what Lamina would have written.
 */

import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { partitionKey, partitionOf } from '../../src/domain/access.ts';
import { lexemesOf } from '../../src/core/text/lexemes.ts';
import { scopeKey, scopeOf } from '../../src/domain/scope.ts';
import type { PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';
import { migratePostgres } from '../../src/engines/postgres/postgres-migrations.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import type { Progress } from '../progress.ts';
import { whole } from '../text-table.ts';
import type { Write } from '../workload.ts';

export interface TenantWrite extends Write {
  readonly tenantId: string;
}

const BATCH = 1000;

/** Of a user; the vectors of more are indexed. As `lamina.is_indexed` has it. */
const FEW = 2000;

const INSERT = `
  WITH given AS (SELECT * FROM json_to_recordset($1::json) AS g (
    tenant uuid, id uuid, key text, scope text, owner text, kind text, content text, hash text, tags jsonb, metadata jsonb,
    importance float8, at bigint, lexemes text, length int, vector text, is_indexed boolean)),
  new_tenants AS (INSERT INTO lamina.tenants SELECT DISTINCT tenant, 0 FROM given ON CONFLICT DO NOTHING),
  new_users AS (INSERT INTO lamina.users SELECT DISTINCT tenant, owner, 0 FROM given ON CONFLICT DO NOTHING),
  places AS (
    INSERT INTO lamina.partitions (tenant_id, key, layer, scope_key, audience)
    SELECT DISTINCT tenant, key, 'user', scope, owner FROM given
    ON CONFLICT (tenant_id, key) DO UPDATE SET layer = excluded.layer RETURNING id, tenant_id, key),
  written AS (
    INSERT INTO lamina.entries (
      tenant_id, id, partition_id, audience, scope_key, owner_id, kind, layer, identifiers, content, content_hash, metadata,
      tags, sensitivity, visibility, status, importance, confidence, relevance, decay_factor, version, created_at,
      updated_at, length, lexemes)
    SELECT g.tenant, g.id, p.id, g.owner, g.scope, g.owner, g.kind, 'user', json_build_object('userId', g.owner), g.content,
           g.hash, g.metadata, g.tags, 'internal', 'private', 'active', g.importance, 1, 1, 1, 1, g.at, g.at, g.length, g.lexemes
    FROM given g JOIN places p ON p.tenant_id = g.tenant AND p.key = g.key
    RETURNING tenant_id, seq, id, partition_id, audience)
  INSERT INTO lamina.embeddings (tenant_id, seq, space_id, partition_id, audience, vector, is_indexed)
  SELECT w.tenant_id, w.seq, $2, w.partition_id, w.audience, g.vector::vector, g.is_indexed
  FROM written w JOIN given g ON g.tenant = w.tenant_id AND g.id = w.id`;

const FILL_WORDS = `
  INSERT INTO lamina.entry_words (tenant_id, partition_id, lexeme, seq, frequency, length, audience)
  SELECT e.tenant_id, e.partition_id, w.lexeme, e.seq, count(*), e.length, e.audience
  FROM lamina.entries e, string_to_table(e.lexemes, ' ') AS w (lexeme)
  GROUP BY e.tenant_id, e.partition_id, w.lexeme, e.seq`;

const FILL_COUNTS = `
  INSERT INTO lamina.word_counts (tenant_id, partition_id, lexeme, audience, documents)
  SELECT tenant_id, partition_id, lexeme, min(audience), count(*) FROM lamina.entry_words
  GROUP BY tenant_id, partition_id, lexeme`;

const COUNT_PARTITIONS = `
  UPDATE lamina.partitions p SET entry_count = e.entries, lexeme_count = e.lexemes
  FROM (SELECT tenant_id, partition_id, count(*) AS entries, sum(length) AS lexemes FROM lamina.entries GROUP BY 1, 2) e
  WHERE p.tenant_id = e.tenant_id AND p.id = e.partition_id`;

/** As a superuser, on an empty database. */
export async function fillDatabase(
  driver: PostgresDriver,
  writes: Iterable<TenantWrite>,
  embedder: Pick<Embedder, 'embed' | 'space'>,
  progress: Progress,
): Promise<void> {
  await migratePostgres(driver, { now: Date.now() });
  const connection = await driver.reserve();
  await bulkLoad(connection, writes, embedder, (done) => progress.say(`loading ${whole(done)}`));
  connection.release();
}

async function bulkLoad(
  connection: PostgresConnection,
  writes: Iterable<TenantWrite>,
  embedder: Pick<Embedder, 'embed' | 'space'>,
  progress: (done: number) => void,
): Promise<void> {
  const { model, dimensions } = await embedder.space();
  const { rows } = await connection.query<{ id: number }>('SELECT lamina.open_space($1, $2) AS id', [
    model,
    dimensions,
  ]);
  const space = rows[0]?.id ?? 0;
  const index = `embeddings_space_${space}`;
  const {
    rows: [made],
  } = await connection.query<{ sql: string }>('SELECT pg_get_indexdef($1::regclass) AS sql', [`lamina.${index}`]);
  await connection.query(
    `DROP INDEX lamina.${index}; SET session_replication_role = replica; SET synchronous_commit = off`,
  );
  let batch: TenantWrite[] = [];
  let done = 0;
  const written = new Map<string, number>();
  const isIndexed = ({ tenantId, userId }: TenantWrite): boolean => {
    const count = (written.get(tenantId + userId) ?? 0) + 1;
    written.set(tenantId + userId, count);
    return count > FEW;
  };
  const flush = async (): Promise<void> => {
    const items = await Promise.all(
      batch.map(async (write) => ({ ...(await rowOf(write, embedder, done)), is_indexed: isIndexed(write) })),
    );
    await connection.query(INSERT, [JSON.stringify(items), space]);
    done += batch.length;
    batch = [];
    progress(done);
  };
  for (const write of writes) {
    batch.push(write);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  await connection.query(`SET work_mem = '512MB'; ${FILL_WORDS}; ${FILL_COUNTS}; ${COUNT_PARTITIONS}; RESET work_mem`);
  await connection.query(`SET maintenance_work_mem = '4GB'; ${made?.sql ?? ''}; RESET maintenance_work_mem`);
  await connection.query('RESET session_replication_role; RESET synchronous_commit');
  await connection.query('VACUUM ANALYZE');
}

async function rowOf(
  { tenantId, userId, input }: TenantWrite,
  embedder: Pick<Embedder, 'embed' | 'space'>,
  at: number,
) {
  const kind = input.kind ?? 'semantic';
  const scope = scopeOf('user', { userId });
  const partition = partitionOf({ scope, kind, visibility: 'private', ownerId: userId });
  const lexemes = lexemesOf(input.content);
  const [vector = new Float32Array()] = await embedder.embed([input.content]);
  return {
    tenant: tenantId,
    id: v7(),
    key: partitionKey(partition),
    scope: scopeKey(scope),
    owner: userId,
    kind,
    content: input.content,
    hash: createHash('sha256').update(input.content).digest('hex'),
    tags: input.tags ?? [],
    metadata: input.metadata ?? {},
    importance: input.importance ?? 0.5,
    at: 1_700_000_000_000 + at,
    lexemes: lexemes.join(' '),
    length: lexemes.length,
    vector: vectorText(vector),
  };
}

export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toPrecision(5)).join(',')}]`;
}
