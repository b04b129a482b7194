/** The reranker over HTTP, against a double of the protocols: answers, failures, limits. */

import { describe, expect, it } from 'vitest';
import type { LaminaError } from '../src/domain/error.ts';
import { HttpReranker, type HttpRerankerOptions } from '../src/reranking/http/http-reranker.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { startRerankServer, type AnswerStyle, type RerankServer, type RerankTrouble } from './rerank-server.ts';

const KEY = 'very-secret-key';
const TEXTS = ['cats sleep', 'dogs bark at night', 'dogs sleep'];
const PATIENT = { signal: new AbortController().signal };

interface Asked {
  readonly reranker: HttpReranker;
  readonly server: RerankServer;
}

async function rerankerOn(
  options: Partial<HttpRerankerOptions> = {},
  style: AnswerStyle = 'cohere',
  trouble?: RerankTrouble,
): Promise<Asked> {
  const server = await startRerankServer(undefined, { style, scale: (score) => score });
  server.trouble = trouble;
  const clock = new ManualClock();
  return { reranker: new HttpReranker({ clock, baseUrl: server.url, model: 'm', apiKey: KEY, ...options }), server };
}

const failureOf = (call: Promise<unknown>): Promise<LaminaError> =>
  call.then(
    () => expect.fail('it answered'),
    (error: LaminaError) => error,
  );

