/** Runs a peer in a process of its own, with a folder and, where it needs one, a database; then clears up. */

import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './measure-peer.ts';
import type { Message, Task } from './peer-process.ts';
import { peerNamed, type PeerEntry } from './peers.ts';
import { createDatabase } from './postgres-database.ts';

export interface PeerResult {
  readonly peer: string;
  readonly version: string | undefined;
  readonly size: number;
  readonly durability: string;
  readonly scoping: string;
  readonly outcome:
    | (Measured & { readonly users: number; readonly bytesOnDisk: number })
    | { readonly failure: string };
}

type Finished = Extract<Message, { readonly kind: 'measured' }>;

/** Nobody is to phone home, nor to leave something in the home directory. */
function environment(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, MEM0_TELEMETRY: 'false', MASTRA_TELEMETRY_DISABLED: 'true' };
}

/** Peers stop by themselves in time; this is for one that hangs. */
function killAfter(child: ChildProcess, capMs: number): NodeJS.Timeout {
  return setTimeout(() => child.kill('SIGKILL'), 5 * capMs + 60_000);
}

function finished(child: ChildProcess, say: (what: string) => void): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let result: Finished | undefined;
    let complaints = '';
    child.stderr?.on('data', (data: Buffer) => (complaints = (complaints + data.toString()).slice(-4000)));
    child.on('message', (message: Message) => {
      if (message.kind === 'measured') result = message;
      else say(message.what);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (result !== undefined) resolve(result);
      else reject(new Error(`ended with ${signal ?? code}\n${complaints}`.trim()));
    });
  });
}

async function runProcess(task: Task, home: string, say: (what: string) => void): Promise<Finished> {
  const child = fork(join(import.meta.dirname, 'peer-process.ts'), [JSON.stringify(task)], {
    env: environment(home),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const timer = killAfter(child, task.capMs);
  // A run that is interrupted takes its peer along.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return await finished(child, say);
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
  }
}

async function measure(task: Omit<Task, 'folder' | 'databaseUrl'>, entry: PeerEntry, folder: string, run: Run) {
  const database = entry.needsPostgres ? await createDatabase(String(run.postgresUrl)) : undefined;
  const [data, home] = [join(folder, 'data'), join(folder, 'home')];
  for (const path of [data, home]) mkdirSync(path, { recursive: true });
  try {
    const full = { ...task, folder: data, databaseUrl: database?.url };
    const { measured, folderBytes, users } = await runProcess(full, home, run.say);
    return { ...measured, users, bytesOnDisk: folderBytes + ((await database?.bytes()) ?? 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await database?.drop();
  }
}

export interface Run {
  readonly folder: string;
  readonly postgresUrl: string | undefined;
  readonly say: (what: string) => void;
}

/** A peer that fails is a result, too. */
export async function runPeer(task: Omit<Task, 'folder' | 'databaseUrl'>, run: Run): Promise<PeerResult> {
  const entry = peerNamed(task.peer);
  const { durability, scoping } = entry;
  const row = { peer: entry.name, version: versionOf(entry), size: task.size, durability, scoping };
  try {
    return { ...row, outcome: await measure(task, entry, join(run.folder, `${entry.name}-${task.size}`), run) };
  } catch (error) {
    return { ...row, outcome: { failure: error instanceof Error ? error.message : String(error) } };
  }
}

function versionOf({ package: name }: PeerEntry): string | undefined {
  if (name === undefined) return undefined;
  const manifest = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly dependencies: Record<string, string> }).dependencies[name];
}
