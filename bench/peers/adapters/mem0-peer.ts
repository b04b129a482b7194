/** mem0's open-source memory: texts stored as they are, in its default local store, on disk. */

import { join } from 'node:path';
import { Memory } from 'mem0ai/oss';
import { DIMENSIONS } from '../cached-vectors.ts';
import { RESULTS, type OpenPeer } from '../peer.ts';
import { LangchainEmbeddings } from './langchain-embeddings.ts';

export const openMem0: OpenPeer = async ({ folder, vectors }) => {
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model: new LangchainEmbeddings(vectors), embeddingDims: DIMENSIONS } },
    // Called "memory", it is a SQLite file all the same; by default in the home directory.
    vectorStore: { provider: 'memory', config: { dimension: DIMENSIONS, dbPath: join(folder, 'vector_store.db') } },
    historyDbPath: join(folder, 'memory.db'),
    // With `infer: false` the model is never asked, but there has to be one.
    llm: { provider: 'openai', config: { apiKey: 'not-used' } },
  });
  return {
    add: (userId, text) => memory.add(text, { userId, infer: false }),
    searches: [
      {
        by: 'words + vectors',
        find: async (userId, query) => {
          // Without a threshold, like Lamina.
          const { results } = await memory.search(query, { filters: { user_id: userId }, topK: RESULTS, threshold: 0 });
          return results.map((found) => found.memory);
        },
      },
    ],
    // It has nothing to close.
    close: () => {},
  };
};
