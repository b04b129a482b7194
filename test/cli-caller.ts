/** Runs a command line in this process, with a terminal of its own. */

import { main } from '../src/cli/main.ts';
import type { Terminal } from '../src/cli/terminal/terminal.ts';

export interface CalledCli {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CallOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What somebody at a terminal types. */
  readonly answers?: string;
  /** As if both were a terminal of this width. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Told of everything that is written to the standard output. */
  readonly written?: (text: string) => void;
}

export async function callCli(args: readonly string[], options: CallOptions = {}): Promise<CalledCli> {
  const { environment = {}, stdin, answers, columns, signal = new AbortController().signal, written } = options;
  const said = { stdout: '', stderr: '' };
  const output = (name: keyof typeof said) => ({
    ...(columns !== undefined && { isTTY: true, columns }),
    write: (text: string) => {
      said[name] += text;
      if (name === 'stdout') written?.(text);
    },
  });
  const terminal: Terminal = {
    stdin: Object.assign(inputOf(answers ?? stdin ?? ''), { isTTY: answers !== undefined }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    environment,
  };
  const code = await main(args, { terminal, signal });
  return { code, ...said };
}

async function* inputOf(text: string): AsyncGenerator<string, void> {
  if (text !== '') yield text;
}
