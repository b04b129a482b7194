/** Stands in for a provider of a multilingual model: what means the same has nearly the same vector in every language. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LANGUAGES } from '../bench/languages/sentences.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

const DIMENSIONS = 256;

/** How much of a vector is what is meant; the rest is how it is said. */
const MEANT = 0.9;

export interface MultilingualServer {
  readonly baseUrl: string;
  /** The texts that it was sent. */
  readonly texts: readonly string[];
  close(): void;
}

/** Knows the sentences of the benchmark by their number, and tells all others by their words. */
export async function startMultilingualServer(): Promise<MultilingualServer> {
  const words = new HashEmbedder({ dims: DIMENSIONS });
  const meanings = new Map(
    Object.values(LANGUAGES).flatMap((said) =>
      said.flatMap(({ memory, question }, index) => [[memory, index] as const, [question, index] as const]),
    ),
  );
  const vectorOf = async (text: string): Promise<number[]> => {
    const [said = new Float32Array()] = await words.embed([text]);
    const meaning = meanings.get(text);
    if (meaning === undefined) return [...said];
    const [meant = new Float32Array()] = await words.embed([`meaning-${meaning}`]);
    return [...said].map((value, index) => (meant[index] ?? 0) * MEANT + value * (1 - MEANT));
  };
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { input } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as { readonly input: string[] };
    texts.push(...input);
    const vectors = await Promise.all(input.map(vectorOf));
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: 'multilingual', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    texts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
