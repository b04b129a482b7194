/**
 * Vectors beside each other in few blocks of memory. To allocate each by itself takes ten times as long as to copy it, and the collector
 * has to look after every one.
 */

/** So many vectors are one block, or fewer where fewer are ever kept. */
const BLOCK = 256;

export class VectorBlocks {
  readonly #perBlock: number;
  readonly #blocks: Float32Array[] = [];
  /** Places that were given back. */
  #free: number[] = [];
  #used = 0;
  /** Of the first vector; there are no others. */
  #dimensions: number | undefined;

  constructor(maxVectors: number) {
    this.#perBlock = Math.min(BLOCK, maxVectors);
  }

  /** Copies a vector and gives its place; undefined where it is not as long as the others. */
  put(vector: Float32Array): number | undefined {
    this.#dimensions ??= vector.length;
    if (vector.length !== this.#dimensions) return undefined;
    const place = this.#free.pop() ?? this.#used++;
    const block = (this.#blocks[Math.floor(place / this.#perBlock)] ??= new Float32Array(
      this.#perBlock * this.#dimensions,
    ));
    block.set(vector, (place % this.#perBlock) * this.#dimensions);
    return place;
  }

  /** A copy of its own for whoever asks. */
  copyOf(place: number): Float32Array {
    return this.#at(place).slice();
  }

  /** Nothing of it is left. */
  remove(place: number): void {
    this.#at(place).fill(0);
    this.#free.push(place);
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#free = [];
    this.#used = 0;
    this.#dimensions = undefined;
  }

  #at(place: number): Float32Array {
    const dimensions = this.#dimensions ?? 0;
    const start = (place % this.#perBlock) * dimensions;
    return this.#blocks[Math.floor(place / this.#perBlock)]?.subarray(start, start + dimensions) ?? new Float32Array();
  }
}
