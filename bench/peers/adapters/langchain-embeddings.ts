/** The cached vectors as LangChain's embeddings, which LangGraph and mem0 take. */

import { Embeddings } from '@langchain/core/embeddings';
import type { CachedVectors } from '../cached-vectors.ts';

export class LangchainEmbeddings extends Embeddings {
  readonly #vectors: CachedVectors;

  constructor(vectors: CachedVectors) {
    super({});
    this.#vectors = vectors;
  }

  override async embedQuery(text: string): Promise<number[]> {
    return this.#vectors.numbersOf(text);
  }

  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return texts.map((text) => this.#vectors.numbersOf(text));
  }
}
