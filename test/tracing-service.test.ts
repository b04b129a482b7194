/** Traces and metrics of the service as it is configured: over HTTP in, over OTLP and /metrics out. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfiguration } from '../src/compose/configuration.ts';
import { startService, type Service } from '../src/compose/service.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { caller, type Call } from './http-caller.ts';
import { Listener } from './server-sent-events.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { attributesOf, startTraceReceiver, type ReceivedSpan, type TraceReceiver } from './trace-receiver.ts';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const SECRETS = ['private-person', 'private-key', 'private-words', '11111111-1111-4111-8111-111111111111'];
const HEADERS = { 'X-User-ID': 'private-person', 'X-Tenant-ID': '11111111-1111-4111-8111-111111111111' };
const ERROR = 2;

let [folder, url] = ['', ''];
let [receiver, embeddings]: [TraceReceiver?, EmbeddingServer?] = [];
let service: Service;
let call: Call;
let metrics = '';

function spansOf(traceId: string): ReceivedSpan[] {
  return (receiver?.spans ?? []).filter((span) => span.traceId === traceId);
}

/** All of a service's life happens once; then it is looked at what was told of it. */
beforeAll(async () => {
  folder = await makeFolder();
  receiver = await startTraceReceiver();
  embeddings = await startEmbeddingServer();
  const environment = {
    ...embeddings.environment,
    LAMINA_PORT: '0',
    LAMINA_DATABASE_URL: `sqlite:${folder}`,
    LAMINA_MAINTENANCE_SCHEDULE: 'off',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  };
  service = await startService(parseConfiguration({ environment }), { version: '1.2.3', logger: { level: 'silent' } });
  ({ url } = service);
  call = caller(url, HEADERS);
  await call('PUT', '/v1/memory/working/p/private-key', { value: 1 });
  await call('POST', '/v1/memory/entries', { content: 'private-words', layer: 'user' });
  await call('POST', '/v1/memory/entries/search', { query: 'private-words' }, { traceparent: TRACEPARENT });
  await call('PUT', '/v1/memory/working/p/private-key', { value: 2 }, { 'If-Match': '"999"' });
  await call('POST', '/v1/memory/maintenance/integrity', {}, { 'X-Roles': 'admin' });
  const listener = new Listener(`${url}/v1/memory/events`, HEADERS);
  await listener.until(() => listener.text.includes('id:'));
  await call('POST', '/v1/memory/entries', { content: 'private-words again', layer: 'user' });
  await listener.until(() => listener.events.length > 0);
  await call('GET', '/nothing/private-key');
  ({ text: metrics } = await call('GET', '/metrics'));
  listener.close();
  await service.close();
});

afterAll(async () => {
  await receiver?.close();
  embeddings?.close();
  await removeFolder(folder);
});

