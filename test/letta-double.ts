/** Stands in for a Letta server: answers in the shapes that its public documentation shows. No Letta runs here. */

import { randomUUID } from 'node:crypto';
import { startJsonServer, wordOverlap, type JsonServer } from './json-server.ts';

export const LETTA_KEY = 'letta-secret-0123456789';
export const LETTA_AGENT = 'agent-123e4567-e89b-42d3-8456-426614174000';

const CHUNK = 4000;

/** The agent already has a passage of its own, which is nobody's memory here. */
export function startLettaServer(): Promise<JsonServer> {
  const passages = [passage('I should be more careful with lighthouses.', ['diary'])];
  const archival = `/v1/agents/${LETTA_AGENT}/archival-memory`;
  return startJsonServer(({ method, path, query, headers, body }) => {
    if (headers.authorization !== `Bearer ${LETTA_KEY}`) return { status: 401, body: { detail: 'Unauthorized' } };
    if (path === '/v1/passages/search') {
      const tags = body['tags'] as string[];
      const tagged = passages.filter((each) => tags.every((tag) => each.tags.includes(tag)));
      const hits = tagged.map((each) => ({
        passage: each,
        score: wordOverlap(String(body['query']), each.text),
        metadata: {},
      }));
      const found = hits.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
      return { body: found.slice(0, Number(body['limit'])) };
    }
    if (!path.startsWith(archival)) return { status: 404, body: { detail: 'Agent not found' } };
    if (method === 'POST') {
      const text = String(body['text']);
      const parts = Array.from({ length: Math.ceil(text.length / CHUNK) }, (_, at) =>
        text.slice(at * CHUNK, (at + 1) * CHUNK),
      );
      const added = parts.map((part) => passage(part, body['tags'] as string[]));
      passages.push(...added);
      return { body: added };
    }
    if (method === 'GET') {
      const newest = query.get('ascending') === 'false' ? passages.toReversed() : passages;
      const start = newest.findIndex(({ id }) => id === query.get('after')) + 1;
      return { body: newest.slice(start, start + Number(query.get('limit') ?? 100)) };
    }
    const at = passages.findIndex(({ id }) => path === `${archival}/${id}`);
    if (at < 0) return { status: 404, body: { detail: 'Passage not found' } };
    passages.splice(at, 1);
    return { body: { message: 'Memory successfully deleted' } };
  });
}

interface Passage {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly [field: string]: unknown;
}

function passage(text: string, tags: readonly string[]): Passage {
  return {
    id: `passage-${randomUUID()}`,
    text,
    tags,
    embedding: null,
    embedding_config: {
      embedding_model: 'text-embedding-3-small',
      embedding_dim: 1536,
      embedding_endpoint_type: 'openai',
    },
    archive_id: `archive-${randomUUID()}`,
    metadata: {},
    is_deleted: false,
    created_at: new Date().toISOString(),
    updated_at: null,
  };
}
