/**
 * A small stand-in for Qdrant: keeps points in memory and answers those requests of its REST protocol that Lamina makes, as
 * strictly as the real one. Not a Qdrant: no graph, no disk, no cluster.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Payload = Readonly<Record<string, unknown>>;

interface Point {
  readonly id: string;
  readonly vector: readonly number[];
  readonly payload: Payload;
}

interface Collection {
  readonly size: number;
  readonly points: Map<string, Point>;
  /** Fields that have an index. */
  readonly indexed: Set<string>;
}

interface Condition {
  readonly key: string;
  readonly match: { readonly value?: string; readonly any?: readonly string[] };
}

interface Body {
  readonly [field: string]: unknown;
  readonly filter?: { readonly must: readonly Condition[] };
  readonly limit?: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class QdrantServer {
  readonly collections = new Map<string, Collection>();
  /** What was asked, as `POST query`, in order. */
  readonly requests: string[] = [];
  /** While true, connections are cut. */
  isDown = false;
  /** While true, it takes the points of entries and keeps none. */
  isForgetful = false;
  /** While set, requests must carry it. */
  apiKey: string | undefined;
  /** Called before a request is answered, for tests that let something happen in between. */
  before: ((request: string) => Promise<void> | void) | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<QdrantServer> {
    const server = new QdrantServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Of all collections. */
  points(): Point[] {
    return [...this.collections.values()].flatMap(({ points }) => [...points.values()]);
  }

  /** Those that stand for entries. */
  entryIds(): string[] {
    const ids = this.points().map(({ payload }) => payload['entry_id']);
    return ids.filter((id) => typeof id === 'string');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const [, , collection = '', ...rest] = pathname.split('/').map(decodeURIComponent);
    const asked = `${request.method} ${rest.at(-1) ?? (collection === '' ? 'collections' : 'collection')}`;
    const body = await bodyOf(request);
    if (this.isDown) return void request.socket.destroy();
    this.requests.push(asked);
    await this.before?.(asked);
    try {
      if (this.apiKey !== undefined && request.headers['api-key'] !== this.apiKey) throw new Refusal(403, 'Forbidden');
      if (!pathname.startsWith('/collections')) throw new Refusal(404, 'Not found');
      send(response, 200, { result: this.#do(asked, collection, body), status: 'ok', time: 0 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, error.status, { status: { error: error.message }, time: 0 });
    }
  }

  #do(asked: string, name: string, body: Body): unknown {
    switch (asked) {
      case 'GET collections':
        return { collections: [...this.collections.keys()].map((each) => ({ name: each })) };
      case 'GET exists':
        return { exists: this.collections.has(name) };
      case 'PUT collection':
        return this.#create(name, body);
      case 'DELETE collection':
        return this.collections.delete(name);
      default:
        return this.#on(asked, this.#collection(name), body);
    }
  }

  #on(asked: string, collection: Collection, body: Body): unknown {
    const done = { operation_id: 1, status: 'completed' };
    switch (asked) {
      case 'PUT index':
        collection.indexed.add(String(body['field_name']));
        return done;
      case 'PUT points':
        for (const point of pointsIn(body, collection.size)) {
          if (!this.isForgetful || 'progress' in point.payload) collection.points.set(point.id, point);
        }
        return done;
      case 'POST points':
        return (body['ids'] as string[]).flatMap((id) => shown(collection.points.get(id), body));
      case 'POST delete':
        for (const id of idsIn(collection, body)) collection.points.delete(id);
        return done;
      case 'POST count':
        return { count: matching(collection, body).length };
      case 'POST scroll':
        return scroll(collection, body);
      case 'POST query':
        return { points: query(collection, body) };
      default:
        throw new Refusal(404, `The stand-in does not know ${asked}.`);
    }
  }

  #create(name: string, body: Body): boolean {
    if (this.collections.has(name)) throw new Refusal(409, `Collection \`${name}\` already exists!`);
    const { size, distance } = body['vectors'] as { size: number; distance: string };
    if (distance !== 'Cosine' || !Number.isInteger(size)) throw new Refusal(422, 'vectors');
    this.collections.set(name, { size, points: new Map(), indexed: new Set() });
    return true;
  }

  #collection(name: string): Collection {
    const collection = this.collections.get(name);
    if (collection === undefined) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
    return collection;
  }
}

function pointsIn(body: Body, size: number): Point[] {
  const points = body['points'] as Point[];
  for (const { id, vector } of points) {
    if (!UUID.test(id)) throw new Refusal(400, `value ${id} is not a valid point ID`);
    if (vector.length !== size) throw new Refusal(400, `expected dim: ${size}, got ${vector.length}`);
  }
  return points;
}

function idsIn(collection: Collection, body: Body): string[] {
  if (body.filter) return matching(collection, body).map(({ id }) => id);
  return body['points'] as string[];
}

/** In the order of their ids, as Qdrant scrolls. */
function matching({ points, indexed }: Collection, { filter }: Body): Point[] {
  const must = filter?.must ?? [];
  const unindexed = must.find(({ key }) => !indexed.has(key));
  if (unindexed) throw new Refusal(400, `Index required but not found for "${unindexed.key}"`);
  return [...points.values()]
    .filter(({ payload }) =>
      must.every(({ key, match: { value, any } }) => (any ?? [value]).some((wanted) => wanted === payload[key])),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function scroll(collection: Collection, body: Body): unknown {
  const { limit = 10 } = body;
  const from = (body['offset'] as string | undefined) ?? '';
  const found = matching(collection, body).filter(({ id }) => id >= from);
  return {
    points: found.slice(0, limit).flatMap((point) => shown(point, body)),
    next_page_offset: found[limit]?.id ?? null,
  };
}

function query(collection: Collection, body: Body): unknown[] {
  const wanted = body['query'] as number[];
  if (wanted.length !== collection.size) throw new Refusal(400, 'Wrong input: Vector dimension error');
  return matching(collection, body)
    .map((point) => ({ point, score: cosine(point.vector, wanted) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, body.limit ?? 10)
    .flatMap(({ point, score }) => shown(point, body).map((each) => ({ ...each, version: 0, score })));
}

/** With as much of the payload as was asked for. */
function shown(point: Point | undefined, body: Body): { id: string; payload: Payload }[] {
  if (point === undefined) return [];
  const wanted = body['with_payload'];
  const fields = Object.entries(point.payload).filter(([key]) => wanted === true || (wanted as string[]).includes(key));
  return [{ id: point.id, payload: Object.fromEntries(fields) }];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, each, i) => sum + each * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Body);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
