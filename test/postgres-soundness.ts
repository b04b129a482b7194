/** Whether a PostgreSQL database is sound, and the parts of what Lamina keeps in it agree. */

import type { Client } from 'pg';
import { expect } from 'vitest';

/** Counters that do not count what is there, and rows that belong to nothing. */
const INCONSISTENCIES = [
  `SELECT p.id FROM lamina.partitions p
   WHERE p.entry_count <> (SELECT count(*) FROM lamina.entries e WHERE e.partition_id = p.id) OR p.entry_count = 0`,
  `SELECT p.id FROM lamina.partitions p
   WHERE p.lexeme_count <> (SELECT sum(e.length) FROM lamina.entries e WHERE e.partition_id = p.id)`,
  `SELECT e.seq FROM lamina.entries e WHERE (SELECT count(*) FROM lamina.embeddings v WHERE v.seq = e.seq) <> 1`,
  `SELECT v.seq FROM lamina.embeddings v LEFT JOIN lamina.entries e USING (tenant_id, seq, partition_id) WHERE e.seq IS NULL`,
  `SELECT e.seq FROM lamina.entries e
   WHERE e.length <> coalesce((SELECT sum(w.frequency) FROM lamina.entry_words w WHERE w.seq = e.seq), 0)`,
  `SELECT w.seq FROM lamina.entry_words w LEFT JOIN lamina.entries e USING (tenant_id, seq, partition_id) WHERE e.seq IS NULL`,
  `SELECT v.seq FROM lamina.entry_versions v LEFT JOIN lamina.entries e USING (tenant_id, seq) WHERE e.seq IS NULL`,
  `SELECT e.seq FROM lamina.entries e
   WHERE e.version - 1 <> (SELECT count(*) FROM lamina.entry_versions v WHERE v.seq = e.seq)`,
  // Every entry that is, was created; every one that was deleted, is not.
  `SELECT entry_id FROM lamina.events WHERE type = 'deleted' INTERSECT SELECT id FROM lamina.entries`,
  `SELECT e.id FROM lamina.entries e
   WHERE e.version <> (SELECT count(*) FROM lamina.events v WHERE v.tenant_id = e.tenant_id AND v.entry_id = e.id)`,
];

const HAS_CHECKER = "SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'";

/** What is amiss in the pages of tables; throws for what is amiss in indexes, or lacks a row of its table. */
const SELECT_DAMAGED = `
  SELECT c.relname, h.msg FROM pg_class c, LATERAL verify_heapam(c.oid) h
  WHERE c.relnamespace = 'lamina'::regnamespace AND c.relkind = 'r'`;
const CHECK_INDEXES = `
  SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
  WHERE c.relnamespace = 'lamina'::regnamespace AND c.relkind = 'i' AND a.amname = 'btree'`;

/** As superuser. Thorough: every page and every index is read. */
export async function expectSoundPostgres(client: Client, isThorough: boolean): Promise<void> {
  for (const query of INCONSISTENCIES) {
    expect({ query, rows: (await client.query(query)).rows }).toEqual({ query, rows: [] });
  }
  if (!isThorough || (await client.query(HAS_CHECKER)).rowCount === 0) return;
  await client.query('CREATE EXTENSION IF NOT EXISTS amcheck');
  expect((await client.query(SELECT_DAMAGED)).rows).toEqual([]);
  expect((await client.query(CHECK_INDEXES)).rowCount).toBeGreaterThan(0);
}
