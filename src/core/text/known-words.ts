/**
 * What is known of words, found where they stand in a text: to cut a word out of a text, only to look it up, takes several times as long as
 * all the rest. For texts of ASCII letters and digits, in upper or lower case; other texts are left to others.
 */

const ASCII_END = 128;
const [ZERO, NINE] = [48, 57];
const [UPPER_A, UPPER_Z] = [65, 90];
const [LOWER_A, LOWER_Z] = [97, 122];
const TO_LOWER = LOWER_A - UPPER_A;

/** For each character its lower case, and 0 where it is no part of a word. */
const LOWER = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  if (code >= UPPER_A && code <= UPPER_Z) return code + TO_LOWER;
  return (code >= ZERO && code <= NINE) || (code >= LOWER_A && code <= LOWER_Z) ? code : 0;
});

/** Longer texts get room of their own. */
const ROOM = 4096;

/** FNV's factor for 32 bits: the hash differs also where words differ in their last character only. */
const FACTOR = 0x01_00_01_93;

export class KnownWords {
  readonly #most: number;
  readonly #maxLength: number;
  readonly #meaningOf: (word: string) => string;
  readonly #encoder = new TextEncoder();
  readonly #room = new Uint8Array(ROOM);
  /** By hash the number of a word, from 1; 0 where there is none. Twice as many as words, so that most stand alone. */
  readonly #slots: Uint16Array | Uint32Array;
  /** The characters of each word, and how many it has. */
  readonly #words: Uint8Array;
  readonly #lengths: Uint8Array;
  #meanings: string[] = [];

  /**
   * `meaningOf` is asked once for each word in lower case, for longer ones each time; it gives the empty text for words that mean nothing. It keeps `most` words, a power of two, of up to
   * `maxLength` characters, at most 255: longer ones are rarer. When full it begins anew.
   */
  constructor(most: number, maxLength: number, meaningOf: (word: string) => string) {
    this.#most = most;
    this.#maxLength = maxLength;
    this.#meaningOf = meaningOf;
    this.#slots = most < 65_536 ? new Uint16Array(most * 2) : new Uint32Array(most * 2);
    this.#words = new Uint8Array(most * maxLength);
    this.#lengths = new Uint8Array(most);
  }

  /** The meaning of each word that has one, in order; undefined where there is anything but ASCII in the text. */
  meanings(text: string): string[] | undefined {
    const { length } = text;
    const bytes = length <= ROOM ? this.#room : new Uint8Array(length);
    // Bytes are read several times as fast as the characters of a string. Whatever is not ASCII takes more than one.
    const { read, written } = this.#encoder.encodeInto(text, bytes);
    if (read !== length || written !== length) return undefined;
    const found: string[] = [];
    let start = 0;
    let hash = 0;
    for (let at = 0; at < length; at += 1) {
      const lower = Number(LOWER[Number(bytes[at])]);
      if (lower !== 0) {
        bytes[at] = lower;
        hash = Math.imul(hash ^ lower, FACTOR);
        continue;
      }
      if (start < at) {
        const meaning = this.#meaning(text, bytes, start, at, hash);
        if (meaning !== '') found.push(meaning);
      }
      start = at + 1;
      hash = 0;
    }
    const last = start < length ? this.#meaning(text, bytes, start, length, hash) : '';
    if (last !== '') found.push(last);
    return found;
  }

  #meaning(text: string, bytes: Uint8Array, start: number, end: number, hash: number): string {
    if (end - start > this.#maxLength) return this.#meaningOf(text.slice(start, end).toLowerCase());
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & last;
    for (let number = Number(slots[slot]); number !== 0; number = Number(slots[slot])) {
      if (this.#isWord(number - 1, bytes, start, end)) return String(this.#meanings[number - 1]);
      slot = (slot + 1) & last;
    }
    const meaning = this.#meaningOf(text.slice(start, end).toLowerCase());
    this.#learn(bytes.subarray(start, end), meaning, slot);
    return meaning;
  }

  #isWord(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#lengths[index] !== end - start) return false;
    const words = this.#words;
    for (let at = start, own = index * this.#maxLength; at < end; at += 1, own += 1) {
      if (bytes[at] !== words[own]) return false;
    }
    return true;
  }

  #learn(word: Uint8Array, meaning: string, slot: number): void {
    const index = this.#meanings.length;
    if (index === this.#most) {
      // Without this one too: in an empty table it would belong elsewhere.
      this.#slots.fill(0);
      this.#meanings = [];
      return;
    }
    this.#words.set(word, index * this.#maxLength);
    this.#lengths[index] = word.length;
    this.#meanings.push(meaning);
    this.#slots[slot] = index + 1;
  }
}
