/**
 * Runs a program until told to send it a signal, or until whoever asked for it is gone: then it ends the program and
 * removes its folder. A process of its own, because nothing else is left to tidy up after a run that was killed.
 */

import { spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeptProgram } from './kept-process.ts';

const { command, args, folder, account } = JSON.parse(process.argv[2] ?? '') as KeptProgram;
const log = openSync(join(folder, 'log'), 'a');
let isAbandoned = false;

const child = spawn(command, args, { cwd: folder, stdio: ['ignore', log, log], ...account });
child.once('error', () => process.exit(1));
child.once('exit', (code) => {
  if (isAbandoned) rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});

let isTold = false;
createInterface({ input: process.stdin })
  .on('line', (signal) => {
    isTold = true;
    child.kill(signal as NodeJS.Signals);
  })
  .on('close', () => {
    if (isTold) return;
    isAbandoned = true;
    child.kill('SIGQUIT');
  });
