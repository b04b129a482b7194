/** Runs `lamina` as its users do: as a process, in a folder of its own, with an environment of its own. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PROGRAM = resolve('bin/lamina.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `lamina`. Everything that it prints is kept. */
export class LaminaProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], folder: string, environment: Readonly<Record<string, string>> = {}) {
    // Whatever this machine's own LAMINA_ variables say must not leak in.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAMINA_'));
    // A machine that is busy with other tests is no reason to turn requests away.
    const patient = { LAMINA_MAX_LOOP_DELAY_MS: '0' };
    const env = { ...Object.fromEntries(inherited), ...patient, ...environment };
    this.child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
  }

  async ended(): Promise<Ended> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Resolves with the address that its log names; throws with what it printed when it ends before that. */
  async listening(pattern: RegExp = /http:\/\/[^"\s]+:\d+/): Promise<string> {
    for (;;) {
      const url = pattern.exec(this.stdout)?.[0];
      if (url !== undefined) return url;
      const ended = await Promise.race([
        once(this.child.stdout ?? this.child, 'data').then(() => undefined),
        this.ended(),
      ]);
      if (ended)
        throw new Error(`lamina ended with ${ended.code} instead of listening:\n${ended.stdout}${ended.stderr}`);
    }
  }
}

/** Runs it to its end in an empty folder. */
export async function runLamina(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-cli-'));
  try {
    return await new LaminaProcess(args, folder, environment).ended();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