describe('a reranker behind HTTP', () => {
  it.each(['cohere', 'voyage'] as const)('gives a score per text, in their order, as %s answers', async (style) => {
    const { reranker, server } = await rerankerOn({}, style);
    expect(await reranker.rerank('dogs sleep', TEXTS, PATIENT)).toEqual([0.5, 0.5, 1]);
    const [asked] = server.asked;
    expect([asked?.url, asked?.headers['authorization']]).toEqual(['/v2/rerank', `Bearer ${KEY}`]);
    expect(asked?.body).toEqual({ model: 'm', query: 'dogs sleep', documents: TEXTS });
  });

  it('speaks to text-embeddings-inference in its own words, and needs neither model nor key', async () => {
    const { reranker, server } = await rerankerOn({ api: 'tei', model: undefined, apiKey: undefined }, 'tei');
    expect(await reranker.rerank('dogs sleep', TEXTS, PATIENT)).toEqual([0.5, 0.5, 1]);
    expect(server.asked[0]?.body).toEqual({ query: 'dogs sleep', texts: TEXTS, truncate: true });
    expect(server.asked[0]?.headers['authorization']).toBeUndefined();
    // It refuses more than 32 texts at once.
    const many = await reranker.rerank(
      'dogs',
      Array.from({ length: 70 }, (_, at) => (at === 69 ? 'dogs' : 'cats')),
      PATIENT,
    );
    expect([many.length, many.indexOf(1)]).toEqual([70, 69]);
    const sizes = server.asked.slice(1).map(({ texts }) => texts.length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([32, 32, 6]);
  });

  it('takes the address also as providers print it, with /rerank', async () => {
    const { reranker, server } = await rerankerOn();
    const other = new HttpReranker({ clock: new ManualClock(), baseUrl: `${server.url}/rerank/` });
    await Promise.all([reranker, other].map((each) => each.rerank('dogs', TEXTS, PATIENT)));
    expect(server.asked.map(({ url }) => url)).toEqual(['/v2/rerank', '/v2/rerank']);
  });

  it('asks for nothing where there is nothing', async () => {
    const { reranker, server } = await rerankerOn();
    expect(await reranker.rerank('dogs', [], PATIENT)).toEqual([]);
    expect(server.count).toBe(0);
  });

  it('reads log odds where it is told so, and says so where it is not', async () => {
    const rows = [7.74, -11.02, 0].map((score, index) => ({ index, relevance_score: score }));
    const trouble = { body: JSON.stringify({ results: rows }) };
    const { reranker } = await rerankerOn({ scores: 'logit' }, 'cohere', trouble);
    const scores = await reranker.rerank('dogs', TEXTS, PATIENT);
    expect(scores.map((score) => score.toFixed(4))).toEqual(['0.9996', '0.0000', '0.5000']);
    const { reranker: plain } = await rerankerOn({}, 'cohere', trouble);
    expect((await failureOf(plain.rerank('dogs', TEXTS, PATIENT))).message).toContain('to logit');
  });

  it.each([
    '',
    '{',
    'null',
    '{}',
    '{"results":[]}',
    '{"results":[{"index":0,"relevance_score":"high"}]}',
    '{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1},{"index":1,"relevance_score":1}]}',
    '{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1},{"index":7,"relevance_score":1}]}',
    '{"results":[{"index":0},{"index":1},{"index":2}]}',
    '{"results":[{"index":-1,"relevance_score":1},{"index":1,"relevance_score":1},{"index":2,"relevance_score":1}]}',
    '{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1e999},{"index":2,"relevance_score":1}]}',
  ])('does not take %j for an answer', async (body) => {
    const { reranker } = await rerankerOn({}, 'cohere', { body });
    expect((await failureOf(reranker.rerank('dogs', TEXTS, PATIENT))).code).toBe('PROVIDER_ERROR');
  });

  it('does not read an answer without end', async () => {
    const { reranker } = await rerankerOn({}, 'cohere', { body: ' '.repeat(5_000_000) });
    expect((await failureOf(reranker.rerank('dogs', TEXTS, PATIENT))).message).toContain('without end');
  });

  it.each([
    [400, 'VALIDATION_FAILED', 1],
    [413, 'VALIDATION_FAILED', 1],
    [422, 'VALIDATION_FAILED', 1],
    [401, 'CONFIGURATION_ERROR', 1],
    [404, 'CONFIGURATION_ERROR', 1],
    [429, 'RATE_LIMITED', 2],
    [503, 'PROVIDER_ERROR', 2],
  ] as const)('%i is %s, and asked %i times, and its own words are not passed on', async (status, code, times) => {
    const { reranker, server } = await rerankerOn({}, 'cohere', { status, body: `no: ${KEY}, dogs bark` });
    const error = await failureOf(reranker.rerank('dogs', TEXTS, PATIENT));
    expect([error.code, server.count]).toEqual([code, times]);
    expect(JSON.stringify(error) + String(error.cause)).not.toMatch(/very-secret|dogs/);
  });

  it('follows no redirect', async () => {
    const other = await startRerankServer();
    const headers = { location: `${other.url}/rerank` };
    const { reranker } = await rerankerOn({}, 'cohere', { status: 307, headers });
    const error = await failureOf(reranker.rerank('dogs', TEXTS, PATIENT));
    expect([error.code, error.message]).toEqual(['CONFIGURATION_ERROR', expect.stringContaining('redirects')]);
    expect(other.count).toBe(0);
  });

  it('ends when nobody waits any longer, when it takes too long, and when it is closed', async () => {
    const { reranker, server } = await rerankerOn({ timeoutMs: 50 }, 'cohere', { isSilent: true });
    expect((await failureOf(reranker.rerank('dogs', TEXTS, PATIENT))).message).toContain('in time');
    const impatient = new AbortController();
    const { reranker: other } = await rerankerOn({ baseUrl: server.url });
    const waiting = failureOf(other.rerank('dogs', TEXTS, { signal: impatient.signal }));
    setTimeout(() => impatient.abort(), 20);
    expect((await waiting).message).toContain('in time');
    const last = failureOf(other.rerank('dogs', TEXTS, PATIENT));
    await other.close();
    expect((await last).message).toContain('closed');
    expect((await failureOf(other.rerank('dogs', TEXTS, PATIENT))).message).toContain('closed');
    await expect.poll(() => server.abandoned).toBe(server.count);
  });

  it.each(['', 'rerank', 'ftp://host/v1', 'https://user:pass@host/v1'])('refuses the address %j', (baseUrl) => {
    expect(() => new HttpReranker({ clock: new ManualClock(), baseUrl })).toThrow(/address of the reranker/);
  });

  it('refuses a key that no header can carry, without quoting it', () => {
    const make = (): HttpReranker =>
      new HttpReranker({ clock: new ManualClock(), baseUrl: 'http://h', apiKey: 'a\nb' });
    expect(make).toThrow(/^The API key of the reranker holds characters that no key can have\.$/);
  });
});
