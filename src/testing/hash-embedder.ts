/** A deterministic stand-in for a model: texts that share words are similar, and nothing has to be loaded. */

import { LaminaError } from '../domain/error.ts';
import { calibrationOf } from '../embedding/calibration.ts';
import { GENERIC_SENTENCES } from '../embedding/generic-sentences.ts';
import { unitVector } from '../embedding/unit-vector.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../ports/embedder.ts';

const DEFAULT_DIMENSIONS = 64;

/** Shared parts of words count, but less than shared words. */
const TRIGRAM_WEIGHT = 0.3;

/** FNV-1a over UTF-16 code units, with a last mix because the lowest bits of FNV are weak. */
function fnv(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

function trigramsOf(word: string): string[] {
  const framed = `<${word}>`;
  return Array.from({ length: framed.length - 2 }, (_, start) => framed.slice(start, start + 3));
}

export interface HashEmbedderOptions {
  /** Default 64. */
  readonly dims?: number;
}

export class HashEmbedder implements Embedder {
  readonly settings: EmbedderSettings;
  readonly #dims: number;
  #calibration: Calibration | undefined;
  /** How often `embed` was called, also when it failed. */
  calls = 0;
  /** How many texts it was asked for, in all. */
  texts = 0;
  /** While true, `embed` throws `EMBEDDING_FAILED`. */
  fail = false;

  constructor(options: HashEmbedderOptions = {}) {
    this.#dims = options.dims ?? DEFAULT_DIMENSIONS;
    this.settings = { provider: 'test', dimensions: this.#dims };
  }

  async space(): Promise<EmbeddingSpace> {
    return { model: `test:hash-${this.#dims}`, dimensions: this.#dims };
  }

  async calibration(): Promise<Calibration> {
    this.#calibration ??= calibrationOf(GENERIC_SENTENCES.map((text) => this.#vectorOf(text)));
    return this.#calibration;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.calls += 1;
    this.texts += texts.length;
    if (this.fail) throw new LaminaError('EMBEDDING_FAILED', 'The hash embedder was told to fail.');
    return texts.map((text) => this.#vectorOf(text));
  }

  /** Nothing is kept here. */
  forget(): void {}

  async close(): Promise<void> {}

  #vectorOf(text: string): Float32Array {
    const values = new Float64Array(this.#dims);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      this.#add(values, word, 1);
      for (const trigram of trigramsOf(word)) this.#add(values, trigram, TRIGRAM_WEIGHT);
    }
    // No words, or words that cancelled out: the text as a whole gives the direction.
    if (values.every((value) => value === 0)) this.#add(values, text, 1);
    return unitVector(values);
  }

  /** The sign comes from a bit that the dimension does not depend on, so that unrelated words cancel out. */
  #add(values: Float64Array, feature: string, weight: number): void {
    const hashed = fnv(feature);
    const dimension = (hashed >>> 1) % this.#dims;
    values[dimension] = (values[dimension] ?? 0) + ((hashed & 1) === 1 ? weight : -weight);
  }
}
