/** An embedder that keeps the port's promises whatever stands behind it, which may be anybody's. */

import { LaminaError } from '../domain/error.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../ports/embedder.ts';
import { asEmbeddingFailure } from './embedding-failure.ts';
import { OpenCalls } from './open-calls.ts';

/** A model may have to be loaded, or fetched, and measured. */
const PATIENCE_MS = 120_000;
/** More for each text: a slow machine with long texts. Nobody should wait for ever, and nobody be cut off who makes progress. */
const PATIENCE_PER_TEXT_MS = 5000;

/**
 * Whatever goes wrong is `EMBEDDING_FAILED`: what was thrown, of whatever kind; an answer that is not one vector of the space
 * per text; and no answer within two minutes and five seconds per text. What was thrown stays in the process, as its cause.
 */
export class GuardedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #calls = new OpenCalls();
  #space: EmbeddingSpace | undefined;

  constructor(inner: Embedder) {
    this.#inner = inner;
  }

  get settings(): EmbedderSettings | undefined {
    return this.#inner.settings;
  }

  /** It never changes: every write asks for it, and is answered without a call. */
  async space(): Promise<EmbeddingSpace> {
    return (this.#space ??= await this.#guarded(() => this.#inner.space(), PATIENCE_MS));
  }

  calibration(text?: string): Promise<Calibration> {
    return this.#guarded(() => this.#inner.calibration(text), PATIENCE_MS);
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return this.#guarded(
      async () => {
        const vectors: unknown = await this.#inner.embed(texts);
        // After the vectors, by which some have learnt it.
        const { dimensions } = (this.#space ??= await this.#inner.space());
        return vectorsOf(vectors, texts.length, dimensions);
      },
      PATIENCE_MS + PATIENCE_PER_TEXT_MS * texts.length,
    );
  }

  forget(texts: readonly string[]): void {
    this.#inner.forget(texts);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #guarded<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
    // By hand: a race would make eight promises more.
    return new Promise((resolve, reject) => {
      const late = (): void => reject(failure(`did not answer within ${patienceMs / 1000} seconds`));
      const call = this.#calls.open(patienceMs, late);
      const answer = (value: T): void => {
        this.#calls.close(call);
        resolve(value);
      };
      const fail = (thrown: unknown): void => {
        this.#calls.close(call);
        reject(asEmbeddingFailure(thrown));
      };
      try {
        Promise.resolve(work()).then(answer, fail);
      } catch (thrown) {
        fail(thrown);
      }
    });
  }
}

function vectorsOf(given: unknown, count: number, dimensions: number): Float32Array[] {
  if (!Array.isArray(given) || given.length !== count) throw failure('did not give one vector for each text');
  return given.map((vector: unknown) => {
    const numbers = isNumbers(vector) ? vector : [];
    if (numbers.length !== dimensions) throw failure(`did not give vectors of ${dimensions} numbers`);
    return numbers instanceof Float32Array ? numbers : Float32Array.from(numbers);
  });
}

/** Also where they come from another realm. */
function isNumbers(value: unknown): value is ArrayLike<number> {
  if (value instanceof Float32Array) return areFinite(value);
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  return isList && Array.prototype.every.call(value, Number.isFinite);
}

/**
 * Numbers of four bytes are too small for their sum to be infinite in eight, and nothing makes it finite again. Four sums at once, because
 * each addition waits for the one before it: half of the time of one sum.
 */
function areFinite(values: Float32Array): boolean {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = values.length - (values.length % 4);
  for (let index = 0; index < whole; index += 4) {
    first += Number(values[index]);
    second += Number(values[index + 1]);
    third += Number(values[index + 2]);
    fourth += Number(values[index + 3]);
  }
  for (let index = whole; index < values.length; index += 1) first += Number(values[index]);
  return Number.isFinite(first + second + third + fourth);
}

function failure(problem: string): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', `The embedder ${problem}.`);
}