describe('a trace of the service', () => {
  it('goes from the request over the operation to the engine and the model, and continues that of the caller', () => {
    const spans = spansOf(CALLER.traceId);
    const named = (name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
    const [request] = named('POST /v1/memory/entries/search');
    expect(request).toMatchObject({ parentSpanId: CALLER.spanId, kind: 2 });
    const [search] = named('search');
    expect(search?.parentSpanId).toBe(request?.spanId);
    for (const name of ['entries.candidates', 'entries.textStatistics']) {
      expect(
        named(name).map(({ parentSpanId }) => parentSpanId),
        name,
      ).toContain(search?.spanId);
    }
    const rest = spans.filter((span) => span !== request && span !== search);
    expect(rest.every(({ parentSpanId }) => parentSpanId === search?.spanId)).toBe(true);
    expect(attributesOf(request as ReceivedSpan)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/memory/entries/search',
      'http.response.status_code': 200,
    });
  });

  it('is one per request', () => {
    const requests = (receiver?.spans ?? []).filter(({ kind }) => kind === 2);
    expect(requests.map(({ name }) => name).toSorted()).toEqual([
      'GET /v1/memory/events',
      'POST /v1/memory/entries',
      'POST /v1/memory/entries',
      'POST /v1/memory/entries/search',
      'POST /v1/memory/maintenance/:job',
      'PUT /v1/memory/working/:plan_id/:key',
      'PUT /v1/memory/working/:plan_id/:key',
    ]);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(requests.length);
    // Nothing is a trace of its own that nobody asked for.
    const roots = (receiver?.spans ?? []).filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.every(({ kind }) => kind === 2)).toBe(true);
  });

  it('is continued by the model, which is told of it', () => {
    const embed = (receiver?.spans ?? []).find(({ name }) => name === 'embed');
    expect(embeddings?.traceparents).toContain(`00-${embed?.traceId}-${embed?.spanId}-01`);
  });

  it('is marked by a failure, with the code and no more', () => {
    const failed = (receiver?.spans ?? []).filter(({ status }) => status?.code === ERROR);
    expect(failed.map(({ name }) => name).toSorted()).toEqual(['state.write', 'working.set']);
    expect(failed.map((span) => attributesOf(span)['error.type'])).toEqual(['VERSION_CONFLICT', 'VERSION_CONFLICT']);
    // The caller's mistake, not ours.
    const request = spansOf(failed[0]?.traceId ?? '').find(({ kind }) => kind === 2);
    expect(attributesOf(request as ReceivedSpan)['http.response.status_code']).toBe(409);
    expect(request?.status?.code).not.toBe(ERROR);
  });

  it('of a stream ends when it is opened', () => {
    const opened = (receiver?.spans ?? []).find(({ name }) => name === 'events.follow');
    const names = spansOf(opened?.traceId ?? '').map(({ name }) => name);
    expect(names.toSorted()).toEqual(['GET /v1/memory/events', 'events.follow', 'events.head']);
  });

  it('names nobody and nothing, and says who sent it', () => {
    expect(receiver?.paths.every((path) => path === 'POST /v1/traces')).toBe(true);
    const text = receiver?.text() ?? '';
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).toContain('{"key":"service.name","value":{"stringValue":"lamina"}}');
  });
});

describe('the metrics of the service', () => {
  it('count requests by method, route and status, with the time that they took', () => {
    const count = (method: string, route: string, status: number): string =>
      `http_server_request_duration_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`;
    expect(metrics).toContain(`${count('POST', '/v1/memory/entries', 201)} 2`);
    expect(metrics).toContain(`${count('PUT', '/v1/memory/working/:plan_id/:key', 409)} 1`);
    expect(metrics).toContain(`${count('GET', 'unknown', 404)} 1`);
    // It is still being followed, but it was opened.
    expect(metrics).toContain(`${count('GET', '/v1/memory/events', 200)} 1`);
  });

  it('tell of embeddings, commits, streams, maintenance and the process', () => {
    expect(metrics).toMatch(/^lamina_embedding_texts_total\{source="model"\} [1-9]/m);
    expect(metrics).toMatch(/^lamina_embedding_texts_total\{source="cache"\} 1$/m);
    expect(metrics).toMatch(/^lamina_embedding_duration_count [1-9]/m);
    expect(metrics).toMatch(/^lamina_commit_duration_count [1-9]/m);
    expect(metrics).toMatch(/^lamina_commit_writes_sum [1-9]/m);
    expect(metrics).toMatch(/^lamina_commit_pending 0$/m);
    expect(metrics).toMatch(/^lamina_touches_pending \d/m);
    expect(metrics).toMatch(/^lamina_streams_open\{operation="events.follow"\} 1$/m);
    expect(metrics).toMatch(/^lamina_maintenance_runs_total\{job="integrity",status="completed"\} 1$/m);
    expect(metrics).toMatch(/^nodejs_eventloop_delay_p99 \d/m);
    expect(metrics).toMatch(/^process_memory_usage\{kind="rss"\} [1-9]/m);
  });

  it('have labels with few values: no tenant, user, key or text', () => {
    for (const secret of SECRETS) expect(metrics).not.toContain(secret);
  });
});
