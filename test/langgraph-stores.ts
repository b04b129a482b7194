/** The stores that the tests of the LangGraph adapter run over: LangGraph's own in memory, and ours, embedded and remote. */

import { randomUUID } from 'node:crypto';
import { Embeddings } from '@langchain/core/embeddings';
import { InMemoryStore, type BaseStore } from '@langchain/langgraph-checkpoint';
import { LaminaClient } from '../src/client/index.ts';
import { LaminaStore, type LaminaStoreOptions } from '../src/langgraph/index.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openLamina, serveLamina, type OpenLamina, type ServedLamina } from './running-lamina.ts';

/** The deterministic embedder as LangChain has them. */
class HashEmbeddings extends Embeddings {
  readonly #embedder = new HashEmbedder();

  constructor() {
    super({});
  }

  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return (await this.#embedder.embed(texts)).map((vector) => [...vector]);
  }

  override async embedQuery(text: string): Promise<number[]> {
    const [vector = []] = await this.embedDocuments([text]);
    return vector;
  }
}

export interface Stores {
  readonly opened: OpenLamina;
  /** Somebody's memory; without a name somebody's who was not there before. */
  memory(userId?: string): Memory;
  remoteMemory(userId?: string): Memory;
  inMemory(fields?: string[]): InMemoryStore;
  close(): Promise<void>;
}

export async function openStores(): Promise<Stores> {
  const opened = await openLamina();
  const served: ServedLamina = await serveLamina(opened.lamina);
  const client = new LaminaClient({ url: served.url });
  return {
    opened,
    memory: (userId = randomUUID()) => opened.lamina.as({ userId }),
    remoteMemory: (userId = randomUUID()) => client.as({ userId }),
    inMemory: (fields) =>
      new InMemoryStore({ index: { dims: 64, embeddings: new HashEmbeddings(), ...(fields && { fields }) } }),
    close: async () => {
      await served.close();
      await opened.close();
    },
  };
}

/** Each store by its name, empty, and found by the text at these fields. */
export const STORES: Readonly<Record<string, (stores: Stores, fields?: string[]) => BaseStore>> = {
  InMemoryStore: (stores, fields) => stores.inMemory(fields),
  'LaminaStore, embedded': (stores, fields) => new LaminaStore(stores.memory(), optionsOf(fields)),
  'LaminaStore, remote': (stores, fields) => new LaminaStore(stores.remoteMemory(), optionsOf(fields)),
};

function optionsOf(fields: string[] | undefined): LaminaStoreOptions {
  return fields ? { index: fields } : {};
}
