/** A process of Node that is waited for, and what it printed. */

import { spawn, type SpawnOptionsWithoutStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Ended } from './lamina-process.ts';

export async function runToEnd(args: readonly string[], options?: SpawnOptionsWithoutStdio): Promise<Ended> {
  const child = spawn(process.execPath, args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
  await once(child, 'close');
  return { code: child.exitCode, ...output };
}
