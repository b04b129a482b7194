/** Many texts that were asked for at once, cut into parts that several hosts can share. */

/** Texts of one part: a few batches of short ones, so that a host always has the next at hand. */
export const PART_SIZE = 32;

/** More characters than this of a text hardly matter for how long it takes: the model cuts it at its window. */
const WINDOW_CHARACTERS = 1_000;

export class BulkJob {
  readonly texts: readonly string[];
  readonly #parts: number[][];
  readonly #vectors: Float32Array[] = [];
  readonly #done = Promise.withResolvers<Float32Array[]>();
  #missing: number;

  /** Texts of like length go together, which saves padding. */
  constructor(texts: readonly string[]) {
    this.texts = texts;
    this.#missing = texts.length;
    const byLength = [...texts.keys()].toSorted((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0));
    this.#parts = Array.from({ length: Math.ceil(byLength.length / PART_SIZE) }, (_, part) =>
      byLength.slice(part * PART_SIZE, (part + 1) * PART_SIZE),
    );
  }

  get vectors(): Promise<Float32Array[]> {
    return this.#done.promise;
  }

  get hasParts(): boolean {
    return this.#parts.length > 0;
  }

  /** A measure of the work. */
  get characters(): number {
    return this.texts.reduce((sum, text) => sum + Math.min(text.length, WINDOW_CHARACTERS), 0);
  }

  /** Does the next part with `embed`. What goes wrong is for those who wait for the job. */
  async doPart(embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>): Promise<void> {
    const part = this.#parts.shift() ?? [];
    try {
      const vectors = await embed(part.map((index) => this.texts[index] ?? ''));
      for (const [place, index] of part.entries()) {
        const vector = vectors[place];
        if (vector !== undefined) this.#vectors[index] = vector;
      }
      this.#missing -= part.length;
      if (this.#missing === 0) this.#done.resolve(this.#vectors);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Gives up what is left. */
  fail(reason: unknown): void {
    this.#parts.length = 0;
    this.#done.reject(reason);
  }
}
