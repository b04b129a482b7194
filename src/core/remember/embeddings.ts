/** The vectors of one write: computed before its transaction, used within it. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import { OutdatedSpaces } from '../../domain/outdated-spaces.ts';
import type { Embedder, ModelsInUse } from '../../ports/embedder.ts';
import type { Embedding, EntryWrite } from '../../ports/entry-store.ts';
import { modelsInUse } from '../spaces/models-in-use.ts';
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
export interface Transition {
  readonly entry: Entry;
  readonly previous: Entry | null;
}

/** The vectors of a text in the active space, and in the other one if available. */
type Prepared = Pick<EntryWrite, 'otherEmbedding'> & { readonly embedding: Embedding };

/** How long a write waits for the model of the other space: missing vectors are added by the fill. */
const PATIENCE_MS = 5000;

/** Models are changed by people: it does not happen more often than this during one write. */
const MAX_CHANGES = 5;

const NOTHING = { embedding: undefined } as const;

export class Embeddings {
  readonly #embedder: Embedder;
  readonly #prepared = new Map<string, Prepared>();
  #models: ModelsInUse | undefined;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  /** Embeds the texts that are not prepared yet. Throws `EMBEDDING_FAILED`. */
  async prepare(texts: readonly string[]): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => !this.#prepared.has(text));
    if (missing.length === 0) return;
    const models = (this.#models ??= await modelsInUse(this.#embedder));
    const needsBoth = models.other !== undefined || models.needsOther;
    const [embeddings, others] = needsBoth
      ? await Promise.all([embed(models.active, missing), embedInOther(models, missing)])
      : [await embed(models.active, missing), []];
    embeddings.forEach((embedding, index) =>
      this.#prepared.set(missing[index] ?? '', { embedding, otherEmbedding: others[index] }),
    );
  }

  /** The embeddings that belong to the new state of an entry; none where the old ones still hold. */
  for(transition: Transition): Pick<EntryWrite, 'embedding' | 'otherEmbedding'> {
    const text = neededText(transition);
    return text === undefined ? NOTHING : this.#of(text);
  }

  /** Asks for all that a batch needs at once: one text after the other would run its transaction once for each. */
  assertPrepared(transitions: readonly Transition[]): void {
    const needed = transitions.map(neededText).filter((text) => text !== undefined);
    const missing = needed.filter((text) => !this.#prepared.has(text));
    if (missing.length > 0) throw new UnpreparedEmbedding(missing);
  }

  /** The embedding of a text, within a transaction that runs under {@link retrying}. */
  of(text: string): Embedding {
    return this.#of(text).embedding;
  }

  /**
   * Runs a transaction that takes its vectors from here. What is stored may change between preparing and running;
   * then the transaction asks for a text that was not embedded, leaves no trace, and runs again once it is. The same
   * where the model was changed meanwhile.
   */
  async retrying<T>(transaction: () => Promise<T>): Promise<T> {
    for (let changes = 0; ;) {
      try {
        return await transaction();
      } catch (error) {
        if (error instanceof UnpreparedEmbedding) await this.prepare(error.texts);
        else if (!(error instanceof OutdatedSpaces)) throw error;
        else if (changes++ < MAX_CHANGES) await this.#prepareAnew();
        else throw new LaminaError('UNAVAILABLE', 'The embedding model is being changed.', { cause: error });
      }
    }
  }

  #of(text: string): Prepared {
    const prepared = this.#prepared.get(text);
    if (prepared === undefined) throw new UnpreparedEmbedding([text]);
    return prepared;
  }

  async #prepareAnew(): Promise<void> {
    this.#models = await modelsInUse(this.#embedder, true);
    const texts = [...this.#prepared.keys()];
    this.#prepared.clear();
    await this.prepare(texts);
  }
}

async function embed(embedder: Embedder, texts: readonly string[]): Promise<Embedding[]> {
  const vectors = await embedder.embed(texts);
  const space = await embedder.space();
  return vectors.map((vector) => ({ space, vector }));
}

/** Empty if the other model fails or is late: a write does not depend on it, unless it is about to become active. */
async function embedInOther({ other, needsOther }: ModelsInUse, texts: readonly string[]): Promise<Embedding[]> {
  if (needsOther && other === undefined) {
    throw new LaminaError('EMBEDDING_FAILED', 'The embedding model is being changed to one that cannot be had here.');
  }
  if (other === undefined) return [];
  const embeddings = embed(other, texts);
  return needsOther ? embeddings : inTime(embeddings, PATIENCE_MS).catch(() => []);
}

function neededText({ entry, previous }: Transition): string | undefined {
  const text = embeddedText(entry);
  return previous !== null && embeddedText(previous) === text ? undefined : text;
}
