/** Stands in for a collector of traces: takes what is exported over OTLP/HTTP as JSON, and keeps its spans. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { readonly stringValue?: string; readonly intValue?: string | number };

interface KeyValue {
  readonly key: string;
  readonly value: Value;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export interface TraceReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that came, as it came. */
  readonly text: () => string;
  readonly paths: readonly string[];
  close(): Promise<void>;
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const [texts, paths]: [string[], string[]] = [[], []];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    texts.push(body);
    paths.push(`${request.method} ${request.url}`);
    const { resourceSpans } = JSON.parse(body) as Export;
    for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    paths,
    text: () => texts.join('\n'),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function attributesOf({ attributes }: ReceivedSpan): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  );
}
