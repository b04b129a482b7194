/** Traces that this process sends itself, over OTLP/HTTP, to a collector. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import { LaminaError } from '../domain/error.ts';
import { OpenTelemetryTracing } from './open-telemetry-tracing.ts';

export interface OtlpOptions {
  /** The address of the collector, to which `/v1/traces` is added where it does not end so. */
  readonly url: string;
  /** The share of traces that are recorded, of those that begin here; whoever calls decides about theirs. */
  readonly ratio: number;
  readonly version: string;
}

export interface OtlpTracing {
  readonly tracing: OpenTelemetryTracing;
  /** Sends what is left, though a collector that does not answer holds nobody up. */
  close(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 5000;
const EXPORT_PAUSE_MS = 2000;
const CLOSE_TIMEOUT_MS = 2000;

const PACKAGES = '@opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http';

/** Throws `CONFIGURATION_ERROR` when the packages that it takes are not installed. Connects to nothing yet. */
export async function openOtlpTracing({ url, ratio, version }: OtlpOptions): Promise<OtlpTracing> {
  const { sdk, exporter, core, resources } = await load();
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'lamina', 'service.version': version })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url: tracesUrl(url), timeoutMillis: EXPORT_TIMEOUT_MS }),
        scheduledDelayMillis: EXPORT_PAUSE_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('lamina', version);
  const propagator = new core.W3CTraceContextPropagator();
  // Nothing global: two services in one process, or a host with a tracer of its own, are not in each other's way.
  const storage = new AsyncLocalStorage<Context>();
  const tracing = new OpenTelemetryTracing({
    tracer: () => tracer,
    contexts: {
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (context, work) => storage.run(context, work),
    },
    propagator: {
      extract: (context, headers) => propagator.extract(context, headers, defaultTextMapGetter),
      inject: (context, headers) => propagator.inject(context, headers, defaultTextMapSetter),
    },
  });
  // What could not be sent is lost, and no reason to fail.
  return { tracing, close: () => within(CLOSE_TIMEOUT_MS, provider.shutdown()).catch(() => {}) };
}

async function load() {
  try {
    const [sdk, exporter, core, resources] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ]);
    return { sdk, exporter, core, resources };
  } catch (cause) {
    throw new LaminaError('CONFIGURATION_ERROR', `Sending traces needs two packages: npm install ${PACKAGES}`, {
      cause,
    });
  }
}

function tracesUrl(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
