/** A stdio transport that answers pending requests before it closes. */

import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { LISTEN_METHOD } from './resource-changes.ts';

/** A client that does not want to wait this long can send a signal. */
const DRAIN_MS = 10_000;

type Id = string | number;

/**
 * The SDK's transport drops pending requests as soon as its input ends. A write sent just before is then done but not
 * acknowledged, and a script that pipes in its requests gets no answer at all.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Called when a client subscribes to changes, before the subscription is confirmed. */
  onlisten?: () => Promise<void>;
  /** Called when it has closed, for any reason; `onclose` belongs to the server. */
  onend?: () => void;
  readonly #stdin: Readable;
  readonly #input = new PassThrough();
  readonly #wire: StdioServerTransport;
  readonly #unanswered = new Set<Id>();
  #answeredAll: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#wire = new StdioServerTransport(this.#input, stdout);
  }

  async start(): Promise<void> {
    const handlers: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => {
        // Also if only our output was closed: the open input would keep the process alive.
        this.#stdin.unpipe(this.#input);
        this.#stdin.pause();
        this.#answeredAll?.();
        this.onclose?.();
        this.onend?.();
      },
      onerror: (error) => this.onerror?.(error),
      onmessage: (message) => this.#receive(message),
    };
    Object.assign(this.#wire, handlers);
    await this.#wire.start();
    // Most streams say more than one of these, and whoever waited first would wait for as long as is allowed.
    const drain = (): void => void (this.#drained ??= this.#drain());
    for (const event of ['end', 'close', 'error']) this.#stdin.once(event, drain);
    this.#stdin.pipe(this.#input, { end: false });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#wire.send(message);
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#settle(message.id);
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  #receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === LISTEN_METHOD && this.onlisten !== undefined) {
      // It stays open while somebody listens: there is no answer to wait for.
      void this.onlisten().then(() => this.onmessage?.(message));
      return;
    }
    if (isJSONRPCRequest(message)) {
      this.#unanswered.add(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') this.#settle(id);
    }
    this.onmessage?.(message);
  }

  #settle(id: Id): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#answeredAll?.();
  }

  /** Once all received messages have been read, and answered or abandoned. */
  async #drain(): Promise<void> {
    while (this.#input.readableLength > 0) await nextTurn();
    if (this.#unanswered.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#answeredAll = resolve;
      const timer = setTimeout(resolve, DRAIN_MS);
      await promise;
      clearTimeout(timer);
    }
    if (!this.#input.writableEnded) this.#input.end();
  }
}
