/** Mastra's memory on LibSQL: messages of one thread per user, found by semantic recall over all of a user's. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MastraDBMessage } from '@mastra/core/agent';
import { LibSQLStore, LibSQLVector } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import type { CachedVectors } from '../cached-vectors.ts';
import { RESULTS, type OpenPeer } from '../peer.ts';

/** The cached vectors as a model of the AI SDK. */
function embeddingModel(vectors: CachedVectors) {
  return {
    specificationVersion: 'v2' as const,
    provider: 'bench',
    modelId: 'sum-of-words',
    maxEmbeddingsPerCall: 100,
    supportsParallelCalls: true,
    doEmbed: async ({ values }: { readonly values: readonly string[] }) => ({
      embeddings: values.map((text) => vectors.numbersOf(text)),
    }),
  };
}

function threadOf(userId: string): string {
  return `thread of ${userId}`;
}

function messageOf(userId: string, text: string): MastraDBMessage {
  return {
    id: randomUUID(),
    role: 'user',
    createdAt: new Date(),
    threadId: threadOf(userId),
    resourceId: userId,
    content: { format: 2, parts: [{ type: 'text', text }] },
  };
}

function textOf({ content }: MastraDBMessage): string {
  return content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export const openMastra: OpenPeer = async ({ folder, vectors, users }) => {
  const url = `file:${join(folder, 'mastra.db')}`;
  const storage = new LibSQLStore({ id: 'storage', url });
  const vector = new LibSQLVector({ id: 'vector', url });
  const memory = new Memory({
    storage,
    vector,
    embedder: embeddingModel(vectors),
    options: {
      // Only what is found: no latest messages, and no neighbours of those that are found.
      lastMessages: false,
      semanticRecall: { topK: RESULTS, messageRange: 0, scope: 'resource' },
    },
  });
  for (const userId of users) await memory.createThread({ resourceId: userId, threadId: threadOf(userId) });
  return {
    add: (userId, text) => memory.saveMessages({ messages: [messageOf(userId, text)] }),
    searches: [
      {
        by: 'vectors',
        find: async (userId, query) => {
          const { messages } = await memory.recall({
            threadId: threadOf(userId),
            resourceId: userId,
            vectorSearchString: query,
          });
          return messages.map(textOf);
        },
      },
    ],
    close: async () => {
      await vector.close();
      await storage.close();
    },
  };
};
