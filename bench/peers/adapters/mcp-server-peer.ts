/** The reference memory server of the Model Context Protocol, asked as a client would: over stdio, one call at a time. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { RESULTS, type OpenPeer } from '../peer.ts';

interface Entity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

/** It finds what contains the query as it stands, so a whole question finds nothing: a client asks for a word. */
function keywordOf(query: string): string {
  return query.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

export const openMcpServer: OpenPeer = async ({ folder }) => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    stderr: 'ignore',
  });
  await client.connect(transport);
  let count = 0;
  return {
    add: async (userId, text) => {
      count += 1;
      const entity: Entity = { name: `${userId} memory ${count}`, entityType: userId, observations: [text] };
      const { isError } = await client.callTool({ name: 'create_entities', arguments: { entities: [entity] } });
      if (isError === true) throw new Error('The server refused an entity.');
    },
    searches: [
      {
        by: 'a word, literally',
        // Whoever asks, the server looks through everything: what it answers is taken as it comes.
        find: async (_userId, query) => {
          const { structuredContent } = await client.callTool({
            name: 'search_nodes',
            arguments: { query: keywordOf(query) },
          });
          const { entities } = structuredContent as { readonly entities: readonly Entity[] };
          return entities.slice(0, RESULTS).map(({ observations }) => observations.join(' '));
        },
      },
    ],
    close: () => client.close(),
  };
};
