/** How SQLite answers: by indexes, within the partitions that were asked for, and never by going through a table. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataFilter } from '../src/domain/filter.ts';
import { SqliteCodeCache } from '../src/engines/sqlite/sqlite-code-cache.ts';
import { SqliteCodes } from '../src/engines/sqlite/sqlite-codes.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteEntryReader } from '../src/engines/sqlite/sqlite-entry-reader.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteRecall } from '../src/engines/sqlite/sqlite-recall.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** `SCAN e` and the like. Going through an index in order or through a list that was bound is no such scan. */
const TABLE_SCAN =
  /^SCAN (e|v|p|entries|embeddings|embedding_codes|code_changes|entry_versions|partitions|embedding_spaces|events)\b/;

const FILTER: MetadataFilter = {
  tags: ['t'],
  sourceType: 'manual',
  hasKnowledgePointer: false,
  custom: { a: 'x', b: 1, c: true, d: null, e: { f: 1 } },
};

let folder: string;
let connection: SqliteConnection;
let prepare: SqliteConnection['db']['prepare'];
const clock = new ManualClock();
const statements = new Set<string>();

beforeEach(async () => {
  folder = await makeFolder();
  connection = new SqliteConnection(join(folder, 'plans.db'), { readonly: false });
  migrate(connection.db, readMigrations('sqlite'), clock.now());
  statements.clear();
  prepare = connection.db.prepare.bind(connection.db);
  Object.assign(connection.db, {
    prepare: (sql: string) => {
      statements.add(sql);
      return prepare(sql);
    },
  });
});

afterEach(async () => {
  connection.close();
  await removeFolder(folder);
});

interface Step {
  readonly sql: string;
  readonly detail: string;
}

/** Every step of every plan of the statements that were used. */
function steps(): Step[] {
  return [...statements].flatMap((sql) =>
    prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))
      .map(({ detail }) => ({ sql, detail })),
  );
}

async function useEverything(): Promise<void> {
  const entry = entryOf({ content: 'one two three', externalId: 'x' });
  const partitions = [partitionOfEntry(entry)];
  const tx = new SqliteEntryTransaction(connection, clock, 'actor');
  await tx.insert([await writeOf(entry)]);
  await tx.replace([await writeOf(nextVersion(entry, { content: 'one two four' }))]);
  const reader = new SqliteEntryReader(connection, clock);
  const codes = new SqliteCodes(new SqliteCodeCache({ minEntries: 1 }), connection);
  const embedding = await embeddingOf('one');
  const terms = ['one', 'two'].map((lexeme) => ({ lexeme, weight: 1 }));
  const position = { createdAt: clock.now(), id: entry.id };
  const recall = new SqliteRecall(connection, clock);
  const coded = new SqliteRecall(connection, clock, codes);
  for (const filter of [undefined, FILTER]) {
    for (const each of [recall, coded]) {
      each.candidates({ partitions, filter }, { terms, embedding }, 10);
      each.nearest({ partitions, filter }, embedding, 10);
    }
    for (const at of [undefined, position]) reader.list({ partitions, filter }, 10, at);
    reader.count({ partitions, filter });
  }
  recall.textStatistics(partitions, ['one', 'two']);
  recall.vectors(embedding.space, [entry.id]);
  reader.find([entry.id]);
  const [partition] = partitions;
  if (partition) reader.findSame([{ id: 'none', partition, ownerId: null, externalId: 'none', contentHash: 'none' }]);
  if (partition) reader.findSame([{ partition, ownerId: null, contentHash: 'none' }]);
  reader.history(entry.id);
  // What forgetting selects when no scope is named.
  for (const at of [undefined, position]) {
    reader.list({ ids: [entry.id] }, 10, at);
    reader.list({ ownerId: 'u', createdBefore: 1, filter: FILTER }, 10, at);
  }
  await tx.remove([entry.id]);
  codes.aheadIn(connection, 1, 1, codes.partition(1, 1, 8));
}

describe('query plans', () => {
  it('go through no table from end to end', async () => {
    await useEverything();
    expect(statements.size).toBeGreaterThan(20);
    expect(steps().filter(({ detail }) => TABLE_SCAN.test(detail))).toEqual([]);
  });

  it('would be seen to, if they did', () => {
    connection.all('SELECT e.seq FROM entries e WHERE e.content = ?', 'x');
    connection.all('SELECT v.seq FROM embeddings v WHERE v.vector = ?', 'x');
    connection.all('SELECT seq FROM embedding_codes WHERE code = ?', 'x');
    expect(steps().filter(({ detail }) => TABLE_SCAN.test(detail))).toHaveLength(3);
  });

  it('compare only vectors of the asked partitions, and sort only what a page needs', async () => {
    await useEverything();
    const of = (part: RegExp): Step[] => steps().filter(({ sql }) => part.test(sql));
    const vectors = of(/vec_distance_cosine/).filter(({ detail }) => / v /.test(detail));
    expect(vectors.length).toBeGreaterThan(0);
    for (const { detail } of vectors) expect(detail).toMatch(/PRIMARY KEY \(space_id=\? AND partition_id=\?/);
    // The text index hands out its best ones first: nothing else is read, compared or sorted.
    const words = of(/t\.words MATCH/);
    expect(words.some(({ detail }) => detail.startsWith('SCAN t VIRTUAL TABLE'))).toBe(true);
    expect(words.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
    const pages = of(/FROM entries e WHERE e\.partition_id = \?/);
    expect(pages.some(({ detail }) => /USING INDEX entries_page/.test(detail))).toBe(true);
    expect(pages.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
  });
});
