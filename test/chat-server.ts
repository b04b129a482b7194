/** Stands in for a provider of a language model: answers chat completions as it is told to. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatAsked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  /** What the user's message says. */
  readonly text: string;
}

export interface ChatAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a proper answer. */
  readonly body?: string;
  readonly text?: string;
  /** Never. */
  readonly isSilent?: boolean;
}

export interface ChatServer {
  readonly url: string;
  /** Everything that it was asked. */
  readonly asked: ChatAsked[];
  close(): Promise<void>;
}

export async function startChatServer(answer: (asked: ChatAsked, count: number) => ChatAnswer): Promise<ChatServer> {
  const asked: ChatAsked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
    const question = { url: request.url ?? '', headers: request.headers, model, text: messages.at(-1)?.content ?? '' };
    asked.push(question);
    const { status = 200, headers = {}, text = 'A summary.', body: raw, isSilent } = answer(question, asked.length);
    if (isSilent) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(raw ?? JSON.stringify(completion(`${model}-2026`, text)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function completion(model: string, content: string): object {
  return {
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}
