/** Where a command reads and writes. Tests give one of their own. */

import type { Environment } from '../../compose/configuration-sources.ts';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Input extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
  destroy?(): unknown;
}

export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, environment: env };
}
