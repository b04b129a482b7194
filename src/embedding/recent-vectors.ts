/**
 * Vectors that were used of late, by their keys: beside each other in few blocks of memory. To allocate each by itself takes ten times as
 * long as to copy it, and the collector has to look after every one.
 */

/** So many vectors are one block, or fewer where fewer are ever kept. */
const BLOCK = 256;

export class RecentVectors {
  readonly #most: number;
  readonly #perBlock: number;
  readonly #blocks: Float32Array[] = [];
  readonly #places = new Map<string, number>();
  /** The key of what lies in each place; undefined where it was forgotten. */
  #keys: (string | undefined)[] = [];
  /** Whether it was asked for since the hand came by. */
  #wasUsed: boolean[] = [];
  /**
   * Goes round the places, and passes by those that were used. That is nearly as good as to give up what was used longest ago, and does
   * without noting the order at every use.
   */
  #hand = 0;
  /** Places that were given back. */
  #free: number[] = [];
  /** Of the first vector; there are no others. */
  #dimensions: number | undefined;

  constructor(most: number) {
    this.#most = most;
    this.#perBlock = Math.min(BLOCK, most);
  }

  /** A copy of its own for whoever asks. */
  get(key: string): Float32Array | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#wasUsed[place] = true;
    return this.#at(place).slice();
  }

  /** Keeps a copy of a vector. One that is not as long as the others is not kept. */
  set(key: string, vector: Float32Array): void {
    this.#dimensions ??= vector.length;
    if (vector.length !== this.#dimensions) return;
    const place = this.#places.get(key) ?? this.#newPlace();
    this.#at(place).set(vector);
    this.#places.set(key, place);
    this.#keys[place] = key;
    this.#wasUsed[place] = false;
  }

  /** Nothing of it is left. */
  delete(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    this.#keys[place] = undefined;
    this.#at(place).fill(0);
    this.#free.push(place);
  }

  clear(): void {
    for (const block of this.#blocks) block.fill(0);
    this.#blocks.length = 0;
    this.#places.clear();
    this.#keys = [];
    this.#wasUsed = [];
    this.#free = [];
    this.#hand = 0;
    this.#dimensions = undefined;
  }

  #newPlace(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#keys.length < this.#most) return this.#keys.push(undefined) - 1;
    while (this.#wasUsed[this.#hand] === true) {
      this.#wasUsed[this.#hand] = false;
      this.#advance();
    }
    const place = this.#hand;
    this.#advance();
    const former = this.#keys[place];
    if (former !== undefined) this.#places.delete(former);
    return place;
  }

  #advance(): void {
    this.#hand = (this.#hand + 1) % this.#most;
  }

  #at(place: number): Float32Array {
    const dimensions = this.#dimensions ?? 0;
    const block = (this.#blocks[Math.floor(place / this.#perBlock)] ??= new Float32Array(this.#perBlock * dimensions));
    const start = (place % this.#perBlock) * dimensions;
    return block.subarray(start, start + dimensions);
  }
}
