/** The OpenSpec protocol over HTTP: both prefixes, its headers, its shapes, its stream. */

import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { highlight } from '../src/core/openspec/highlight.ts';
import { distanceOf } from '../src/core/openspec/query.ts';
import type { Follow } from '../src/operations/table.ts';
import type { ServerDependencies } from '../src/server/dependencies.ts';
import { caller, type Call } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { Listener } from './server-sent-events.ts';

const PREFIXES = ['/openspec/v1/knowledge', '/api/v1/knowledge'] as const;
const [PREFIX, ALIAS] = PREFIXES;
const ABSENT = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

interface Started extends OpenLamina {
  readonly url: string;
  readonly call: Call;
}

async function started(
  dependencies: (opened: OpenLamina) => Partial<ServerDependencies> = () => ({}),
): Promise<Started> {
  const opened = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(opened.lamina, { version: '7.8.9', ...dependencies(opened) }));
  return { ...opened, url, call: caller(url) };
}

const HEADERS = { 'x-provider-version': '7.8.9', 'x-rate-limit-remaining': '2147483647', 'x-rate-limit-reset': '0' };

function expectHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(HEADERS)) expect(headers.get(name), name).toBe(value);
  expect(headers.get('x-request-id')).toMatch(/./);
}

describe.each(PREFIXES)('the endpoints under %s', (prefix) => {
  it('do what the protocol says, in its shapes', async () => {
    const { call } = await started();
    const discovered = await call('GET', prefix);
    expect(discovered.json.provider).toMatchObject({
      name: 'Lamina',
      capabilities: { query: {}, storage: {}, metadata: {}, streaming: {} },
      limits: { max_entry_size: 32768, max_batch_size: 1000, max_embeddings_dim: 64 },
      features: { semantic_search: true, hybrid_search: true, cross_layer_query: true, versioning: true },
    });
    const entry = {
      content: 'The kettle is blue.',
      metadata: { title: 'Kettle', language: 'en', tags: ['tea'], importance: 0.9, custom: { someKey: { n: 1 } } },
      source: { type: 'web_scrape', identifier: 'https://example.org', version: '2', provider_id: 'crawler' },
      access_policy: 'organization',
    };
    const created = await call('POST', `${prefix}/create`, { entry });
    expect([created.status, created.json.status, created.etag]).toEqual([201, 'created', '"1"']);
    expect(created.json.entry).toMatchObject({ ...entry, version: 1, metadata: { ...entry.metadata, confidence: 1 } });
    const { id } = created.json.entry;

    // An entry may be sent back as it came.
    const echoed = await call('PUT', `${prefix}/${id}`, { entry: created.json.entry }, { 'If-Match': '"1"' });
    expect([echoed.status, echoed.json]).toEqual([200, { entry: created.json.entry, status: 'updated' }]);
    const change = {
      entry: { metadata: { title: null, custom: { more: true } } },
      options: { generate_embedding: true },
    };
    const updated = await call('PUT', `${prefix}/${id}`, change);
    expect(updated.json.entry).toMatchObject({ version: 2, source: entry.source });
    expect(updated.json.entry.metadata).toEqual({
      language: 'en',
      tags: ['tea'],
      importance: 0.9,
      confidence: 1,
      custom: { someKey: { n: 1 }, more: true },
    });
    expect(updated.json.entry.embedding).toHaveLength(64);
    expect((await call('PUT', `${prefix}/${id}`, change, { 'If-Match': '"1"' })).status).toBe(409);

    const query = { query: 'blue kettle', filters: { tags: ['tea'], custom_filters: { more: true } } };
    const found = await call('POST', `${prefix}/query`, query);
    expect(found.json.metadata).toMatchObject({ total_results: 1, layers_queried: ['user', 'company'] });
    expect(found.json.results[0]).toMatchObject({
      entry: { id },
      distance: expect.any(Number) as number,
      highlight: { content: ['The **kettle** is **blue**.'] },
    });

    const metadata = await call('GET', `${prefix}/${id}/metadata?include_custom=false`);
    expect(metadata.json).toMatchObject({ entry_id: id, source: entry.source });
    expect(metadata.json.metadata).not.toHaveProperty('custom');
    expect(metadata.json.version_history.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(metadata.text).not.toContain('blue');

    const batch = {
      operation: 'upsert',
      entries: [{ id, content: 'The kettle is green.' }, { entry: { content: 'New.' } }],
    };
    expect((await call('POST', `${prefix}/batch`, batch)).json).toMatchObject({
      status: 'completed',
      results: { succeeded: 2, failed: 0, errors: [] },
    });
    expect((await call('DELETE', `${prefix}/${id}`)).json).toEqual({ deleted: true, entry_id: id });
    expect((await call('DELETE', `${prefix}/${id}`)).status).toBe(404);
  });

  it('carry the headers of the protocol, also when they fail', async () => {
    const { call } = await started();
    const answers = [
      await call('GET', prefix),
      await call('POST', `${prefix}/query`, { query: '' }),
      await call('GET', `${prefix}/${ABSENT}/metadata`),
      await call('PUT', `${prefix}/${ABSENT}`, { entry: {} }),
      await call('POST', `${prefix}/create`, 'no json'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404, 400]);
    for (const { headers } of answers) expectHeaders(headers);
    expect(answers[3]?.json).toMatchObject({
      code: 'MEMORY_NOT_FOUND',
      operation: 'openspec.update',
      retryable: false,
    });
    expect((await call('GET', '/v1/memory/entries?layer=user')).headers.has('x-provider-version')).toBe(false);
  });

  it('stream entries, and resume after Last-Event-ID with nothing lost or twice', async () => {
    const { call, url, root } = await started(() => ({ heartbeatMs: 20 }));
    const first = new Listener(`${url}${prefix}/stream?type=updates&format=sse`);
    await first.until(({ text }) => text.includes('\n:\n\n'));
    for (const [name, value] of Object.entries(HEADERS))
      expect(first.text.toLowerCase()).toContain(`${name}: ${value}`);
    const { json } = await call('POST', `${prefix}/create`, {
      entry: { content: 'tea', access_policy: 'organization' },
    });
    await first.until(({ events }) => events.length === 1);
    expect(first.events[0]).toMatchObject({ event: 'created', data: { entry: json.entry, entry_id: json.entry.id } });
    first.close();
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await root.add({ content: `more ${n}`, layer: 'company' })).memory.id);
    await call('DELETE', `${prefix}/${json.entry.id}`);
    const second = new Listener(`${url}${prefix}/stream`, { 'Last-Event-ID': first.events[0]?.id ?? '' });
    await second.until(({ events }) => events.length === 4);
    const told = second.events.map(({ event, data }) => [event, (data as unknown as { entry_id: string }).entry_id]);
    expect(told).toEqual([...ids.map((id) => ['created', id]), ['deleted', json.entry.id]]);
    second.close();
    expect((await call('GET', `${prefix}/stream?after=nowhere`)).status).toBe(400);
  });
});

