/** Spans of the embedded library: to whom the program listens, parts of what, and nothing where nobody listens. */

import { registerHooks } from 'node:module';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAiEmbedder } from '../src/compose/embedders.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { openOtlpTracing } from '../src/telemetry/otlp-tracing.ts';
import { tracedStore } from '../src/telemetry/traced-store.ts';
import { hostTracing } from '../src/telemetry/open-telemetry-tracing.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { caller } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { startTraceReceiver } from './trace-receiver.ts';

interface Host {
  readonly spans: () => ReadableSpan[];
  readonly tracer: ReturnType<typeof trace.getTracer>;
}

/** As a program sets OpenTelemetry up for itself. */
function listen(sampler?: Sampler): Host {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(sampler && { sampler }),
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  onTestFinished(async () => {
    for (const api of [trace, context, propagation]) api.disable();
    manager.disable();
    await provider.shutdown();
  });
  return { spans: () => exporter.getFinishedSpans(), tracer: trace.getTracer('program') };
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span "${name}" among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;

describe('a program with a tracer provider of its own', () => {
  it('gets spans without configuring anything, also when it registers after the memory was opened', async () => {
    const { root } = untilTestEnds(await openLamina());
    await root.working.set({ planId: 'p', key: 'k', value: 1 });
    const { spans } = listen();
    await root.working.get({ planId: 'p', key: 'k' });
    const [get, read] = [named(spans(), 'working.get'), named(spans(), 'state.get')];
    expect(spans()).toHaveLength(2);
    expect([get.kind, read.kind]).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT]);
    expect(get.parentSpanContext).toBeUndefined();
    expect(read.parentSpanContext?.spanId).toBe(idOf(get));
    expect(read.attributes).toEqual({ 'db.system.name': 'sqlite', 'db.operation.name': 'state.get' });
  });

  it('has them as parts of its own', async () => {
    const { root } = untilTestEnds(await openLamina());
    const { spans, tracer } = listen();
    await tracer.startActiveSpan('turn', async (turn) => {
      await Promise.all([root.add({ content: 'tea', layer: 'user' }), root.search({ query: 'tea' })]);
      turn.end();
    });
    const turn = named(spans(), 'turn');
    expect(new Set(spans().map(traceOf))).toEqual(new Set([traceOf(turn)]));
    for (const name of ['add', 'search']) expect(named(spans(), name).parentSpanContext?.spanId).toBe(idOf(turn));
    expect(named(spans(), 'entries.transaction').parentSpanContext?.spanId).toBe(idOf(named(spans(), 'add')));
    expect(named(spans(), 'entries.candidates').parentSpanContext?.spanId).toBe(idOf(named(spans(), 'search')));
    expect(named(spans(), 'embed').attributes).toMatchObject({ 'lamina.embedding.texts': 1 });
  });

  it('sees a failure by its code, not by its words', async () => {
    const { root } = untilTestEnds(await openLamina());
    const { spans } = listen();
    const change = root.update({ id: '01990b2e-6f3a-7000-8000-0000000000aa', content: 'secret' });
    await expect(change).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    const span = named(spans(), 'update');
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.attributes).toEqual({ 'error.type': 'MEMORY_NOT_FOUND' });
    expect(span.events).toEqual([]);
  });

  it('is the parent where it traces requests itself, else the header is', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const tracing = hostTracing();
    const observer = { begin: tracing.request.bind(tracing), ended: () => {} };
    const { url } = untilTestEnds(await serveLamina(lamina, { observer }));
    const { spans } = listen();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const answer = await caller(url)('GET', '/v1/memory/working/p/k', undefined, { traceparent });
    expect(answer.status).toBe(404);
    const request = named(spans(), 'GET /v1/memory/working/:plan_id/:key');
    expect(request.parentSpanContext?.spanId).toBe('b'.repeat(16));
    expect(request.attributes['http.response.status_code']).toBe(404);
    expect(named(spans(), 'working.get').parentSpanContext?.spanId).toBe(idOf(request));
    const active = trace.setSpanContext(context.active(), {
      traceId: 'c'.repeat(32),
      spanId: 'd'.repeat(16),
      traceFlags: 1,
    });
    const inside = context.with(active, () => tracing.request('GET', '/x', { traceparent }));
    inside?.end(503);
    inside?.end(200);
    const own = named(spans(), 'GET /x');
    expect(own.parentSpanContext?.spanId).toBe('d'.repeat(16));
    expect([own.status.code, own.attributes['error.type']]).toEqual([SpanStatusCode.ERROR, '503']);
  });

  it('tells the provider of embeddings which trace it is a part of', async () => {
    const { environment, traceparents, close } = await startEmbeddingServer();
    onTestFinished(close);
    const folder = await makeFolder();
    const embedder = openAiEmbedder({ baseUrl: environment['LAMINA_OPENAI_BASE_URL'] ?? '', apiKey: 'none' });
    const lamina = await Lamina.open({ folder, embedder });
    onTestFinished(async () => {
      await lamina.close();
      await removeFolder(folder);
    });
    await lamina.as({ userId: 'u' }).add({ content: 'before', layer: 'user' });
    expect(traceparents).toEqual([]);
    const { spans } = listen();
    await lamina.as({ userId: 'u' }).add({ content: 'after', layer: 'user' });
    const embed = named(spans(), 'embed');
    expect(traceparents).toEqual([`00-${traceOf(embed)}-${idOf(embed)}-01`]);
  });

  it('gets nothing of what happens in the background, or while a stream is followed', async () => {
    const { lamina, root } = untilTestEnds(await openLamina());
    const { spans } = listen();
    const stop = new AbortController();
    const kept = lamina.keepUp({ roundMs: 10_000 }, stop.signal);
    const events = root.events.follow({ signal: stop.signal })[Symbol.asyncIterator]();
    const next = events.next();
    await root.events.position({});
    await root.add({ content: 'tea', layer: 'user' });
    expect((await next).value).toMatchObject({ type: 'created' });
    stop.abort();
    await Promise.all([kept, events.return?.()]);
    const roots = spans().filter(({ parentSpanContext }) => parentSpanContext === undefined);
    expect(roots.map(({ name }) => name).toSorted()).toEqual(['add', 'events.follow', 'events.position']);
    const opening = spans().filter((span) => traceOf(span) === traceOf(named(spans(), 'events.follow')));
    expect(opening.map(({ name }) => name)).toEqual(['events.head', 'events.follow']);
  });

  it('asks nobody to continue what it does not record', async () => {
    listen(new AlwaysOffSampler());
    const tracing = hostTracing();
    expect(await tracing.span('nothing', async () => tracing.headers())).toEqual({});
  });
});

