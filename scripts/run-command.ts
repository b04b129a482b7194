/** Runs a command of this project and keeps what it says. */

import { spawn } from 'node:child_process';
import { delimiter, resolve } from 'node:path';

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Commands are looked up in node_modules/.bin first, whether or not npm started us; npm is kept off the network. */
export function runCommand(command: string, args: readonly string[], cwd: string = process.cwd()): Promise<Outcome> {
  const env = {
    ...process.env,
    PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
  };
  return new Promise((settle) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => settle({ ok: false, output: `${command} could not be started: ${error.message}` }));
    child.on('close', (code) => settle({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8').trim() }));
  });
}

/** Runs a command that must succeed, and returns its output. Throws with the output otherwise. */
export async function mustRun(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { ok, output } = await runCommand(command, args, cwd);
  if (!ok) throw new Error(`${command} ${args.join(' ')}\n${output}`);
  return output;
}
