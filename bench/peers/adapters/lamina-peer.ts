/** Lamina embedded, with its own defaults; on a folder or on PostgreSQL. */

import { Lamina } from '../../../src/compose/lamina.ts';
import type { LaminaOptions } from '../../../src/compose/lamina-options.ts';
import type { Memory } from '../../../src/operations/memory.ts';
import { RESULTS, type OpenPeer, type Peer } from '../peer.ts';

async function openLamina(options: LaminaOptions): Promise<Peer> {
  const lamina = await Lamina.open(options);
  const memories = new Map<string, Memory>();
  const memoryOf = (userId: string): Memory => {
    const memory = memories.get(userId) ?? lamina.as({ userId });
    memories.set(userId, memory);
    return memory;
  };
  return {
    add: (userId, text) => memoryOf(userId).add({ content: text, layer: 'user' }),
    searches: [
      {
        by: 'words + vectors',
        // Without a threshold, so that each search finds its ten and has to fetch them.
        find: async (userId, query) => {
          const { results } = await memoryOf(userId).search({ query, limit: RESULTS, threshold: 0 });
          return results.map(({ memory }) => memory.content);
        },
      },
    ],
    close: () => lamina.close(),
  };
}

export const openLaminaOnSqlite: OpenPeer = ({ folder, vectors }) => openLamina({ folder, embedder: vectors.embedder });

export const openLaminaOnPostgres: OpenPeer = ({ databaseUrl, vectors }) => {
  if (databaseUrl === undefined) throw new Error('Lamina on PostgreSQL needs a database.');
  return openLamina({ database: databaseUrl, embedder: vectors.embedder });
};
