/** Standard input and output as a transport that answers what was asked before it ends. */

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

/** A client that does not want to wait for so long insists by a signal. */
const DRAIN_MS = 10_000;

type Id = string | number;

/**
 * The transport of the SDK drops what is under way as soon as its input ends. Then a note that was sent just before is
 * written and not acknowledged, and a script that pipes in its requests gets no answer at all.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Called when a client wants to be told of changes, before it is told that it will be. */
  onlisten?: () => Promise<void>;
  /** Called when it has closed, for whichever reason; `onclose` belongs to the server. */
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
        // Also where our output was closed and the input was not: it would keep the process alive.
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
      // It stays open for as long as somebody listens: there is no answer to wait for.
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

  /** Once all that came has been read, and answered or given up. */
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
