/** Bytes to a service as they are, with pauses where wanted, and every answer that comes back on that connection. */

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FuzzAnswer } from './exchange.ts';

/** A number is a pause in milliseconds; null closes our half. */
export type Part = string | Uint8Array | number | null;

export interface RawAnswers {
  readonly answers: readonly FuzzAnswer[];
  /** What came that is no whole answer. */
  readonly rest: string;
  readonly isClosed: boolean;
}

/** After this long without anything new nothing more is expected. */
const QUIET_MS = 400;
const DEADLINE_MS = 20_000;

/** Resolves when the service closes the connection, or when it has answered and says nothing more. */
export async function rawExchange(url: string, parts: readonly Part[]): Promise<RawAnswers> {
  const started = performance.now();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const received: Buffer[] = [];
  let [isClosed, lastAt] = [false, performance.now()];
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    lastAt = performance.now();
  });
  // Being cut off in the middle of an attack is one way to be refused.
  socket.on('error', () => {}).on('close', () => (isClosed = true));
  for (const part of parts) {
    if (typeof part === 'number') await sleep(part);
    else if (part === null) socket.end();
    else socket.write(part);
  }
  lastAt = performance.now();
  const isDone = (): boolean => {
    const now = performance.now();
    return isClosed || (received.length > 0 && now - lastAt > QUIET_MS) || now - started > DEADLINE_MS;
  };
  while (!isDone()) await sleep(10);
  socket.destroy();
  return { ...answersIn(Buffer.concat(received).toString('latin1'), performance.now() - started), isClosed };
}

function answersIn(text: string, ms: number): Omit<RawAnswers, 'isClosed'> {
  const answers: FuzzAnswer[] = [];
  let rest = text;
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest);
    if (head === null) return { answers, rest };
    const headers = headersIn(head[2] ?? '');
    const after = rest.slice(head[0].length);
    const length = Number(headers['content-length'] ?? 0);
    const body =
      headers['transfer-encoding'] === 'chunked' ? chunksIn(after) : { text: after.slice(0, length), length };
    // One that only says to go on is none.
    if (head[1] !== '100') {
      answers.push({ status: Number(head[1]), headers, text: Buffer.from(body.text, 'latin1').toString('utf8'), ms });
    }
    rest = after.slice(body.length);
  }
}

function headersIn(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split('\r\n')
      .filter(Boolean)
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
}

function chunksIn(text: string): { readonly text: string; readonly length: number } {
  let [body, at] = ['', 0];
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(text.slice(at));
    if (size === null) return { text: body, length: text.length };
    const length = Number.parseInt(size[1] ?? '0', 16);
    at += size[0].length;
    body += text.slice(at, at + length);
    at += length + 2;
    if (length === 0) return { text: body, length: at };
  }
}
