/** An embedder that costs almost nothing, so that what is measured is what stands around it. */

import { measureCalibration } from '../src/embedding/calibration.ts';
import { unitVector } from '../src/embedding/unit-vector.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../src/ports/embedder.ts';
import { SeededRandom, seedOf } from './seeded-random.ts';

const DIMENSIONS = 384;

/** A text is the sum of its words, each of which has a direction of its own: shared words make texts similar. */
export class BenchEmbedder implements Embedder {
  readonly #words = new Map<string, Float32Array>();
  #prepared = new Map<string, Float32Array>();
  #calibration: Promise<Calibration> | undefined;
  /** While set, each call also waits for this: what a real model would cost, without changing what is found. */
  toll: (() => Promise<unknown>) | undefined;

  /** Computes these vectors now, outside of what is timed, and forgets those prepared before. */
  prepare(texts: readonly string[]): void {
    this.#prepared = new Map(texts.map((text) => [text, this.#vectorOf(text)]));
  }

  async space(): Promise<EmbeddingSpace> {
    return { model: 'bench:sum-of-words', dimensions: DIMENSIONS };
  }

  calibration(): Promise<Calibration> {
    this.#calibration ??= measureCalibration(async (texts) => texts.map((text) => this.#vectorOf(text)));
    return this.#calibration;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    await this.toll?.();
    return texts.map((text) => this.#prepared.get(text) ?? this.#vectorOf(text));
  }

  /** Nothing is kept here that outlives a measurement. */
  forget(): void {}

  async close(): Promise<void> {}

  #vectorOf(text: string): Float32Array {
    const sum = new Float64Array(DIMENSIONS);
    for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
      const direction = this.#directionOf(word);
      for (let index = 0; index < DIMENSIONS; index += 1) sum[index] = Number(sum[index]) + Number(direction[index]);
    }
    return unitVector(sum);
  }

  #directionOf(word: string): Float32Array {
    let direction = this.#words.get(word);
    if (direction === undefined) {
      const random = new SeededRandom(seedOf(word));
      direction = Float32Array.from({ length: DIMENSIONS }, () => random.next() * 2 - 1);
      this.#words.set(word, direction);
    }
    return direction;
  }
}
