/** Remembers the vectors of recent texts, by the hash of the text. */

import { hash } from 'node:crypto';
import { LaminaError } from '../domain/error.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../ports/embedder.ts';
import { RecentVectors } from './recent-vectors.ts';

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

function present<T>(vector: T | undefined): T {
  if (vector === undefined) throw new LaminaError('EMBEDDING_FAILED', 'The embedder returned too few vectors.');
  return vector;
}

/** A text that is being computed: with which others, and where among them. */
interface Computing {
  readonly batch: Promise<Float32Array[]>;
  readonly index: number;
  /** How many wait for it. Who is alone gets the very vector that the model made, and of several each gets a copy. */
  waiting: number;
}

/** A vector that was kept, or one to come. */
type Source = Float32Array | Computing;

/**
 * Each text is computed once, also when several callers ask for it at the same time; those fail together, and
 * failures are not kept. What it returns is the caller's own: changing a vector changes nobody else's.
 */
export class CachedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #vectors: RecentVectors;
  readonly #inFlight = new Map<string, Computing>();
  readonly #found: CacheOptions['found'];
  #space: EmbeddingSpace | undefined;
  #failure: string | undefined;

  constructor(inner: Embedder, options: CacheOptions = {}) {
    this.#inner = inner;
    this.#vectors = new RecentVectors(options.maxVectors ?? DEFAULT_MAX_VECTORS);
    this.#found = options.found;
  }

  /** What the last call to the model failed with; undefined when it succeeded, and before there was one. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get settings(): EmbedderSettings | undefined {
    return this.#inner.settings;
  }

  /** It never changes: every write asks for it. */
  async space(): Promise<EmbeddingSpace> {
    return (this.#space ??= await this.#watch(this.#inner.space()));
  }

  calibration(text?: string): Promise<Calibration> {
    return this.#watch(this.#inner.calibration(text));
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const sources: Source[] = [];
    const missing = new Map<string, string>();
    // Nothing is awaited before every key has been looked up, so none can be evicted or forgotten meanwhile.
    const keys = texts.map((text, index) => {
      const key = keyOf(text);
      const known = this.#known(key);
      if (known === undefined) missing.set(key, text);
      else sources[index] = known;
      return key;
    });
    if (missing.size < texts.length) this.#found?.(texts.length - missing.size);
    const computing = this.#compute(missing);
    for (const [index, key] of keys.entries()) sources[index] ??= present(computing.get(key));
    for (const source of sources) if (isComputing(source)) source.waiting += 1;
    return vectorsOf(sources);
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

  #known(key: string): Source | undefined {
    return this.#vectors.get(key) ?? this.#inFlight.get(key);
  }

  /** Computes the texts in one call and lets others join while it lasts. */
  #compute(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Computing> {
    const computing = new Map<string, Computing>();
    if (texts.size === 0) return computing;
    const batch = this.#watch(this.#inner.embed([...texts.values()]));
    for (const key of texts.keys()) {
      const each = { batch, index: computing.size, waiting: 0 };
      computing.set(key, each);
      this.#inFlight.set(key, each);
    }
    batch.then(
      (vectors) => this.#keep(computing, vectors),
      // Whoever waits for it is told; here it only means that there is nothing to keep.
      () => this.#keep(computing, []),
    );
    return computing;
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

  #keep(computing: ReadonlyMap<string, Computing>, vectors: readonly Float32Array[]): void {
    for (const [key, each] of computing) {
      if (this.#inFlight.get(key) !== each) continue;
      this.#inFlight.delete(key);
      const vector = vectors[each.index];
      if (vector !== undefined) this.#vectors.set(key, vector);
    }
  }
}

function isComputing(source: Source): source is Computing {
  return 'batch' in source;
}

async function vectorsOf(sources: readonly Source[]): Promise<Float32Array[]> {
  const batches = [...new Set(sources.filter(isComputing).map(({ batch }) => batch))];
  const [only] = batches;
  // At once, so that none of them fails while another one is waited for.
  const computed = batches.length === 1 && only !== undefined ? [await only] : await Promise.all(batches);
  return sources.map((source) =>
    isComputing(source) ? taken(source, computed[batches.indexOf(source.batch)]) : source,
  );
}

function taken(source: Computing, vectors: readonly Float32Array[] | undefined): Float32Array {
  const vector = present(vectors?.[source.index]);
  return source.waiting > 1 ? vector.slice() : vector;
}
