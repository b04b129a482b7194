/** SQLite across processes: nobody's writes are lost, and a killed process loses nothing that it acknowledged. */

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

const SCRIPT = fileURLToPath(new URL('sqlite-writer.ts', import.meta.url));

interface Writer {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ids of what was acknowledged so far. */
  readonly acknowledged: string[];
  readonly ready: Promise<void>;
  begin(): void;
  /** Resolves when this many were acknowledged, or all that there will be. */
  has(count: number): Promise<void>;
  /** The exit code; null when it was killed. */
  readonly ended: Promise<{ code: number | null; errors: string }>;
}

function startWriter(folder: string, name: string, amount: number): Writer {
  const child = spawn(process.execPath, [SCRIPT, folder, name, String(amount)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const acknowledged: string[] = [];
  const ready = Promise.withResolvers<void>();
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => (line === 'ready' ? ready.resolve() : acknowledged.push(line)));
  const linesEnded = once(lines, 'close');
  const ended = once(child, 'exit').then(async ([code]: (number | null)[]) => {
    await linesEnded;
    ready.resolve();
    return { code: code ?? null, errors: errors.join('') };
  });
  const has = async (count: number): Promise<void> => {
    while (acknowledged.length < count && child.exitCode === null && child.signalCode === null) {
      await Promise.race([once(lines, 'line'), ended]);
    }
  };
  return { process: child, acknowledged, ready: ready.promise, begin: () => child.stdin.write('go\n'), has, ended };
}

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

/** The ids of everything that is stored, as a new process would read it. */
async function storedIds(): Promise<Set<string>> {
  await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
  const memory = lamina.as({ userId: 'writer' });
  const ids = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const page = await memory.list({ layer: 'user', limit: 100, ...(cursor && { cursor }) });
    for (const { id } of page.memories) ids.add(id);
    expect(page.totalCount).toBeGreaterThanOrEqual(page.memories.length);
    cursor = page.nextCursor;
  } while (cursor);
  const found = await memory.search({ query: 'memory', mode: 'keyword', threshold: 0, limit: 1 });
  expect(found.results).toHaveLength(1);
  return ids;
}

async function assertSound(): Promise<void> {
  for (const file of (await filesIn(folder)).filter((name) => name.endsWith('.db'))) {
    const db = new Sqlite(file);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    db.exec("INSERT INTO entry_text (entry_text) VALUES ('integrity-check')");
    db.close();
  }
}

describe('several processes on one data folder', () => {
  it('lose nothing of what they write in parallel', async () => {
    const writers = ['left', 'right'].map((name) => startWriter(folder, name, 300));
    await Promise.all(writers.map(({ ready }) => ready));
    for (const writer of writers) writer.begin();
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, errors: '' });
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    expect(acknowledged).toHaveLength(600);
    expect(await storedIds()).toEqual(new Set(acknowledged));
    await assertSound();
  }, 60_000);

  it('may open it for the first time at once', async () => {
    const writers = Array.from({ length: 4 }, (_, index) => startWriter(folder, `opener ${index}`, 8));
    await Promise.all(writers.map(({ ready }) => ready));
    expect(await filesIn(folder)).toEqual([]);
    for (const writer of writers) writer.begin();
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, errors: '' });
    expect(await storedIds()).toEqual(new Set(writers.flatMap((writer) => writer.acknowledged)));
    await assertSound();
  }, 60_000);

  it('see each other’s writes, and agree on what is the same', async () => {
    const writers = [startWriter(folder, 'twin', 50), startWriter(folder, 'twin', 50)];
    await Promise.all(writers.map(({ ready }) => ready));
    for (const writer of writers) writer.begin();
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, errors: '' });
    const stored = await storedIds();
    expect(stored.size).toBe(50);
    for (const writer of writers) expect(new Set(writer.acknowledged)).toEqual(stored);
  }, 60_000);
});

describe('a process that is killed', () => {
  it('has lost nothing that it acknowledged', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const writer = startWriter(folder, `round ${round}`, 0);
      await writer.ready;
      writer.begin();
      await writer.has(20 + round * 17);
      writer.process.kill('SIGKILL');
      await writer.ended;
      expect(writer.acknowledged.length).toBeGreaterThanOrEqual(20);
      acknowledged.push(...writer.acknowledged);
      const stored = await storedIds();
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    }
    await assertSound();
  }, 60_000);
});
