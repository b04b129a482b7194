/** One HTTP request to the MCP server: it gets its own server, bound to the caller and discarded after the answer. */

import { createMcpHandler, type McpRequestContext, type McpServer } from '@modelcontextprotocol/server';
import { asLaminaError } from '../domain/error.ts';
import { createMcpServer, type McpOptions } from './create-mcp-server.ts';
import { LISTEN_METHOD, ResourceChanges } from './resource-changes.ts';

export interface McpExchangeOptions extends McpOptions {
  /** How often a quiet stream sends a heartbeat. */
  readonly heartbeatMs: number;
}

export interface McpExchange {
  /** The answer, in JSON or as a stream. The body has already been read and parsed. Never throws. */
  answer(request: Request, body: unknown): Promise<Response>;
  /** Ends a stream, and tells the listener. */
  close(): Promise<void>;
}

/**
 * No session is kept, as the protocol has it since 2026-07-28: nothing to bind, to limit or to expire, and any node can
 * answer. Clients of older revisions are served the same way, but cannot subscribe, because they have no stream.
 */
export function createMcpExchange(options: McpExchangeOptions): McpExchange {
  const { context, report, heartbeatMs } = options;
  const changes = new ResourceChanges(context.memory, report);
  const factory = ({ era }: McpRequestContext): McpServer => {
    const isModern = era === 'modern';
    return createMcpServer(options, { subscribe: isModern, listChanged: isModern });
  };
  const handler = createMcpHandler(factory, {
    bus: changes,
    keepAliveMs: heartbeatMs,
    // Mostly refused requests; failures on our side have already been reported.
    onerror: () => {},
  });
  return {
    answer: async (request, body) => {
      try {
        if (isListen(body)) await changes.begin();
        return await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
      } catch (thrown) {
        report(asLaminaError(thrown, 'mcp'));
        return new Response(null, { status: 500 });
      }
    },
    close: async () => {
      await handler.close();
      changes.close();
    },
  };
}

/** Whether it subscribes to changes. */
function isListen(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === LISTEN_METHOD;
}
