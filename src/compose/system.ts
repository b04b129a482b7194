/** Time and ids from the machine. */

import { randomFillSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports/clock.ts';

export const systemClock: Clock = { now: () => Date.now(), sleep: (ms) => sleep(ms) };

const ID_BYTES = 16;
/** Getting random bytes takes much longer than making an id from them, so they are fetched in advance. */
const IDS_IN_ADVANCE = 256;

/** Of the ids of one millisecond each has the number after the one before: 32 bits, which begin at random below half. */
const FIRST_NUMBERS = 2 ** 31;
const NUMBERS = 2 ** 32;

const HEX = Buffer.from('0123456789abcdef');
const HYPHEN = 45;
/** 1 for each byte of an id that has a hyphen before it. */
const HYPHENS_BEFORE = [0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1];
const ID_CHARACTERS = 36;

class SystemIds implements Ids {
  readonly #id = new Uint8Array(ID_BYTES);
  readonly #digits = Buffer.alloc(ID_CHARACTERS);
  readonly #random = new Uint8Array(ID_BYTES * IDS_IN_ADVANCE);
  #used = this.#random.length;
  #msecs = 0;
  #number = 0;

  next(): string {
    const random = this.#nextRandom();
    const now = Date.now();
    if (now > this.#msecs) {
      this.#msecs = now;
      this.#number = new DataView(random.buffer, random.byteOffset).getUint32(0) % FIRST_NUMBERS;
    } else {
      this.#number = (this.#number + 1) % NUMBERS;
      if (this.#number === 0) this.#msecs += 1;
    }
    v7({ random, msecs: this.#msecs, seq: this.#number }, this.#id);
    return this.#text();
  }

  /** In one piece: a text that is put together of parts is put together again for every database that gets it. */
  #text(): string {
    const text = this.#digits;
    for (let index = 0, at = 0; index < ID_BYTES; index += 1) {
      if (HYPHENS_BEFORE[index] === 1) text[at++] = HYPHEN;
      const byte = Number(this.#id[index]);
      text[at++] = Number(HEX[byte >> 4]);
      text[at++] = Number(HEX[byte & 15]);
    }
    return text.toString('latin1');
  }

  #nextRandom(): Uint8Array {
    if (this.#used === this.#random.length) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    this.#used += ID_BYTES;
    return this.#random.subarray(this.#used - ID_BYTES, this.#used);
  }
}

export const systemIds: Ids = new SystemIds();
