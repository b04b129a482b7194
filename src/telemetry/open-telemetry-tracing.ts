/** Traces with OpenTelemetry: which work is a part of which, carried along asynchronous calls and HTTP headers. */

import {
  context as contexts,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { LaminaError } from '../domain/error.ts';
import type { SpanAttributes, Tracing } from '../ports/telemetry.ts';

/** Where spans go, and how they find each other. */
export interface TracingParts {
  /** Undefined while nobody listens. */
  readonly tracer: () => Tracer | undefined;
  readonly contexts: { active(): Context; with<T>(context: Context, work: () => T): T };
  readonly propagator: {
    extract(context: Context, headers: unknown): Context;
    inject(context: Context, headers: Record<string, string>): void;
  };
}

/** A request over HTTP that is being answered. */
export interface RequestSpan {
  readonly traceId: string;
  within<T>(work: () => T): T;
  /** The first call counts. */
  end(status: number): void;
}

export class OpenTelemetryTracing implements Tracing {
  readonly #parts: TracingParts;

  constructor(parts: TracingParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#parts.tracer() !== undefined;
  }

  span<T>(name: string, work: () => Promise<T>): Promise<T> {
    const tracer = this.#parts.tracer();
    if (tracer === undefined) return work();
    return this.#run(tracer.startSpan(name, { kind: SpanKind.INTERNAL }, this.#parts.contexts.active()), work);
  }

  call<T>(name: string, attributes: SpanAttributes, work: () => T): T {
    const [tracer, active] = [this.#parts.tracer(), this.#parts.contexts.active()];
    // What is done in the background, for nobody in particular, would make a trace of each step.
    if (tracer === undefined || trace.getSpan(active)?.isRecording() !== true) return work();
    return this.#run(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, active), work);
  }

  outside<T>(work: () => T): T {
    return this.#parts.contexts.with(trace.deleteSpan(this.#parts.contexts.active()), work);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    const active = this.#parts.contexts.active();
    const spanContext = trace.getSpanContext(active);
    const isSampled = spanContext !== undefined && (spanContext.traceFlags & TraceFlags.SAMPLED) !== 0;
    if (isSampled) this.#parts.propagator.inject(active, headers);
    return headers;
  }

  /**
   * A request begins, as a part of what its headers name. Null while nobody listens. Where the program traces requests
   * itself, there is something under way already, and it is a part of that.
   */
  request(method: string, route: string, headers: unknown): RequestSpan | null {
    const { contexts: carried, propagator } = this.#parts;
    const tracer = this.#parts.tracer();
    if (tracer === undefined) return null;
    const active = carried.active();
    const parent = trace.getSpan(active) === undefined ? propagator.extract(active, headers) : active;
    const attributes: Attributes = { 'http.request.method': method, 'http.route': route };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    const own = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      within: (work) => carried.with(own, work),
      end: (status) => endRequest(span, status),
    };
  }

  /** The span ends with the work, which may be a promise or not. */
  #run<T>(span: Span, work: () => T): T {
    const own = trace.setSpan(this.#parts.contexts.active(), span);
    try {
      const result = this.#parts.contexts.with(own, work);
      if (result instanceof Promise)
        void result.then(
          () => span.end(),
          (error: unknown) => failed(span, error),
        );
      else span.end();
      return result;
    } catch (error) {
      failed(span, error);
      throw error;
    }
  }
}

/** The code and no more: messages name keys and values. */
function failed(span: Span, error: unknown): void {
  fail(span, error instanceof LaminaError ? error.code : '_OTHER');
  span.end();
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** What the caller did wrong is no failure of the server. */
function endRequest(span: Span, status: number): void {
  if (!span.isRecording()) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) fail(span, String(status));
  span.end();
}

/**
 * Spans go to whomever the program has registered with the OpenTelemetry API, at any time; until then nothing is done.
 * A program that registers a provider should register a context manager too: without one no span has a parent.
 */
export function hostTracing(): OpenTelemetryTracing {
  return new OpenTelemetryTracing({
    tracer: hostTracer,
    contexts,
    propagator: {
      extract: (context, headers) => propagation.extract(context, headers),
      inject: (context, headers) => propagation.inject(context, headers),
    },
  });
}

/** The API stands in for a provider until there is one; of that it says only whether it has somebody to ask. */
function hostTracer(): Tracer | undefined {
  const provider: TracerProvider & Partial<Delegating> = trace.getTracerProvider();
  return provider.getDelegateTracer === undefined ? provider.getTracer('lamina') : provider.getDelegateTracer('lamina');
}

interface Delegating {
  getDelegateTracer(name: string): Tracer | undefined;
}
