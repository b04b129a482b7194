/** Stands in for a reranker behind HTTP: judges texts as it is told to, and is slow or broken where a test tells it to be. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { wordOverlap } from './json-server.ts';

export interface RerankAsked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: string;
  readonly texts: readonly string[];
}

export interface RerankTrouble {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a proper answer. */
  readonly body?: string;
  readonly delayMs?: number;
  /** Never. */
  readonly isSilent?: boolean;
}

export interface RerankServer {
  readonly url: string;
  /** Everything that it was asked, without the questions by which it is measured. */
  readonly asked: RerankAsked[];
  /** All requests. */
  count: number;
  /** How many were given up by who asked. */
  abandoned: number;
  /** What goes wrong from now on. */
  trouble: RerankTrouble | undefined;
}

/** A judge is told a query and a text, and says between 0 and 1 how well it answers. */
export type Judge = (query: string, text: string) => number;

export type AnswerStyle = 'cohere' | 'voyage' | 'tei';

/** Models have scales of their own: what this one thinks little of it gives 0.02, and 0.4 at most. */
const compressed = (score: number): number => 0.02 + 0.38 * score;

function answerOf(style: AnswerStyle, scores: readonly number[]): unknown {
  // Best first, as they all do.
  const rows = scores.map((score, index) => ({ index, score })).toSorted((a, b) => b.score - a.score);
  if (style === 'tei') return rows;
  const named = rows.map(({ index, score }) => ({ index, relevance_score: score }));
  return style === 'voyage' ? { object: 'list', data: named, model: 'm' } : { id: 'x', results: named, meta: {} };
}

/** Closed when the test that runs now ends. */
export async function startRerankServer(
  judge: Judge = wordOverlap,
  { style = 'cohere', scale = compressed }: { style?: AnswerStyle; scale?: (score: number) => number } = {},
): Promise<RerankServer> {
  const state: Omit<RerankServer, 'url'> = { asked: [], count: 0, abandoned: 0, trouble: undefined };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const body = JSON.parse(text) as Record<string, unknown>;
    const query = String(body['query']);
    const texts = (body['documents'] ?? body['texts']) as string[];
    const isMeasuring = texts.some((each) => each.includes('sailing boat lies in a shed'));
    state.count += 1;
    if (!isMeasuring) state.asked.push({ url: request.url ?? '', headers: request.headers, body, query, texts });
    response.on('close', () => {
      if (!response.writableEnded) state.abandoned += 1;
    });
    const { status = 200, headers = {}, body: raw, delayMs = 0, isSilent = false } = state.trouble ?? {};
    if (isSilent) return;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    const judged = isMeasuring ? wordOverlap : judge;
    response.end(
      raw ??
        JSON.stringify(
          answerOf(
            style,
            texts.map((each) => scale(judged(query, each))),
          ),
        ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `http://127.0.0.1:${port}/v2` });
}
