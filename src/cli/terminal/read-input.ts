/** Text and answers from the standard input. */

import { usageError, type Given } from '../command.ts';
import { unlessStopped } from './stop-signal.ts';

/** The word, or with a dash in its place all of the standard input. Throws a usage error for bytes that are no UTF-8. */
export async function textOrInput(given: Given, word: string): Promise<string> {
  if (word !== '-') return word;
  const pieces: Buffer[] = [];
  await unlessStopped(
    given.signal,
    (async () => {
      for await (const piece of given.terminal.stdin) pieces.push(Buffer.from(piece));
    })(),
  );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)).replace(/\r?\n$/, '');
  } catch {
    throw usageError('The standard input is not in UTF-8.', given.command);
  }
}

/** The flag that says yes beforehand. */
export const YES_FLAG = { name: 'yes', description: 'Do it without asking' } as const;

/**
 * Whether somebody at the terminal types what is expected; with `--yes` nobody is asked. Throws a usage error where there
 * is nobody to ask.
 */
export async function isConfirmed(given: Given, question: string, expected: string): Promise<boolean> {
  if (given.has('yes')) return true;
  const { stdin, stderr } = given.terminal;
  if (!stdin.isTTY) throw usageError('There is no terminal to ask at: add --yes.', given.command);
  stderr.write(`${question} Type "${expected}" to go on: `);
  try {
    return (await unlessStopped(given.signal, firstLine(stdin))).trim() === expected;
  } finally {
    // Otherwise it would keep the process waiting for more.
    stdin.destroy?.();
  }
}

async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const piece of input) {
    text += piece.toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0] ?? '';
}

/** Line by line, as somebody types them; empty ones after the last. */
export function linesFrom(input: AsyncIterable<Buffer | string>): { next(): Promise<string> } {
  const pieces = input[Symbol.asyncIterator]();
  let text = '';
  return {
    async next() {
      while (!text.includes('\n')) {
        const { value, done } = await pieces.next();
        if (done) break;
        text += value.toString();
      }
      const [line = '', ...rest] = text.split('\n');
      text = rest.join('\n');
      return line;
    },
  };
}
