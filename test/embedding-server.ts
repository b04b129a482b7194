/** Stands in for a provider of embeddings: for processes that a test starts, and in which no model has to be loaded. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

export interface EmbeddingServer {
  /** What a `lamina` process needs to be told to use it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The traces that requests said to be a part of. */
  readonly traceparents: readonly string[];
  close(): void;
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const embedder = new HashEmbedder();
  const traceparents: string[] = [];
  const server = createServer(async (request, response) => {
    const { traceparent } = request.headers;
    if (typeof traceparent === 'string') traceparents.push(traceparent);
    let body = '';
    for await (const piece of request) body += String(piece);
    const { input } = JSON.parse(body) as { readonly input: string[] };
    const vectors = await embedder.embed(input);
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: 'hash', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      LAMINA_EMBEDDINGS: 'openai',
      LAMINA_OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      LAMINA_OPENAI_API_KEY: 'none',
    },
    traceparents,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