describe('where nobody listens', () => {
  it('nothing is begun, carried or sent', async () => {
    const tracing = hostTracing();
    expect([tracing.isOn, tracing.headers(), tracing.request('GET', '/', {})]).toEqual([false, {}, null]);
    const work = async (): Promise<number> => 1;
    expect(tracing.span('x', work)).not.toBe(undefined);
    expect(await tracing.call('x', {}, work)).toBe(1);
  });

  it('a store is called as it is: with its arguments, its defaults and its self', async () => {
    class Store {
      readonly #name = 'store';
      async get(key: string, limit = 7): Promise<string> {
        return `${this.#name} ${key} ${limit}`;
      }
      name(): string {
        return this.#name;
      }
      touch(): string {
        return this.#name;
      }
    }
    const store = tracedStore('s', 'sqlite', new Store(), hostTracing());
    expect([await store.get('k'), await store.get('k', 2), store.touch()]).toEqual(['store k 7', 'store k 2', 'store']);
    expect(store.name()).toBe('store');
    const { spans } = listen();
    expect([await store.get('k'), store.touch()]).toEqual(['store k 7', 'store']);
    // Only what is a part of something is a span.
    expect(spans()).toEqual([]);
    await hostTracing().span('op', () => store.get('k'));
    expect(await hostTracing().span('op', async () => `${store.name()} ${store.touch()}`)).toBe('store store');
    expect(spans().map(({ name }) => name)).toEqual(['s.get', 'op', 's.name', 'op']);
  });
});

describe('a collector', () => {
  it('that is configured without what is needed to reach it stops the start, which says what to install', async () => {
    const missing = registerHooks({
      resolve: (specifier, importing, next) => {
        if (specifier === '@opentelemetry/exporter-trace-otlp-http') throw new Error('Cannot find package');
        return next(specifier, importing);
      },
    });
    onTestFinished(() => missing.deregister());
    const opening = openOtlpTracing({ url: 'http://127.0.0.1:1', ratio: 1, version: '1' });
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining(
        'npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http',
      ) as string,
    });
  });

  it('that is not there loses traces and nothing else, and does not hold up the end', async () => {
    const { tracing, close } = await openOtlpTracing({ url: 'http://127.0.0.1:1', ratio: 1, version: '1' });
    expect(await tracing.span('x', async () => tracing.headers()['traceparent'])).toMatch(/^00-\w{32}-\w{16}-01$/);
    await close();
  });

  it('is sent the share that is wanted, and what a caller wants', async () => {
    const receiver = untilTestEnds(await startTraceReceiver());
    const { tracing, close } = await openOtlpTracing({ url: `${receiver.url}/v1/traces`, ratio: 0, version: '1' });
    expect(await tracing.span('x', async () => tracing.headers())).toEqual({});
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const request = tracing.request('GET', '/', { traceparent });
    expect(request?.within(() => tracing.headers()['traceparent'])).toMatch(new RegExp(`^00-${'a'.repeat(32)}-`));
    request?.end(200);
    await close();
    expect(receiver.spans.map(({ name, traceId }) => [name, traceId])).toEqual([['GET /', 'a'.repeat(32)]]);
    expect(receiver.paths).toEqual(['POST /v1/traces']);
  });
});
