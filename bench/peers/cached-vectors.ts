/** The same vectors for everybody, computed before anything is timed, in the form that each package takes. */

import { BenchEmbedder } from '../bench-embedder.ts';

export const DIMENSIONS = 384;

export class CachedVectors {
  /** For Lamina, which takes vectors as they are. */
  readonly embedder = new BenchEmbedder();
  #prepared = new Map<string, { readonly floats: Float32Array; readonly numbers: number[] }>();

  /** Forgets the vectors that were prepared before, so that 100,000 of them do not fill the heap. */
  async prepare(texts: readonly string[]): Promise<void> {
    this.embedder.prepare(texts);
    const vectors = await this.embedder.embed(texts);
    this.#prepared = new Map(
      vectors.map((floats, index) => [String(texts[index]), { floats, numbers: Array.from(floats) }]),
    );
  }

  /** Throws for what was not prepared: a peer that embeds something else would be measured with its embedding. */
  floatsOf(text: string): Float32Array {
    return this.#vectorOf(text).floats;
  }

  numbersOf(text: string): number[] {
    return this.#vectorOf(text).numbers;
  }

  #vectorOf(text: string): { readonly floats: Float32Array; readonly numbers: number[] } {
    const vector = this.#prepared.get(text);
    if (vector === undefined) throw new Error(`No vector was prepared for "${text.slice(0, 80)}".`);
    return vector;
  }
}