describe('a query', () => {
  it('is paged, and counts over all pages', async () => {
    const { call, root } = await started();
    await root.addMany(Array.from({ length: 12 }, (_, n) => ({ content: `The kettle number ${n}.`, layer: 'user' })));
    const page = async (options: object): Promise<{ ids: string[]; total: number }> => {
      const body = { query: 'kettle', options: { distance_threshold: 2, ...options } };
      const { json } = await call('POST', `${PREFIX}/query`, body, { 'X-User-ID': 'root' });
      const ids = json.results.map(({ entry }: { entry: { id: string } }) => entry.id);
      return { ids, total: json.metadata.total_results };
    };
    const { ids, total } = await page({ limit: 12 });
    expect([new Set(ids).size, total]).toEqual([12, 12]);
    expect(await page({ limit: 5, offset: 5 })).toEqual({ ids: ids.slice(5, 10), total: 12 });
    expect(await page({ limit: 5, offset: 5, top_k: 7 })).toEqual({ ids: ids.slice(5, 7), total: 7 });
    expect(await page({ top_k: 3 })).toEqual({ ids: ids.slice(0, 3), total: 3 });
    expect((await page({})).ids).toHaveLength(10);
    expect((await page({ offset: 12 })).ids).toEqual([]);
  });

  it('leaves out content, gives vectors, and measures distance as asked', async () => {
    const { call, root } = await started();
    await root.add({ content: 'The kettle is blue.', layer: 'company' });
    const ask = async (options: object): Promise<Record<string, unknown>[]> =>
      (await call('POST', `${PREFIX}/query`, { query: 'The kettle is blue.', options })).json.results;
    const [bare] = await ask({ include_content: false, include_embeddings: true });
    expect(bare?.['entry']).not.toHaveProperty('content');
    expect(bare).not.toHaveProperty('highlight');
    expect(bare).toHaveProperty('entry.embedding.length', 64);
    expect((await ask({ distance_threshold: 0.01, distance_metric: 'euclidean' })).length).toBe(1);
    const far = { query: 'red teapot', options: { distance_threshold: 0.01 } };
    expect((await call('POST', `${PREFIX}/query`, far)).json.results).toEqual([]);
    expect([distanceOf(1, 'cosine'), distanceOf(0, 'euclidean'), distanceOf(0.25, 'dot')]).toEqual([
      0,
      Math.SQRT2,
      0.75,
    ]);
  });

  it('refuses what does not fit, naming the field as the protocol does', async () => {
    const { call } = await started();
    const refused = async (path: string, body: object): Promise<string> => {
      const { status, json } = await call('POST', PREFIX + path, body);
      expect(status).toBe(400);
      return `${json.code} ${json.message}`;
    };
    expect(await refused('/query', { query: 'x', layer: { types: ['Nowhere'] } })).toMatch(/INVALID_LAYER.*Semantic/);
    expect(await refused('/query', { query: 'x', filters: { access_policy: 'mine' } })).toContain(
      'filters.access_policy',
    );
    const entry = { content: 'x', metadata: { custom: { author: 'ada' } } };
    expect(await refused('/create', { entry })).toContain('metadata.author');
    expect(await refused('/create', { entry: { ...entry, metadata: { custom: { 'openspec.x': 1 } } } })).toContain(
      'own to write',
    );
    expect(await refused('/create', { entry: { metadata: {} } })).toContain('entry.content');
  });
});

