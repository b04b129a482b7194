/** Vectors as a model gives them, for more texts than it could embed in the time of a benchmark. */

import { unitVector } from '../../src/embedding/unit-vector.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../../src/ports/embedder.ts';
import { SeededRandom, seedOf } from '../seeded-random.ts';

/** How much of a second text there is in what lies between two. */
const LEAST_SHARE = 0.3;
const MOST_SHARE = 0.8;

/**
 * The texts that were learned and those that are asked have the vector that the model gives them. Any other text lies somewhere
 * between two that were learned, as what is told lies between other things that are told: never twice in the same place.
 */
export class NearbyEmbedder implements Embedder {
  readonly #model: Embedder;
  readonly #known = new Map<string, Float32Array>();
  #vectors: Float32Array[] = [];

  constructor(model: Embedder) {
    this.#model = model;
  }

  async learn(texts: readonly string[], batch: number, progress: (done: number) => void): Promise<void> {
    for (let done = 0; done < texts.length; done += batch) {
      progress(done);
      const some = texts.slice(done, done + batch);
      (await this.#model.embed(some)).forEach((vector, index) => this.#known.set(some[index] ?? '', vector));
    }
    this.#vectors = [...this.#known.values()];
  }

  /** Embeds what will be asked, so that no search waits for the model. */
  async prepare(questions: readonly string[]): Promise<void> {
    (await this.#model.embed(questions)).forEach((vector, index) => this.#known.set(questions[index] ?? '', vector));
  }

  space(): Promise<EmbeddingSpace> {
    return this.#model.space();
  }

  calibration(): Promise<Calibration> {
    return this.#model.calibration();
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.#known.get(text) ?? this.#between(new SeededRandom(seedOf(text))));
  }

  forget(): void {}

  async close(): Promise<void> {
    await this.#model.close();
  }

  #between(random: SeededRandom): Float32Array {
    const [one, other] = [random.pick(this.#vectors), random.pick(this.#vectors)];
    const share = LEAST_SHARE + random.next() * (MOST_SHARE - LEAST_SHARE);
    return unitVector(Float64Array.from(one, (value, index) => value + share * Number(other[index])));
  }
}
