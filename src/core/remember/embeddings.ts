/** The vectors of one write: made before its transaction, handed out within it. */

import type { Entry } from '../../domain/entry.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { Embedding } from '../../ports/entry-store.ts';
import { embeddedText } from './content.ts';

/** Thrown inside a transaction that needs vectors that were not prepared: it must be rolled back and run again. */
class UnpreparedEmbedding extends Error {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super('A text was not embedded before its transaction.');
    this.texts = texts;
  }
}

/** An entry as it is going to be, and as it was; null where it is new. */
interface Transition {
  readonly entry: Entry;
  readonly previous: Entry | null;
}

export class Embeddings {
  readonly #embedder: Embedder;
  readonly #prepared = new Map<string, Embedding>();

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  /** Embeds the texts that are not prepared yet. Throws `EMBEDDING_FAILED`. */
  async prepare(texts: readonly string[]): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => !this.#prepared.has(text));
    if (missing.length === 0) return;
    const [space, vectors] = await Promise.all([this.#embedder.space(), this.#embedder.embed(missing)]);
    vectors.forEach((vector, index) => this.#prepared.set(missing[index] ?? '', { space, vector }));
  }

  /** The embedding that belongs to the new state of an entry; undefined where the old one still holds. */
  for(transition: Transition): Embedding | undefined {
    const text = neededText(transition);
    return text === undefined ? undefined : this.of(text);
  }

  /** Asks for all that a batch needs at once: one text after the other would run its transaction once for each. */
  assertPrepared(transitions: readonly Transition[]): void {
    const needed = transitions.map(neededText).filter((text) => text !== undefined);
    const missing = needed.filter((text) => !this.#prepared.has(text));
    if (missing.length > 0) throw new UnpreparedEmbedding(missing);
  }

  /** The embedding of a text, within a transaction that runs under {@link retrying}. */
  of(text: string): Embedding {
    const embedding = this.#prepared.get(text);
    if (embedding === undefined) throw new UnpreparedEmbedding([text]);
    return embedding;
  }

  /**
   * Runs a transaction that takes its vectors from here. What is stored may change between preparing and running;
   * then the transaction asks for a text that was not embedded, leaves no trace, and runs again once it is.
   */
  async retrying<T>(transaction: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await transaction();
      } catch (error) {
        if (!(error instanceof UnpreparedEmbedding)) throw error;
        await this.prepare(error.texts);
      }
    }
  }
}

function neededText({ entry, previous }: Transition): string | undefined {
  const text = embeddedText(entry);
  return previous !== null && embeddedText(previous) === text ? undefined : text;
}
