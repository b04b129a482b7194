/** Stands in for a provider of several embedding models: `hash-64`, `hash-128` and so on, named by their dimensions. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

export interface ModelServer {
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds that every request takes. */
  delayMs: number;
  close(): void;
}

export async function startModelServer(): Promise<ModelServer> {
  const state = { delayMs: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const { input, model } = JSON.parse(body) as { readonly input: string[]; readonly model: string };
    const dims = Number(/^hash-(\d+)$/.exec(model)?.[1]);
    if (!(dims > 0)) return void response.writeHead(404).end('{}');
    if (state.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, state.delayMs));
    const vectors = await new HashEmbedder({ dims }).embed(input);
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model, data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    environment: {
      LAMINA_EMBEDDINGS: 'openai',
      LAMINA_EMBEDDING_MODEL: 'hash-64',
      LAMINA_OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      LAMINA_OPENAI_API_KEY: 'a-key-that-nobody-keeps',
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
