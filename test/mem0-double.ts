/** Stands in for mem0 servers: answers in the shapes that their public documentation shows. No mem0 runs here. */

import { randomUUID } from 'node:crypto';
import { startJsonServer, wordOverlap, type JsonAnswer, type JsonRequest, type JsonServer } from './json-server.ts';

export const MEM0_KEY = 'm0-secret-0123456789';

interface Row {
  readonly id: string;
  memory: string;
  metadata: Record<string, unknown>;
  readonly entities: Readonly<Record<string, string>>;
  readonly created_at: string;
  updated_at: string | null;
}

const ENTITIES = ['user_id', 'agent_id', 'run_id', 'app_id'];
const NOT_FOUND: JsonAnswer = { status: 404, body: { detail: 'Memory not found!' } };

/** A memory as both servers show it. */
function shown(row: Row, score?: number): object {
  const nobody = { user_id: null, agent_id: null, run_id: null, app_id: null };
  const { id, memory, metadata, created_at, updated_at, entities } = row;
  const hash = Buffer.from(memory).toString('hex').slice(0, 32);
  const rest = { metadata, created_at, updated_at, categories: [], ...(score !== undefined && { score }) };
  return { id, memory, hash, ...nobody, ...entities, ...rest };
}

class Mem0Rows {
  readonly rows: Row[] = [];

  add(body: JsonRequest['body']): Row | undefined {
    const [message] = body['messages'] as { readonly content: string }[];
    const entities = Object.fromEntries(ENTITIES.flatMap((name) => (name in body ? [[name, String(body[name])]] : [])));
    // There is no language model here that could infer anything.
    if (message === undefined || Object.keys(entities).length === 0 || body['infer'] !== false) return undefined;
    const metadata = (body['metadata'] ?? {}) as Record<string, unknown>;
    const now = new Date().toISOString();
    const row: Row = {
      id: randomUUID(),
      memory: message.content,
      metadata,
      entities,
      created_at: now,
      updated_at: null,
    };
    this.rows.push(row);
    return row;
  }

  find(path: string): Row | undefined {
    const id = path.split('/').findLast((part) => part !== '');
    return this.rows.find((row) => row.id === id);
  }

  update(row: Row, body: JsonRequest['body']): void {
    row.memory = String(body['text']);
    row.metadata = (body['metadata'] ?? {}) as Record<string, unknown>;
    row.updated_at = new Date().toISOString();
  }

  remove(row: Row): void {
    this.rows.splice(this.rows.indexOf(row), 1);
  }

  search(body: JsonRequest['body'], passes: (row: Row) => boolean): object {
    const query = String(body['query']);
    const scored = this.rows.filter(passes).map((row) => ({ row, score: wordOverlap(query, row.memory) }));
    const found = scored.filter(({ score }) => score > 0 && score >= Number(body['threshold'] ?? 0.1));
    const best = found.toSorted((a, b) => b.score - a.score).slice(0, Number(body['top_k'] ?? 10));
    return { results: best.map(({ row, score }) => shown(row, score)) };
  }
}

function has(row: Row, conditions: object): boolean {
  return Object.entries(conditions).every(([name, value]) => (row.entities[name] ?? row.metadata[name]) === value);
}

interface ServerOptions {
  /** As vector stores behind it do that know nothing but entities. */
  readonly ignoresMetadata?: boolean;
}

/** The open source server: no version in its paths, `X-API-Key`, `null` for a memory that is not there. */
export function startMem0Server({ ignoresMetadata = false }: ServerOptions = {}): Promise<JsonServer> {
  const memories = new Mem0Rows();
  return startJsonServer((request) => {
    const { method, path, query, body } = request;
    if (path === '/openapi.json') return { body: { openapi: '3.1.0', info: { title: 'Mem0 REST APIs' } } };
    if (request.headers['x-api-key'] !== MEM0_KEY) return { status: 401, body: { detail: 'Invalid API key.' } };
    if (path === '/search') {
      const filters = Object.entries(body['filters'] as object);
      const used = filters.filter(([name]) => !ignoresMetadata || ENTITIES.includes(name));
      return { body: memories.search(body, (row) => has(row, Object.fromEntries(used))) };
    }
    if (path === '/memories' && method === 'POST') {
      const row = memories.add(body);
      if (row === undefined) return { status: 400, body: { detail: 'At least one identifier is required.' } };
      return { body: { results: [{ id: row.id, memory: row.memory, event: 'ADD', actor_id: null, role: 'user' }] } };
    }
    if (path === '/memories') {
      const { top_k = '100', ...entities } = Object.fromEntries(query);
      const rows = memories.rows.filter((row) => has(row, entities)).slice(0, Number(top_k));
      return { body: { results: rows.map((row) => shown(row)) } };
    }
    const row = memories.find(path);
    if (method === 'GET') return { body: row ? shown(row) : 'null' };
    if (row === undefined) return { status: 500, body: { detail: 'Memory with id not found' } };
    if (method === 'PUT') memories.update(row, body);
    else memories.remove(row);
    return { body: { message: method === 'PUT' ? 'Memory updated successfully!' : 'Memory deleted successfully' } };
  });
}

/** The hosted platform: `/v1` and `/v3`, `Authorization: Token`, pages, 404 for a memory that is not there. */
export function startMem0Platform(): Promise<JsonServer> {
  const memories = new Mem0Rows();
  return startJsonServer((request) => {
    const { method, path, query, body } = request;
    if (request.headers.authorization !== `Token ${MEM0_KEY}`)
      return { status: 401, body: { detail: 'Invalid token.' } };
    if (path === '/v1/ping/') return { body: { status: 'ok', org_id: 'org', project_id: 'proj' } };
    if (path === '/v1/memories/' && method === 'POST') {
      if (body['async_mode'] !== false) return { body: { status: 'PENDING', event_id: randomUUID() } };
      const row = memories.add(body);
      if (row === undefined) return { status: 400, body: { error: '400 Bad Request' } };
      return { body: { results: [{ id: row.id, event: 'ADD', data: { memory: row.memory } }] } };
    }
    if (path.startsWith('/v3/')) {
      if (ENTITIES.some((name) => name in body)) return { status: 400, body: { error: 'Use filters.' } };
      const conditions = (body['filters'] as { AND: readonly Record<string, unknown>[] }).AND;
      const passes = (row: Row): boolean =>
        conditions.every(({ metadata, ...entities }) => has(row, (metadata as object | undefined) ?? entities));
      return {
        body:
          path === '/v3/memories/search/' ? memories.search(body, passes) : page(memories.rows.filter(passes), query),
      };
    }
    const row = memories.find(path);
    if (row === undefined) return NOT_FOUND;
    if (method === 'GET') return { body: shown(row) };
    if (method === 'PUT') memories.update(row, body);
    else memories.remove(row);
    return { body: { message: 'Memory deleted successfully!' } };
  });
}

function page(rows: readonly Row[], query: URLSearchParams): object {
  const [number, size] = [Number(query.get('page') ?? 1), Number(query.get('page_size') ?? 100)];
  const end = number * size;
  const next = end < rows.length ? `https://elsewhere.example/v3/memories/?page=${number + 1}` : null;
  return { count: rows.length, next, previous: null, results: rows.slice(end - size, end).map((row) => shown(row)) };
}
