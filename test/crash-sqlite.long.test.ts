/** `kill -9` under load on SQLite: the service, and a program that embeds Lamina. */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { CRASH_TIMEOUT_MS, surviveCrashes } from './crash-rounds.ts';
import { startEmbedded, startService, type RunningSubject } from './crash-subjects.ts';
import { examine } from './doctor-caller.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { expectSound } from './sqlite-soundness.ts';

async function inspect(folder: string): Promise<void> {
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`), { timeout: 10_000 });
  try {
    loadVectorFunctions(db);
    expectSound(db);
  } finally {
    db.close();
  }
}

async function survive(name: string, folder: string, start: () => Promise<RunningSubject>): Promise<void> {
  onTestFinished(() => removeFolder(folder));
  let running = await start();
  onTestFinished(() => running.kill());
  await surviveCrashes({
    name,
    memory: () => running.memory,
    kill: () => running.kill(),
    restart: async () => void (running = await start()),
    inspect: () => inspect(folder),
  });
  expect(await running.end()).toBe(0);
}

it('the service loses nothing that it acknowledged', { timeout: CRASH_TIMEOUT_MS }, async () => {
  const folder = await makeFolder();
  const embeddings = await startEmbeddingServer();
  onTestFinished(() => embeddings.close());
  const environment = { LAMINA_DATABASE_URL: `sqlite:${folder}`, ...embeddings.environment };
  await survive('the service on SQLite', folder, () => startService(folder, environment));
  const { amiss } = await examine(['--deep'], environment);
  expect(amiss).toEqual([]);
});

it('nor does a program that embeds Lamina', { timeout: CRASH_TIMEOUT_MS }, async () => {
  const folder = await makeFolder();
  await survive('embedded on SQLite', folder, () => startEmbedded(`sqlite:${folder}`));
});

/** 37 pages each: in every round the log becomes long several times, and is folded while others write. */
const LARGE = 'x'.repeat(300_000);
const ROUNDS = 3;
const KEYS = 20;

it('nor while a thread folds a long log', { timeout: CRASH_TIMEOUT_MS }, async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const acknowledged = new Map<string, number>();
  let number = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = await startEmbedded(`sqlite:${folder}`);
    onTestFinished(() => running.kill());
    const { working } = running.memory;
    for (const [key, least] of acknowledged) {
      const held = (await working.get({ planId: 'p', key }))?.value as { readonly number: number } | undefined;
      expect(held?.number).toBeGreaterThanOrEqual(least);
    }
    const ending = new AbortController();
    const writeOn = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        const [own, key] = [(number += 1), `k${number % KEYS}`];
        await working.set({ planId: 'p', key, value: { number: own, LARGE } });
        acknowledged.set(key, Math.max(own, acknowledged.get(key) ?? 0));
      }
    };
    const writers = [writeOn(), writeOn(), writeOn()].map((writer) => writer.catch(() => {}));
    const least = number + 60 + round * 17;
    await vi.waitFor(() => expect(number).toBeGreaterThan(least), { timeout: 60_000, interval: 1 });
    ending.abort();
    await running.kill();
    await Promise.all(writers);
    await inspect(folder);
  }
});
