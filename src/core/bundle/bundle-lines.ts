/** Bytes as lines, with their numbers. A line is held whole, and nothing else. */

import { LaminaError } from '../../domain/error.ts';

const NEWLINE = 0x0a;

/** More than any item can have. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** With the newline. */
  readonly bytes: Buffer;
}

/** Throws `VALIDATION_FAILED` for a last line without an end: what was written there was not written to its end. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let rest: Buffer[] = [];
  let waiting = 0;
  let number = 0;
  for await (const chunk of chunks) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE)) {
      const line = Buffer.concat([...rest, bytes.subarray(0, end + 1)]);
      rest = [];
      waiting = 0;
      number += 1;
      yield { number, bytes: line };
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length === 0) continue;
    rest.push(bytes);
    waiting += bytes.length;
    if (waiting > MAX_LINE_BYTES) throw brokenLine(number + 1, 'is longer than any line of a bundle');
  }
  if (rest.length > 0) throw brokenLine(number + 1, 'ends in the middle');
}

/** What is wrong with a bundle, and where. */
export function brokenLine(line: number, problem: string, cause?: unknown): LaminaError {
  const message = `The bundle is broken: line ${line} ${problem}. Fetch the file again, or export it again.`;
  const details = { line, damaged: true };
  return new LaminaError('VALIDATION_FAILED', message, { details, ...(cause !== undefined && { cause }) });
}
