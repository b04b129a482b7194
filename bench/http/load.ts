/**
 * The process that asks: connections that are kept, each with one request under way. It writes bytes that were made
 * beforehand and reads no more of an answer than its length, so that the server is what is measured.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface LoadTask {
  readonly port: number;
  /** Whole requests as they go over the wire, asked in turns. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly milliseconds: number;
  /** Whether 503 is an answer like any other. Default: only a success is. */
  readonly mayBeRefused?: boolean;
}

export interface LoadResult {
  readonly answers: number;
  readonly milliseconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** The first answer that was no success, else undefined. */
  readonly failure: string | undefined;
}

const HEADERS_END = '\r\n\r\n';

/** Bytes that are missing until the answer is whole; undefined when its headers have not come yet. */
function missingOf(answer: Buffer): number | undefined {
  const end = answer.indexOf(HEADERS_END);
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, end))?.[1] ?? '0';
  return end + HEADERS_END.length + Number(length) - answer.length;
}

class Connection {
  readonly #socket: Socket;
  readonly #answered: (head: Buffer) => void;
  #head: Buffer | undefined;
  #missing: number | undefined;

  constructor(socket: Socket, answered: (head: Buffer) => void) {
    this.#socket = socket;
    this.#answered = answered;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  ask(request: string): void {
    this.#head = undefined;
    this.#missing = undefined;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing === undefined) {
      this.#head = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      this.#missing = missingOf(this.#head);
    } else {
      this.#missing -= chunk.length;
    }
    if (this.#missing === 0 && this.#head) this.#answered(this.#head);
  }
}

async function load({ port, requests, connections, milliseconds, mayBeRefused }: LoadTask): Promise<LoadResult> {
  const durations: number[] = [];
  let failure: string | undefined;
  let next = 0;
  const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1' }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const started = performance.now();
  const ends = started + milliseconds;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.once('error', reject);
          socket.once('close', () => resolve());
          let asked = 0;
          const ask = (): void => {
            asked = performance.now();
            connection.ask(requests[(next += 1) % requests.length] ?? '');
          };
          const connection = new Connection(socket, (head) => {
            const now = performance.now();
            durations.push(now - asked);
            // "HTTP/1.1 200 …": a success has a 2 there.
            const isRefused = mayBeRefused === true && head.toString('latin1', 9, 12) === '503';
            if (head[9] !== 0x32 && !isRefused) failure ??= head.toString('utf8');
            if (now < ends && failure === undefined) ask();
            else connection.close();
          });
          ask();
        }),
    ),
  );
  const elapsed = performance.now() - started;
  durations.sort((a, b) => a - b);
  const percentile = (share: number): number => durations[Math.ceil(durations.length * share) - 1] ?? Number.NaN;
  const [p50, p95, p99] = [percentile(0.5), percentile(0.95), percentile(0.99)];
  return { answers: durations.length, milliseconds: elapsed, p50, p95, p99, failure };
}

process.on('message', (task) => {
  void load(task as LoadTask).then((result) => process.send?.(result));
});
