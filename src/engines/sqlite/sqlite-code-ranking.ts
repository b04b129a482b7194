/** Codes by their distance from a query, the nearest first, in blocks: only what is asked for is put in order. */

export class CodeRanking {
  readonly #distances: Uint32Array;
  /** How many there are at each distance. */
  readonly #counts: Uint32Array;
  #next = 0;

  /** No distance is above `farthest`. */
  constructor(distances: Uint32Array, farthest: number) {
    this.#distances = distances;
    const counts = new Uint32Array(farthest + 1);
    for (let index = 0; index < distances.length; index += 1) {
      const distance = Number(distances[index]);
      counts[distance] = Number(counts[distance]) + 1;
    }
    this.#counts = counts;
    this.#skipEmpty();
  }

  get length(): number {
    return this.#distances.length;
  }

  /** The least distance of what was not given out yet; undefined when everything was. */
  get next(): number | undefined {
    return this.#next < this.#counts.length ? this.#next : undefined;
  }

  /** What was not given out yet: distances, the least first, and how many there are at each. */
  *remaining(): Generator<readonly [distance: number, count: number]> {
    for (let distance = this.#next; distance < this.#counts.length; distance += 1) {
      const count = Number(this.#counts[distance]);
      if (count > 0) yield [distance, count];
    }
  }

  distanceOf(index: number): number {
    return Number(this.#distances[index]);
  }

  /** Indexes of the next ones, in the order of their entries: `size` or a few more, since those equally far go together. */
  take(size: number): number[] {
    const from = this.#next;
    let found = 0;
    while (found < size && this.#next < this.#counts.length) {
      found += Number(this.#counts[this.#next]);
      this.#next += 1;
    }
    const [distances, to] = [this.#distances, this.#next];
    const indexes: number[] = [];
    for (let index = 0; index < distances.length; index += 1) {
      const distance = Number(distances[index]);
      if (distance < to && distance >= from) indexes.push(index);
    }
    this.#skipEmpty();
    return indexes;
  }

  #skipEmpty(): void {
    while (this.#next < this.#counts.length && this.#counts[this.#next] === 0) this.#next += 1;
  }
}
