/** Responds with server-sent events, for as long as the client listens. */

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import type { StreamPage } from '../domain/stream.ts';
import { encodePosition, encodeServerEvent, EVENT_STREAM, HEARTBEAT } from '../operations/server-event.ts';
import { onceClosed } from './once-closed.ts';

export interface StreamSource {
  /** Opens it; ends when the signal aborts. */
  open(signal: AbortSignal): AsyncIterable<StreamPage<unknown>>;
  /** An item in wire form. */
  encode(item: unknown): unknown;
  /** Throws if the listener is no longer authorised: a key can be revoked while a stream is open. */
  authenticate(): Promise<unknown>;
}

export class EventStreams {
  readonly #heartbeatMs: number;
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  /** The heartbeat lets clients and proxies tell a quiet stream from a dead one. */
  constructor(heartbeatMs: number) {
    this.#heartbeatMs = heartbeatMs;
  }

  /** Ends all of them; clients reconnect, elsewhere or later. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open) controller.abort();
  }

  /** Throws what opening it throws, so that it is reported like any other failure. */
  async send(request: FastifyRequest, reply: FastifyReply, source: StreamSource): Promise<FastifyReply> {
    if (this.#isClosed) throw new LaminaError('UNAVAILABLE', 'The service is stopping.');
    const controller = new AbortController();
    this.#open.add(controller);
    const pages = source.open(controller.signal)[Symbol.asyncIterator]();
    const end = (): void => {
      this.#open.delete(controller);
      // Abort first: return() would otherwise wait for the page being read.
      controller.abort();
      // Also if the body was never started, because the client had already left.
      void pages.return?.().catch(() => {});
    };
    onceClosed(reply, end);
    try {
      const first = await pages.next();
      const ended = (error?: unknown): void => {
        if (error !== undefined) request.log.warn({ err: error }, 'stream broken off');
        end();
      };
      const body = bodyOf(source, first, pages, this.#heartbeatMs, ended);
      // A proxy that buffers responses would hold events back.
      reply.headers({ 'Content-Type': `${EVENT_STREAM}; charset=utf-8`, 'X-Accel-Buffering': 'no' });
      return await reply.send(Readable.from(body, { objectMode: false }));
    } catch (error) {
      end();
      throw error;
    }
  }
}

type Pages = AsyncIterator<StreamPage<unknown>>;

async function* bodyOf(
  source: StreamSource,
  first: IteratorResult<StreamPage<unknown>>,
  pages: Pages,
  heartbeatMs: number,
  ended: (error?: unknown) => void,
): AsyncGenerator<string, void> {
  try {
    let [told, position] = ['', ''];
    let [sentAt, checkedAt] = [Number.NEGATIVE_INFINITY, performance.now()];
    let pending = new Pending(Promise.resolve(first));
    for (;;) {
      const result = await pending.within(sentAt + heartbeatMs - performance.now());
      const now = performance.now();
      if (now - checkedAt >= heartbeatMs) {
        await source.authenticate();
        checkedAt = now;
      }
      if (result?.done) return;
      if (result) {
        ({ position } = result.value);
        pending = new Pending(pages.next());
      }
      const items = result?.value.items ?? [];
      // The position without events is sent at the beginning, and later in place of a heartbeat.
      if (items.length === 0 && now - sentAt < heartbeatMs) continue;
      if (items.length > 0) yield items.map((item) => encodeServerEvent(source.encode(item))).join('');
      else yield position === told ? HEARTBEAT : encodePosition(position);
      [told, sentAt] = [position, performance.now()];
    }
  } catch (error) {
    // The headers have been sent: all that is left is to end it, so that the client reconnects.
    ended(error);
  } finally {
    ended();
  }
}

/** A promise awaited in intervals. Promise.race would leave a handler on it each time. */
class Pending<T> {
  readonly #promise: Promise<T>;
  #isSettled = false;
  #wake: () => void = () => {};

  constructor(promise: Promise<T>) {
    this.#promise = promise;
    const settled = (): void => {
      this.#isSettled = true;
      this.#wake();
    };
    // Marks the rejection as handled; whoever awaits `within` still sees it.
    promise.then(settled, settled);
  }

  /** Undefined on timeout. Rethrows its failure. */
  async within(ms: number): Promise<T | undefined> {
    if (!this.#isSettled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    return this.#isSettled ? this.#promise : undefined;
  }
}
