/** LangGraph's long-term memory: the store in memory, and the one on PostgreSQL with its default HNSW index. */

import { randomUUID } from 'node:crypto';
import { InMemoryStore } from '@langchain/langgraph';
import { PostgresStore } from '@langchain/langgraph-checkpoint-postgres/store';
import { DIMENSIONS } from '../cached-vectors.ts';
import { RESULTS, type OpenPeer } from '../peer.ts';
import { LangchainEmbeddings } from './langchain-embeddings.ts';

/** As in LangGraph's own examples: the user is a part of the namespace. */
function namespaceOf(userId: string): string[] {
  return ['memories', userId];
}

function textsOf(items: readonly { readonly value: Record<string, unknown> }[]): string[] {
  return items.map(({ value }) => String(value['text']));
}

export const openInMemoryStore: OpenPeer = async ({ vectors }) => {
  const index = { dims: DIMENSIONS, embeddings: new LangchainEmbeddings(vectors), fields: ['text'] };
  const store = new InMemoryStore({ index });
  return {
    add: (userId, text) => store.put(namespaceOf(userId), randomUUID(), { text }),
    searches: [
      {
        by: 'vectors',
        find: async (userId, query) => textsOf(await store.search(namespaceOf(userId), { query, limit: RESULTS })),
      },
    ],
    close: () => store.stop(),
  };
};

export const openPostgresStore: OpenPeer = async ({ databaseUrl, vectors }) => {
  if (databaseUrl === undefined) throw new Error('PostgresStore needs a database.');
  const index = { dims: DIMENSIONS, embed: new LangchainEmbeddings(vectors), fields: ['text'] };
  const store = PostgresStore.fromConnString(databaseUrl, { index });
  await store.setup();
  const inMode = (mode: 'vector' | 'hybrid') => async (userId: string, query: string) =>
    textsOf(await store.search(namespaceOf(userId), { query, limit: RESULTS, mode }));
  return {
    add: (userId, text) => store.put(namespaceOf(userId), randomUUID(), { text }),
    searches: [
      { by: 'vectors', find: inMode('vector') },
      { by: 'words + vectors', find: inMode('hybrid') },
    ],
    close: () => store.stop(),
  };
};
