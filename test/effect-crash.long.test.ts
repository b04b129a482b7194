/** A persisted message survives the process that was at it, and happens once. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const RUNNER = fileURLToPath(new URL('effect-runner.ts', import.meta.url));

let folder: string;

beforeAll(async () => {
  folder = await makeFolder();
});

afterAll(() => removeFolder(folder));

interface Told {
  readonly answer: { readonly storedIds?: string[]; readonly deletedCount?: number };
  readonly before: string[];
  readonly after: string[];
}

async function run(message: 'store' | 'forget', ...crash: 'crash'[]): Promise<{ signal: unknown; told: Told | null }> {
  const child = spawn(process.execPath, [RUNNER, folder, message, ...crash], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { signal, told: stdout === '' ? null : (JSON.parse(stdout) as Told) };
}

/** How many messages of the entity there are, and how many of them were answered. */
function messages(): { sent: number; answered: number } {
  const database = new Database(`${folder}/cluster.db`, { readonly: true });
  try {
    const count = (where: string): number =>
      (database.prepare(`SELECT count(*) AS n FROM cluster_messages WHERE kind = 0 ${where}`).get() as { n: number }).n;
    return { sent: count(''), answered: count('AND processed = 1') };
  } finally {
    database.close();
  }
}

describe('a process that is killed after it did a message and before it answered', () => {
  it('has stored once when the next one reads the message again', async () => {
    expect(await run('store', 'crash')).toEqual({ signal: 'SIGKILL', told: null });
    expect(messages()).toEqual({ sent: 1, answered: 0 });
    const { told } = await run('store');
    const stored = told?.answer.storedIds ?? [];
    expect(new Set(stored).size).toBe(2);
    // It was all there before the message was read again, and nothing was added.
    expect(told?.before).toEqual(stored.toSorted());
    expect(told?.after).toEqual(stored.toSorted());
    expect(messages()).toEqual({ sent: 1, answered: 1 });
  }, 60_000);

  it('has forgotten once', async () => {
    expect(await run('forget', 'crash')).toEqual({ signal: 'SIGKILL', told: null });
    const { told } = await run('forget');
    expect(told).toEqual({ answer: { deletedCount: 2 }, before: [], after: [] });
    expect(messages()).toEqual({ sent: 2, answered: 2 });
  }, 60_000);
});