describe('a highlight', () => {
  it('is the passage with most of the words, marked', () => {
    const filler = 'lorem ipsum '.repeat(60);
    const text = `A kettle. ${filler}Here kettles boil water. ${filler}`;
    const passage = highlight(text, 'boiling water in a kettle') ?? '';
    expect(passage).toContain('**kettles** **boil** **water**');
    expect(passage).toMatch(/^….*…$/);
    expect(passage.length).toBeLessThan(300);
    expect(highlight('A kettle.', 'teapot')).toBeUndefined();
  });
});

describe('a batch', () => {
  it('has room for 1,000 entries and not one more', async () => {
    const { call, embedder } = await started();
    const entries = Array.from({ length: 1000 }, (_, n) => ({ content: `Number ${n}.`, access_policy: 'shared' }));
    // The last one fails alone; those beside it do not.
    entries.splice(999, 1, { content: '', access_policy: 'shared' });
    const body = { operation: 'create', entries, options: { continue_on_error: true } };
    const { json } = await call('POST', `${ALIAS}/batch`, body);
    expect([json.status, json.results.succeeded, json.results.failed]).toEqual(['completed', 999, 1]);
    expect(json.results.entries.map(({ index }: { index: number }) => index)).toEqual([...Array(999).keys()]);
    expect(json.results.errors).toMatchObject([{ index: 999, code: 'VALIDATION_FAILED' }]);
    expect(embedder.texts).toBe(999);
    const ids = json.results.entries.map(({ id }: { id: string }) => ({ id }));
    const deleted = await call('POST', `${ALIAS}/batch`, { operation: 'delete', entries: ids });
    expect(deleted.json.results).toMatchObject({ succeeded: 999, failed: 0 });
    const tooMany = await call('POST', `${ALIAS}/batch`, { ...body, entries: [...entries, entries[0]] });
    expect([tooMany.status, tooMany.json.details]).toEqual([413, { limit: 1000, actual: 1001 }]);
  });
});

/** How many pages have been taken out of the log. */
function countingPages({ lamina }: OpenLamina, count: () => void): Partial<ServerDependencies> {
  return {
    followAs: (principal) => {
      const follow = lamina.followAs(principal);
      const counted: Follow = async function* (...given) {
        for await (const page of follow(...given)) {
          count();
          yield page;
        }
      };
      return counted;
    },
  };
}

it('the stream reads no further ahead than somebody listens', { timeout: 60_000 }, async () => {
  let pages = 0;
  const { url, root } = await started((opened) => countingPages(opened, () => (pages += 1)));
  const { position } = await root.events.position({});
  const entries = Array.from({ length: 1000 }, (_, n) => ({
    content: `Number ${n}.`,
    accessPolicy: 'organization' as const,
    metadata: { custom: { blob: 'x'.repeat(50_000) } },
  }));
  await root.openspec.batch({ operation: 'create', entries });
  const response = await new Promise<IncomingMessage>((resolve) => {
    get(`${url}${PREFIX}/stream?after=${encodeURIComponent(position)}`, resolve);
  });
  // Nobody reads: it fills what lies between and stops.
  for (let before = -1; before !== pages;) {
    before = pages;
    await setTimeout(150);
  }
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThan(8);
  const heard: string[] = [];
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    text += String(piece);
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    heard.push(
      ...lines.filter((line) => line.startsWith('data: ')).map((line) => /Number (\d+)\./.exec(line)?.[1] ?? ''),
    );
    if (heard.length === entries.length) break;
  }
  expect(heard).toEqual(entries.map((_, n) => String(n)));
});

it('the OpenAPI document has both prefixes, each operation under an id of its own', async () => {
  const { call } = await started();
  const { json } = await call('GET', '/openapi.json');
  for (const path of ['', '/query', '/create', '/{id}', '/batch', '/stream', '/{id}/metadata']) {
    const [one, other] = PREFIXES.map((prefix) => json.paths[prefix + path]);
    expect(Object.keys(one)).toEqual(Object.keys(other));
    for (const method of Object.keys(one)) {
      expect(other[method]).toMatchObject({
        operationId: `${one[method].operationId}Alias`,
        'x-alias-of': PREFIX + path,
      });
      expect(Object.keys(one[method].responses['200']?.headers ?? {})).toEqual(
        path === '/create'
          ? []
          : ['X-Request-ID', 'X-Provider-Version', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset'],
      );
    }
  }
});
