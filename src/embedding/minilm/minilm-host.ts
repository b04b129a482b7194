/** One loaded copy of the local model, as the rest of the process sees it. */

import { LaminaError } from '../../domain/error.ts';
import { openProcess, openThread, type Channel, type ChannelEvents } from '../channel.ts';
import type { EngineOptions } from './load-engine.ts';
import type { MiniLmHello, MiniLmReply, MiniLmRequest } from './minilm-worker.ts';

export interface HostOptions {
  readonly engine: EngineOptions;
  /** What runs in a thread, with WebAssembly. */
  readonly threadEntry: URL;
  /** What runs in a process, with onnxruntime; undefined to use a thread only. */
  readonly processEntry: URL | undefined;
  /** The model is loaded. */
  readonly onHello: (hello: MiniLmHello) => void;
  /** It is gone, by itself. All that waited for it has been rejected. */
  readonly onEnd: () => void;
}

interface Pending extends PromiseWithResolvers<Float32Array[]> {
  readonly request: MiniLmRequest;
}

/** Keeps the process alive only while somebody waits for it. */
export class MiniLmHost {
  readonly #options: HostOptions;
  readonly #pending = new Map<number, Pending>();
  #channel: Channel;
  #hello: MiniLmHello | undefined;
  #lastId = 0;
  #isOver = false;

  constructor(options: HostOptions) {
    this.#options = options;
    const { processEntry, engine } = options;
    const isNative = processEntry !== undefined && engine.runtime !== 'wasm';
    this.#channel = isNative ? this.#openProcess(processEntry) : this.#openThread(engine, []);
  }

  /** What it said of itself, once its model was loaded. */
  get hello(): MiniLmHello | undefined {
    return this.#hello;
  }

  /** How many calls it has not answered. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Throws `EMBEDDING_FAILED`. With no text at all it answers when the model is loaded. */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const request: MiniLmRequest = { id: (this.#lastId += 1), texts };
    const pending = { ...Promise.withResolvers<Float32Array[]>(), request };
    this.#pending.set(request.id, pending);
    this.#channel.ref();
    this.#channel.post(request);
    return pending.promise;
  }

  /** Ends it; what waits for it is rejected with `reason`. */
  async stop(reason: LaminaError): Promise<void> {
    this.#abandon(reason);
    await this.#channel.stop();
  }

  #openThread(engine: EngineOptions, fallbacks: readonly string[]): Channel {
    return openThread(this.#options.threadEntry, engine, {
      onMessage: (message) => this.#take(message as MiniLmReply, fallbacks),
      onEnd: (cause) => this.#end(cause),
    });
  }

  #openProcess(entry: URL): Channel {
    let isReplaced = false;
    const replace = (reasons: readonly string[]): void => {
      if (isReplaced || this.#isOver) return;
      isReplaced = true;
      this.#replaceByThread(reasons);
    };
    const events: ChannelEvents = {
      onMessage: (message) => {
        const reply = message as MiniLmReply;
        if ('unavailable' in reply) replace(reply.unavailable);
        else this.#take(reply, []);
      },
      onEnd: (cause) => {
        if (this.#hello === undefined) replace([`onnxruntime ended while it was being loaded: ${cause.message}`]);
        else if (!isReplaced) this.#end(cause);
      },
    };
    try {
      return openProcess(entry, this.#options.engine, events);
    } catch (error) {
      // Where no process may be started, as under Node's permission model.
      return this.#openThread({ ...this.#options.engine, runtime: 'wasm' }, [
        `No process for onnxruntime: ${String(error)}`,
      ]);
    }
  }

  /** What cannot run in a process runs in WebAssembly; those who wait need not know. */
  #replaceByThread(reasons: readonly string[]): void {
    void this.#channel.stop();
    this.#channel = this.#openThread({ ...this.#options.engine, runtime: 'wasm' }, reasons);
    if (this.#pending.size > 0) this.#channel.ref();
    for (const { request } of this.#pending.values()) this.#channel.post(request);
  }

  #take(reply: MiniLmReply, fallbacks: readonly string[]): void {
    if ('unavailable' in reply) return this.#end(new Error(reply.unavailable.join('; ')));
    if ('runtime' in reply) {
      this.#hello = { ...reply, fallbacks: [...fallbacks, ...reply.fallbacks] };
      return this.#options.onHello(this.#hello);
    }
    const job = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#channel.unref();
    if (job === undefined) return;
    if ('problem' in reply)
      job.reject(failure('The local embedding model failed on a text.', new Error(reply.problem)));
    else job.resolve(rowsOf(reply.vectors, job.request.texts.length));
  }

  #end(cause: unknown): void {
    // Only the first sign of an end counts.
    if (this.#isOver) return;
    this.#abandon(failure('The local embedding model has ended unexpectedly.', cause));
    this.#options.onEnd();
  }

  #abandon(reason: LaminaError): void {
    this.#isOver = true;
    const jobs = [...this.#pending.values()];
    this.#pending.clear();
    for (const job of jobs) job.reject(reason);
  }
}

/** Each row with a buffer of its own, so that keeping one does not keep the others. */
function rowsOf(vectors: Float32Array, count: number): Float32Array[] {
  const size = vectors.length / Math.max(count, 1);
  return Array.from({ length: count }, (_, row) => vectors.slice(row * size, (row + 1) * size));
}

function failure(message: string, cause: unknown): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', message, { cause });
}
