/** The OpenAI-compatible embedder against a local server that behaves well, badly and slowly. */

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { DEFAULT_RETRY_POLICY } from '../src/domain/retry.ts';
import { OpenAiEmbedder, type OpenAiOptions } from '../src/embedding/openai/openai-embedder.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

const KEY = 'sk-secret-0123456789';
const NOW = Date.parse('2026-01-01T00:00:00Z');

interface Request {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

type Answer = (request: Request, response: ServerResponse) => void | Promise<void>;

const model = new HashEmbedder({ dims: 8 });

const good: Answer = async ({ body }, response) => {
  const vectors = await model.embed(body.input);
  // Not of unit length and not in order: both are allowed.
  const data = vectors.map((vector, index) => ({ index, embedding: [...vector].map((value) => value * 3) }));
  response.end(JSON.stringify({ data: data.toReversed() }));
};

const status =
  (code: number, body: unknown = '', headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(code, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const data =
  (items: unknown): Answer =>
  (_request, response) => {
    response.end(JSON.stringify({ data: items }));
  };

let requests: Request[] = [];
let script: Answer[] = [];
let open = 0;
let mostOpen = 0;

/** Follows the script; past its end, answers well. */
const server = createServer((incoming, response) => void serve(incoming, response));

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  open += 1;
  mostOpen = Math.max(mostOpen, open);
  response.on('close', () => (open -= 1));
  response.setHeader('connection', 'close');
  const body = (await json(incoming)) as Request['body'];
  const request = { url: incoming.url, headers: incoming.headers, body };
  requests.push(request);
  await (script.shift() ?? good)(request, response);
}

function portOf(listening: Server): number {
  const address = listening.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

let slept: number[] = [];
let embedders: OpenAiEmbedder[] = [];

function embedder(options: Partial<OpenAiOptions> = {}): OpenAiEmbedder {
  const port = portOf(server);
  const clock = {
    now: () => NOW,
    sleep: async (ms: number) => {
      slept.push(ms);
    },
  };
  const made = new OpenAiEmbedder({
    clock,
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    apiKey: KEY,
    model: 'm',
    ...options,
  });
  embedders.push(made);
  return made;
}

async function failureOf(promise: Promise<unknown>): Promise<LaminaError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LaminaError)) throw new Error(`not a LaminaError: ${String(error)}`);
  expect(error.code).toBe('EMBEDDING_FAILED');
  expect(JSON.stringify(error) + String(error.cause)).not.toContain(KEY);
  return error;
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  await Promise.all(embedders.map((made) => made.close()));
  [requests, script, slept, embedders, mostOpen] = [[], [], [], [], 0];
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('an endpoint that behaves', () => {
  it('is asked as OpenAI documents it', async () => {
    await embedder().embed(['hello']);
    expect(requests[0]).toMatchObject({ url: '/v1/embeddings', headers: { authorization: `Bearer ${KEY}` } });
    expect(requests[0]?.body).toEqual({ model: 'm', input: ['hello'], encoding_format: 'float' });
  });

  it.each([undefined, '', '  '])('is asked without a key when there is none (%j)', async (apiKey) => {
    await embedder({ apiKey }).embed(['hello']);
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('gives vectors of unit length in the order of the texts', async () => {
    const texts = ['green tea', 'signing keys', 'green tea'];
    const vectors = await embedder().embed(texts);
    const expected = await model.embed(texts);
    for (const [index, vector] of vectors.entries()) {
      for (const [dimension, value] of vector.entries())
        expect(value).toBeCloseTo(expected[index]?.[dimension] ?? 9, 5);
    }
    expect(await embedder().embed([])).toEqual([]);
  });

  it('gets many texts in batches, a couple at a time', async () => {
    const texts = Array.from({ length: 1100 }, (_, index) => `text ${index}`);
    const second = Promise.withResolvers<void>();
    const first: Answer = async (request, response) => {
      await second.promise;
      await good(request, response);
    };
    script = [
      first,
      (request, response) => {
        second.resolve();
        return good(request, response);
      },
    ];
    const vectors = await embedder().embed(texts);
    expect(vectors).toHaveLength(1100);
    expect(vectors[700]).toEqual((await embedder().embed(['text 700']))[0]);
    const sizes = requests.map((request) => request.body.input.length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([256, 256, 256, 256, 76, 1]);
    expect(mostOpen).toBe(2);
  });

  it('gets long texts in smaller batches, and one that is too long for any alone', async () => {
    const texts = [...Array.from({ length: 5 }, () => 'word '.repeat(6000)), 'x'.repeat(70_000), 'end'];
    expect(await embedder().embed(texts)).toHaveLength(7);
    const sizes = requests.map((request) => request.body.input.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2, 2]);
  });

  it('is asked once for its dimensions and once for its calibration', async () => {
    const asking = embedder();
    const spaces = await Promise.all([asking.space(), asking.space()]);
    expect(spaces[1]).toEqual({ model: 'openai:m', dimensions: 8 });
    expect(requests).toHaveLength(1);
    const [calibration] = await Promise.all([asking.calibration(), asking.calibration()]);
    expect(requests).toHaveLength(2);
    expect(calibration.mean).toBeCloseTo((await model.calibration()).mean, 5);
    expect(calibration.deviation).toBeCloseTo((await model.calibration()).deviation, 5);
  });

  it('is asked again for its dimensions after a failure', async () => {
    script = [status(401)];
    const asking = embedder();
    await failureOf(asking.space());
    expect(await asking.space()).toMatchObject({ dimensions: 8 });
  });
});

describe('an endpoint with trouble', () => {
  it('is tried again after 500 and a broken connection, waiting longer each time', async () => {
    script = [status(500, 'oops'), (_request, response) => void response.destroy()];
    expect(await embedder().embed(['hello'])).toHaveLength(1);
    expect(slept).toEqual([1000, 2000]);
  });

  it('is given up after the attempts of the policy', async () => {
    script = [status(503), status(502)];
    const error = await failureOf(embedder({ retry: { ...DEFAULT_RETRY_POLICY, maxAttempts: 2 } }).embed(['hello']));
    expect(error.details).toMatchObject({ status: 502 });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['7', 7000],
    ['1.5', 1500],
    ['Thu, 01 Jan 2026 00:00:12 GMT', 12_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 1000],
    ['30', 30_000],
    ['soon', 1000],
  ])('is waited for as Retry-After says: %s', async (header, waited) => {
    script = [status(429, { error: { message: 'slow down' } }, { 'retry-after': header })];
    await embedder().embed(['hello']);
    expect(slept).toEqual([waited]);
  });

  it('is not asked again where Retry-After says longer than it would wait', async () => {
    script = [status(429, '', { 'retry-after': '86400' })];
    const error = await failureOf(embedder().embed(['hello']));
    expect(error.details).toMatchObject({ status: 429, retryAfterMs: 86_400_000 });
    expect([requests.length, slept]).toEqual([1, []]);
  });

  it('is an embedding failure also when it keeps limiting the rate', async () => {
    script = [status(429), status(429), status(429, '', { 'retry-after': '3' })];
    const error = await failureOf(embedder().embed(['hello']));
    expect(error.details).toMatchObject({ status: 429, retryAfterMs: 3000 });
  });

  it.each([
    [
      status(401, { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } }),
      'invalid_api_key',
    ],
    [status(403), 'API key'],
    [status(404, { error: { message: 'pull it first', code: null, type: 'not_found' } }), 'model'],
    [status(400, 'too long: the secret text'), 'longer than it takes'],
    [status(429, { error: { code: 'insufficient_quota' } }), 'quota'],
    [status(307, '', { location: 'http://127.0.0.1:9/embeddings' }), 'base URL'],
  ])('is not tried again when that cannot help (%#)', async (answer, hint) => {
    script = [answer];
    const error = await failureOf(embedder().embed(['hello']));
    expect(error.message).toContain(hint);
    expect(error.message).not.toContain('secret');
    expect(error.details).toMatchObject({ permanent: true });
    expect(requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  it('is not waited for beyond the timeout', async () => {
    script = [() => {}, (_request, response) => void response.write('{"data": [')];
    expect(await embedder({ timeoutMs: 50 }).embed(['hello'])).toHaveLength(1);
    script = [() => {}];
    const retry = { ...DEFAULT_RETRY_POLICY, maxAttempts: 1 };
    const error = await failureOf(embedder({ timeoutMs: 50, retry }).embed(['hello']));
    expect(error.message).toContain('50 ms');
  });

  it('that is not there is an embedding failure', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const port = portOf(gone);
    gone.close();
    await once(gone, 'close');
    await failureOf(embedder({ baseUrl: `http://127.0.0.1:${port}/v1` }).embed(['hello']));
    expect(slept).toEqual([1000, 2000]);
  });

  it.each([
    ['no JSON', status(200, '<html>')],
    ['nothing', status(200, '')],
    ['null', status(200, 'null')],
    ['no data', status(200, {})],
    ['no vectors', data([])],
    ['too few vectors', data([{ index: 0, embedding: [1, 0] }])],
    ['too many vectors', data([0, 1, 2].map((index) => ({ index, embedding: [1, 0] })))],
    ['an index twice', data([0, 0].map((index) => ({ index, embedding: [1, 0] })))],
    ['an index from elsewhere', data([0, 5].map((index) => ({ index, embedding: [1, 0] })))],
    ['an empty vector', data([0, 1].map((index) => ({ index, embedding: [] })))],
    ['a vector of zeros', data([0, 1].map((index) => ({ index, embedding: [0, 0] })))],
    ['a hole in a vector', data([0, 1].map((index) => ({ index, embedding: [1, null] })))],
    ['numbers past all bounds', status(200, '{"data":[{"embedding":[1e999,1]},{"embedding":[1,1]}]}')],
    ['text for a vector', data([0, 1].map((index) => ({ index, embedding: 'AACAPw==' })))],
    ['different dimensions', data([[1, 0], [1]].map((embedding, index) => ({ index, embedding })))],
    ['null for an item', data([null, null])],
  ])('never gets %s taken for an answer', async (_what, answer) => {
    script = [answer, answer, answer];
    await failureOf(embedder().embed(['hello', 'world']));
    script = [answer];
    expect(await embedder().embed(['hello', 'world'])).toHaveLength(2);
  });

  it('may leave out the index, if nothing else', async () => {
    script = [data([{ embedding: [1, 0] }, { embedding: [0, 1] }])];
    expect(await embedder().embed(['a', 'b'])).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  });

  it('may not change its dimensions', async () => {
    const asking = embedder();
    await asking.embed(['hello']);
    script = Array.from({ length: 3 }, () => data([{ index: 0, embedding: [1, 0] }]));
    expect((await failureOf(asking.embed(['world']))).message).toContain('2 dimensions after 8');
  });

  it('never gets a part of the vectors taken for all', async () => {
    script = [good, status(401)];
    const texts = Array.from({ length: 600 }, (_, index) => `text ${index}`);
    expect((await failureOf(embedder().embed(texts))).details).toMatchObject({ status: 401 });
  });
});

describe('an endpoint that keeps failing', () => {
  it('is left alone for a while: texts fail at once, without a request and without waiting', async () => {
    let now = NOW;
    const clock = { now: () => now, sleep: async (ms: number) => void slept.push(ms) };
    const asking = embedder({ clock });
    script = Array.from({ length: 100 }, () => status(503));
    await failureOf(asking.embed(['hello']));
    await failureOf(asking.embed(['hello']));
    expect([requests.length, slept]).toEqual([5, [1000, 2000, 1000]]);
    const error = await failureOf(asking.embed(['hello']));
    expect(error.details).toMatchObject({ retryAfterMs: 10_000, circuit: 'open' });
    expect(error.message).toContain('503');
    expect([requests.length, slept.length]).toEqual([5, 3]);
    now += 10_000;
    script = [];
    expect(await asking.embed(['hello'])).toHaveLength(1);
    expect(await asking.embed(['hello'])).toHaveLength(1);
  });

  it('that refuses the key is asked each time: it is alive, and answers at once', async () => {
    const asking = embedder();
    script = Array.from({ length: 10 }, () => status(401));
    for (let count = 0; count < 10; count += 1) await failureOf(asking.embed(['hello']));
    expect(requests).toHaveLength(10);
    expect(await asking.embed(['hello'])).toHaveLength(1);
  });

  it('is tried again after scattered waits', async () => {
    script = [status(500), status(500)];
    await embedder({ random: () => 0.5 }).embed(['hello']);
    expect(slept).toEqual([750, 1500]);
  });
});

describe('closing', () => {
  it('ends what is under way, and refuses what comes later', async () => {
    const arrived = Promise.withResolvers<void>();
    script = [() => arrived.resolve()];
    const closing = embedder();
    const failing = failureOf(closing.embed(['hello']));
    await arrived.promise;
    await closing.close();
    await failing;
    await failureOf(closing.embed(['hello']));
    expect(requests).toHaveLength(1);
  });

  it('ends waiting for the next attempt', async () => {
    const waiting = Promise.withResolvers<void>();
    script = [status(500)];
    const sleep = (): Promise<void> => {
      waiting.resolve();
      return new Promise(() => {});
    };
    const closing = embedder({ clock: { now: () => NOW, sleep } });
    const failing = failureOf(closing.embed(['hello']));
    await waiting.promise;
    await closing.close();
    expect((await failing).message).toContain('closed');
  });
});

describe('configuration that can never work', () => {
  it.each([
    { baseUrl: 'localhost:11434' },
    { baseUrl: 'ftp://example.com/v1' },
    { baseUrl: `https://user:${KEY}@example.com/v1` },
    { apiKey: `${KEY}\n${KEY}` },
    { apiKey: `${KEY}€` },
  ])('is refused at once (%#)', (options) => {
    expect(() => embedder(options)).toThrow(expect.objectContaining({ code: 'CONFIGURATION_ERROR' }));
    expect(() => embedder(options)).not.toThrow(KEY);
  });
});
