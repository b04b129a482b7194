/** An embedder whose calls are counted, timed and traced. */

import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../ports/embedder.ts';
import type { Telemetry, Tracing } from '../ports/telemetry.ts';

export class ObservedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #telemetry: Telemetry;
  readonly #tracing: Tracing;

  constructor(inner: Embedder, telemetry: Telemetry, tracing: Tracing) {
    this.#inner = inner;
    this.#telemetry = telemetry;
    this.#tracing = tracing;
  }

  get settings(): EmbedderSettings | undefined {
    return this.#inner.settings;
  }

  space(): Promise<EmbeddingSpace> {
    return this.#inner.space();
  }

  calibration(text?: string): Promise<Calibration> {
    return this.#inner.calibration(text);
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const started = performance.now();
    let isFailed = true;
    try {
      const vectors = await this.#embed(texts);
      isFailed = false;
      return vectors;
    } finally {
      const durationMs = performance.now() - started;
      this.#telemetry.embeddingEnded?.({ texts: texts.length, durationMs, isFailed });
    }
  }

  forget(texts: readonly string[]): void {
    this.#inner.forget(texts);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (!this.#tracing.isOn) return this.#inner.embed(texts);
    const attributes = { 'gen_ai.operation.name': 'embeddings', 'lamina.embedding.texts': texts.length };
    return this.#tracing.call('embed', attributes, () => this.#inner.embed(texts));
  }
}
