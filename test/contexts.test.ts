/** Contexts, where one engine suffices: what they refuse, what is lost of writes and reads under way, and how large they get. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import Sqlite, { type Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { effectiveRelevance } from '../src/domain/context-entry.ts';
import { MAX_WHOLE_ENTRIES } from '../src/domain/context-snapshot.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import type { Memory } from '../src/operations/memory.ts';
import { openLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const CONTEXT = { contextId: 'c' };
const PLACE = { ...CONTEXT, key: 'k' };
const DAY = 86_400_000;

interface OnFile {
  readonly memory: Memory;
  readonly folder: string;
}

async function memoryOnFile(): Promise<OnFile> {
  const { lamina, folder, close } = await openLamina();
  onTestFinished(close);
  const memory = lamina.as({ userId: 'alice' });
  await memory.contexts.create({ ...CONTEXT, type: 'shared_context' });
  return { memory, folder };
}

async function memoryOn(): Promise<Memory> {
  return (await memoryOnFile()).memory;
}

/** Does something to the file behind the back of the memory. */
function tamper(folder: string, work: (db: Database) => void): void {
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
  try {
    work(db);
  } finally {
    db.close();
  }
}

/** So many copies of the one entry that there is, under keys of their own. */
function multiply(db: Database, count: number): void {
  const columns = (db.pragma('table_info(entries)') as { name: string }[]).map(({ name }) => name);
  const copied: Record<string, string> = {
    seq: 'NULL',
    id: "printf('00000000-0000-4000-8000-%012x', n)",
    external_id: "'copy-' || n",
  };
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO entries (${columns.join(', ')})
    SELECT ${columns.map((name) => copied[name] ?? name).join(', ')} FROM entries CROSS JOIN numbers;
    UPDATE partitions SET entry_count = entry_count + ${count};`);
}

describe('the effective relevance', () => {
  it('is importance × confidence × recency', () => {
    const updatedAt = '2026-01-01T00:00:00.000Z';
    const entry = { importance: 0.8, confidence: 0.5, updatedAt };
    const now = Date.parse(updatedAt);
    expect(effectiveRelevance(entry, now)).toBeCloseTo(0.4);
    expect(effectiveRelevance(entry, now + 30 * DAY)).toBeCloseTo(0.2);
    expect(effectiveRelevance(entry, now + 60 * DAY)).toBeCloseTo(0.1);
    expect(effectiveRelevance(entry, now - DAY)).toBeCloseTo(0.4);
    expect(effectiveRelevance({ ...entry, importance: 0 }, now)).toBe(0);
  });
});

describe('bad input', () => {
  it('is refused with a sentence that helps, and changes nothing', async () => {
    const { contexts, contextEntries, contextSnapshots } = await memoryOn();
    await contextEntries.put({ ...PLACE, content: 'As it was' });
    const bad: [string, () => Promise<unknown>][] = [
      ['type', () => contexts.create({ type: 'diary' as never })],
      ['scope', () => contexts.create({ type: 'tool_cache', scope: 'world' as never })],
      ['scopeId', () => contexts.create({ type: 'tool_cache', scope: 'team' })],
      ['scopeId', () => contexts.create({ type: 'tool_cache', scope: 'agent' })],
      ['scopeId', () => contexts.create({ type: 'tool_cache', scope: 'global', scopeId: 'x' })],
      ['access', () => contexts.create({ type: 'tool_cache', access: { write: ['alice'] } })],
      ['contextId', () => contexts.create({ contextId: '..', type: 'tool_cache' })],
      ['level', () => contexts.grant({ ...CONTEXT, agentId: 'bob', level: 'own' as never })],
      ['cursor', () => contexts.list({ cursor: 'nonsense' })],
      ['content', () => contextEntries.put({ ...PLACE, content: ' ' })],
      ['entryType', () => contextEntries.put({ ...PLACE, content: 'x', entryType: 'rumour' as never })],
      ['sourceType', () => contextEntries.put({ ...PLACE, content: 'x', sourceType: 'oracle' as never })],
      ['memoryType', () => contextEntries.put({ ...PLACE, content: 'x', memoryType: 'false' as never })],
      ['importance', () => contextEntries.put({ ...PLACE, content: 'x', importance: 2 })],
      ['metadata', () => contextEntries.put({ ...PLACE, content: 'x', metadata: { 'context.editedBy': 'bob' } })],
      ['metadata', () => contextEntries.put({ ...PLACE, content: 'x', metadata: { 'context.entryType': 'plan' } })],
      ['expiresAt', () => contextEntries.put({ ...PLACE, content: 'x', expiresAt: '2020-01-01T00:00:00Z' })],
      ['by', () => contextEntries.boost({ ...PLACE, by: 0 })],
      ['by', () => contextEntries.reduce({ ...PLACE, by: -0.1 })],
      ['query', () => contextEntries.search({ ...CONTEXT, query: ' ' })],
      ['snapshotId', () => contextSnapshots.restore({ ...CONTEXT, snapshotId: 'latest' })],
      ['bundle', () => contexts.import({ bundle: { format: 'zip' } as never })],
    ];
    for (const [field, call] of bad) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { code: string },
      );
      expect(error?.code, field).toBe('VALIDATION_FAILED');
      expect(error?.message, field).toContain(field);
    }
    const entry = await contextEntries.get(PLACE);
    expect(entry).toMatchObject({ content: 'As it was', version: 1, importance: 0.5 });
    expect((await contexts.list({ status: 'all' })).count).toBe(1);
  });

  it('too large an entry or context is refused as such', async () => {
    const { contexts, contextEntries } = await memoryOn();
    const long = 'x'.repeat(40_000);
    await expect(contextEntries.put({ ...PLACE, content: long })).rejects.toMatchObject({ code: 'CONTENT_TOO_LONG' });
    const metadata = { long: long + long };
    await expect(contextEntries.put({ ...PLACE, content: 'x', metadata })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    const bounded = { code: 'LIMIT_EXCEEDED', details: { limit: 65_536, actual: 80_011 } };
    await expect(contexts.create({ type: 'tool_cache', metadata })).rejects.toMatchObject(bounded);
    await expect(contexts.update({ ...CONTEXT, metadata })).rejects.toMatchObject(bounded);
    const access = { read: Array.from({ length: 1000 }, (_, n) => `u${n}`) };
    await contexts.update({ ...CONTEXT, access });
    await expect(contexts.grant({ ...CONTEXT, agentId: 'one-more', level: 'read' })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });
});

describe('the documentation', () => {
  it('begins with an example that finds what it says', { timeout: 60_000 }, async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    // With the model that everyone has who chooses none.
    const lamina = await Lamina.open({ folder });
    onTestFinished(() => lamina.close());
    const memory = lamina.as({ userId: 'alice' });
    const example = /```ts\n(.*?)```/s.exec(readFileSync('docs/contexts.md', 'utf8'))?.[1] ?? '';
    const lines = example
      .trim()
      .replaceAll(/^await /gm, '')
      .split('\n');
    const calls = lines.map((line) => /^memory\.(\w+)\.(\w+)\((.*)\);$/.exec(line)?.slice(1) ?? []);
    const answers: unknown[] = [];
    for (const [group = '', method = '', input = ''] of calls) {
      const groups = memory as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
      answers.push(await groups[group]?.[method]?.(runInThisContext(`(${input})`)));
    }
    expect(answers).toHaveLength(3);
    expect(answers[2]).toMatchObject({ count: 1, results: [{ entry: { key: 'database' } }] });
  });
});

describe('the log', () => {
  it('says which snapshot was looked at or restored', async () => {
    const { contexts, contextSnapshots } = await memoryOn();
    const { snapshotId } = await contextSnapshots.create(CONTEXT);
    const calls = ['get', 'compare', 'restore', 'delete'] as const;
    for (const call of calls) await contextSnapshots[call]({ ...CONTEXT, snapshotId });
    const { accesses } = await contexts.accesses({ ...CONTEXT, limit: calls.length });
    expect(accesses.map(({ action, entryKey }) => [action, entryKey])).toEqual(
      calls.toReversed().map((call) => [`contextSnapshots.${call}`, snapshotId]),
    );
  });

  it('fails what cannot be written down, reads too', async () => {
    const { memory, folder } = await memoryOnFile();
    await memory.contextEntries.put({ ...PLACE, content: 'Seen by nobody' });
    tamper(folder, (db) => db.exec('ALTER TABLE context_accesses RENAME TO mislaid'));
    await expect(memory.contextEntries.get(PLACE)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    tamper(folder, (db) => db.exec('ALTER TABLE mislaid RENAME TO context_accesses'));
    expect(await memory.contextEntries.get(PLACE)).toMatchObject({ content: 'Seen by nobody' });
  });
});

describe('a context that is deleted while somebody writes', () => {
  it('keeps nothing of what they wrote', async () => {
    const { lamina, embedder, close } = await openLamina();
    onTestFinished(close);
    const { contexts, contextEntries } = lamina.as({ userId: 'alice' });
    await contexts.create({ ...CONTEXT, type: 'shared_context' });
    const embed = embedder.embed.bind(embedder);
    // The context goes between the question whether one may write and the writing.
    embedder.embed = async (texts) => {
      embedder.embed = embed;
      await contexts.delete(CONTEXT);
      return embed(texts);
    };
    await expect(contextEntries.put({ ...PLACE, content: 'Too late' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await contexts.create({ ...CONTEXT, type: 'shared_context' });
    expect((await contextEntries.list({ ...CONTEXT, status: 'all' })).entries).toEqual([]);
    expect((await contexts.accesses(CONTEXT)).accesses.map(({ action }) => action)).toEqual([
      'contextEntries.list',
      'contexts.create',
    ]);
  });
});

describe('many entries', () => {
  it('are taken as a whole up to a limit', { timeout: 60_000 }, async () => {
    const memory = await memoryOn();
    const bundle = {
      format: 'lamina-context',
      formatVersion: 1,
      context: { contextId: 'many', type: 'knowledge_base' },
      entries: Array.from({ length: 1200 }, (_, n) => ({ key: `k${n}`, content: `Entry ${n}` })),
    } as const;
    const { entries } = await memory.contexts.import({ bundle: { ...bundle, entries: [...bundle.entries] } });
    expect(entries.created).toBe(1200);
    const many = { contextId: 'many' };
    const { snapshotId, entryCount } = await memory.contextSnapshots.create(many);
    expect(entryCount).toBe(1200);
    await memory.contextEntries.put({ ...many, key: 'k7', content: 'Changed' });
    const { restored, unchangedCount } = await memory.contextSnapshots.restore({ ...many, snapshotId });
    expect([restored, unchangedCount]).toEqual([['k7'], 1199]);
    expect(await memory.contexts.delete(many)).toEqual({ success: true });
  });

  it('are refused beyond it', async () => {
    const { memory, folder } = await memoryOnFile();
    await memory.contextEntries.put({ ...PLACE, content: 'One of very many' });
    tamper(folder, (db) => multiply(db, MAX_WHOLE_ENTRIES));
    const refused = [
      () => memory.contextSnapshots.create(CONTEXT),
      () => memory.contexts.export(CONTEXT),
      () => memory.contexts.clone(CONTEXT),
    ];
    for (const call of refused) {
      await expect(call()).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        details: { limit: MAX_WHOLE_ENTRIES, actual: MAX_WHOLE_ENTRIES + 1 },
      });
    }
    expect((await memory.contextSnapshots.list(CONTEXT)).count).toBe(0);
    expect((await memory.contexts.list({})).count).toBe(1);
  });
});
