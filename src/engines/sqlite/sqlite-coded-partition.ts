/** The codes of one partition in one space, or its vectors, held in memory in the order of their entries. */

/** Arrays grow by this factor, so that adding one after another does not copy everything each time. */
const GROWTH = 1.5;

/** Above this share of removed ones it is better read again. */
const MAX_REMOVED = 0.25;

export class CodedPartition {
  readonly #codeBytes: number;
  #seqs = new Float64Array(0);
  #codes = new Uint8Array(0);
  #length = 0;
  #changes = 0;
  /** Places that are empty now. */
  readonly #removed = new Set<number>();

  /** What so many take. */
  static bytesOf(codeBytes: number, count: number): number {
    return count * (codeBytes + Float64Array.BYTES_PER_ELEMENT);
  }

  /** With room for so many from the start. */
  constructor(codeBytes: number, capacity = 0) {
    this.#codeBytes = codeBytes;
    if (capacity > 0) this.#reserve(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The codes, one after another; there is room for more behind {@link length} of them. */
  get codes(): Uint8Array {
    return this.#codes;
  }

  /** Of the newest entry that there ever was; 0 without any. */
  get lastSeq(): number {
    return this.#length === 0 ? 0 : this.seqAt(this.#length - 1);
  }

  get bytes(): number {
    return this.#seqs.byteLength + this.#codes.byteLength;
  }

  get isWorn(): boolean {
    return this.#removed.size > this.#length * MAX_REMOVED;
  }

  /** How often anything here has changed. */
  get changes(): number {
    return this.#changes;
  }

  isRemoved(index: number): boolean {
    return this.#removed.has(index);
  }

  seqAt(index: number): number {
    return Number(this.#seqs[index]);
  }

  /** Where an entry stands; undefined where it does not, or was removed. */
  indexOf(seq: number): number | undefined {
    const index = this.#indexOf(seq);
    return index === undefined || this.#removed.has(index) ? undefined : index;
  }

  /** Newer ones than all that are here, in order. */
  append(seqs: readonly number[], codes: Uint8Array): void {
    const length = this.#length + seqs.length;
    if (length > this.#seqs.length) this.#reserve(this.#length === 0 ? length : Math.ceil(length * GROWTH));
    this.#seqs.set(seqs, this.#length);
    this.#codes.set(codes, this.#length * this.#codeBytes);
    this.#length = length;
    this.#changes += 1;
  }

  /**
   * Puts another code in the place of an entry's, or nothing: of what is removed no bit is kept, and its number finds no
   * entry any more. False when the entry has no place here but needs one.
   */
  replace(seq: number, code: Uint8Array | undefined): boolean {
    const index = this.#indexOf(seq);
    // Behind all others: it is appended like a new one.
    if (index === undefined) return code === undefined || seq > this.lastSeq;
    if (code === undefined) this.#removed.add(index);
    else this.#removed.delete(index);
    this.#changes += 1;
    this.#codes.set(code ?? new Uint8Array(this.#codeBytes), index * this.#codeBytes);
    return true;
  }

  #indexOf(seq: number): number | undefined {
    let [low, high] = [0, this.#length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seqAt(middle) < seq) low = middle + 1;
      else high = middle;
    }
    return this.#length > 0 && this.seqAt(low) === seq ? low : undefined;
  }

  #reserve(length: number): void {
    const [seqs, codes] = [this.#seqs, this.#codes];
    this.#seqs = new Float64Array(length);
    this.#codes = new Uint8Array(length * this.#codeBytes);
    this.#seqs.set(seqs.subarray(0, this.#length));
    this.#codes.set(codes.subarray(0, this.#length * this.#codeBytes));
  }
}
