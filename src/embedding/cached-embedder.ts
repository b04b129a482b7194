/** Remembers the vectors of recent texts, by the hash of the text. */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LaminaError } from '../domain/error.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../ports/embedder.ts';

/** About 15 MB with 384 dimensions, 60 MB with 1,536. */
const DEFAULT_MAX_VECTORS = 10_000;

export interface CacheOptions {
  /** How many vectors are kept. Default 10,000. */
  readonly maxVectors?: number;
  /** Told how many texts of a call the model was not asked for. */
  readonly found?: (texts: number) => void;
}

function keyOf(text: string): string {
  return hash('sha256', text, 'base64');
}

function present(vector: Float32Array | undefined): Float32Array {
  if (vector === undefined) throw new LaminaError('EMBEDDING_FAILED', 'The embedder returned too few vectors.');
  return vector;
}

/** A text that is being computed: with which others, and where among them. */
interface Computing {
  readonly batch: Promise<Float32Array[]>;
  readonly index: number;
}

/**
 * Each text is computed once, also when several callers ask for it at the same time; those fail together, and
 * failures are not kept. What it returns is the caller's own: changing a vector changes nobody else's.
 */
export class CachedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #vectors: LRUCache<string, Float32Array>;
  readonly #inFlight = new Map<string, Computing>();
  readonly #found: CacheOptions['found'];
  #failure: string | undefined;

  constructor(inner: Embedder, options: CacheOptions = {}) {
    this.#inner = inner;
    this.#vectors = new LRUCache({ max: options.maxVectors ?? DEFAULT_MAX_VECTORS });
    this.#found = options.found;
  }

  /** What the last call to the model failed with; undefined when it succeeded, and before there was one. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get settings(): EmbedderSettings | undefined {
    return this.#inner.settings;
  }

  space(): Promise<EmbeddingSpace> {
    return this.#watch(this.#inner.space());
  }

  calibration(text?: string): Promise<Calibration> {
    return this.#watch(this.#inner.calibration(text));
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const missing = new Map<string, string>();
    const keys = texts.map((text) => {
      const key = keyOf(text);
      if (!this.#vectors.has(key) && !this.#inFlight.has(key)) missing.set(key, text);
      return key;
    });
    if (missing.size < texts.length) this.#found?.(texts.length - missing.size);
    this.#compute(missing);
    // Nothing is awaited before every key has been looked up, so none can be evicted or forgotten meanwhile.
    const sources = keys.map((key) => this.#vectors.get(key) ?? this.#inFlight.get(key));
    const batches = [...new Set(sources.filter(isComputing).map(({ batch }) => batch))];
    const computed = await Promise.all(batches);
    return sources.map((source) =>
      present(isComputing(source) ? computed[batches.indexOf(source.batch)]?.[source.index] : source).slice(),
    );
  }

  forget(texts: readonly string[]): void {
    for (const key of texts.map(keyOf)) {
      this.#vectors.delete(key);
      // What is still being computed reaches those who wait for it, but is no longer kept when it arrives.
      this.#inFlight.delete(key);
    }
    this.#inner.forget(texts);
  }

  async close(): Promise<void> {
    this.#vectors.clear();
    this.#inFlight.clear();
    await this.#inner.close();
  }

  /** Computes the texts in one call and lets others join while it lasts. */
  #compute(texts: ReadonlyMap<string, string>): void {
    if (texts.size === 0) return;
    const batch = this.#watch(this.#inner.embed([...texts.values()]));
    const computing = [...texts.keys()].map((key, index): [string, Computing] => [key, { batch, index }]);
    for (const [key, each] of computing) this.#inFlight.set(key, each);
    batch.then(
      (vectors) => this.#keep(computing, vectors),
      // Whoever waits for it is told; here it only means that there is nothing to keep.
      () => this.#keep(computing, []),
    );
  }

  async #watch<T>(call: Promise<T>): Promise<T> {
    try {
      const value = await call;
      this.#failure = undefined;
      return value;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  #keep(computing: readonly [string, Computing][], vectors: readonly Float32Array[]): void {
    for (const [key, each] of computing) {
      if (this.#inFlight.get(key) !== each) continue;
      this.#inFlight.delete(key);
      const vector = vectors[each.index];
      if (vector !== undefined) this.#vectors.set(key, vector);
    }
  }
}

function isComputing(source: Float32Array | Computing | undefined): source is Computing {
  return source !== undefined && 'batch' in source;
}
