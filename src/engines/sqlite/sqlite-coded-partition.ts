/** The codes of one partition in one space, or its vectors, held in memory in the order of their entries. */

/** Arrays grow by this factor, so that adding one after another does not copy everything each time. */
const GROWTH = 1.5;

/** Above this share of removed ones it is better read again. */
const MAX_REMOVED = 0.25;

interface CodedLayout {
  /** The length of a code. */
  readonly bytes: number;
  /** So many lie in a group: the first byte of each, then the second of each, and so on. By default each lies by itself. */
  readonly lanes?: number;
}

export class CodedPartition {
  readonly #codeBytes: number;
  readonly #lanes: number;
  #seqs = new Float64Array(0);
  #codes: Uint8Array = new Uint8Array(0);
  #length = 0;
  #changes = 0;
  /** Places that are empty now. */
  readonly #removed = new Set<number>();

  /** What so many take. */
  static bytesOf(codeBytes: number, count: number): number {
    return count * (codeBytes + Float64Array.BYTES_PER_ELEMENT);
  }

  /** With room for so many from the start. */
  constructor({ bytes, lanes = 1 }: CodedLayout, capacity = 0) {
    this.#codeBytes = bytes;
    this.#lanes = lanes;
    if (capacity > 0) this.#reserve(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The codes, one after another or group by group; there is room for more behind {@link length} of them. */
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

  /** Where an entry stands; undefined where it does not, or was removed. It is looked for at `likely` first. */
  indexOf(seq: number, likely = 0): number | undefined {
    const index = this.#seqs[likely] === seq ? likely : this.#indexOf(seq);
    return index === undefined || this.#removed.has(index) ? undefined : index;
  }

  /** Newer ones than all that are here, in order. The first ones are taken over and not copied, where that can be. */
  append(seqs: readonly number[], codes: Uint8Array): void {
    const length = this.#length + seqs.length;
    const isTakenOver = this.#seqs.length === 0 && this.#lanes === 1 && hasBufferToItself(codes);
    if (isTakenOver) {
      this.#seqs = new Float64Array(length);
      this.#codes = codes;
    } else if (length > this.#seqs.length) {
      this.#reserve(this.#length === 0 ? length : Math.ceil(length * GROWTH));
    }
    this.#seqs.set(seqs, this.#length);
    if (!isTakenOver) this.#copy(seqs.length, codes);
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
    this.#put(index, code ?? new Uint8Array(this.#codeBytes));
    return true;
  }

  #copy(count: number, codes: Uint8Array): void {
    if (this.#lanes === 1) this.#codes.set(codes, this.#length * this.#codeBytes);
    else for (let index = 0; index < count; index += 1) this.#put(this.#length + index, codes, index * this.#codeBytes);
  }

  #put(index: number, codes: Uint8Array, from = 0): void {
    const [all, lanes, end] = [this.#codes, this.#lanes, from + this.#codeBytes];
    const lane = index % lanes;
    for (let byte = from, at = (index - lane) * this.#codeBytes + lane; byte < end; byte += 1, at += lanes) {
      all[at] = Number(codes[byte]);
    }
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

  #reserve(least: number): void {
    const [seqs, codes] = [this.#seqs, this.#codes];
    const length = Math.ceil(least / this.#lanes) * this.#lanes;
    this.#seqs = new Float64Array(length);
    this.#codes = new Uint8Array(length * this.#codeBytes);
    this.#seqs.set(seqs);
    this.#codes.set(codes);
  }
}

function hasBufferToItself({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength === byteLength;
}
