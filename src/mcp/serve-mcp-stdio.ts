/** The MCP server over standard input and output: one client, for as long as it stays. */

import type { Readable, Writable } from 'node:stream';
import type { McpServer, ServerEvent } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpOptions } from './create-mcp-server.ts';
import { ResourceChanges } from './resource-changes.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface StdioOptions extends McpOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Called with malformed messages. */
  readonly warn: (problem: string) => void;
}

export interface McpConnection {
  /** Resolves when the client has left. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves clients of every revision of the protocol; the first message tells which it is. */
export function serveMcpStdio(options: StdioOptions): McpConnection {
  const { context, stdin, stdout, warn, report } = options;
  const changes = new ResourceChanges(context.memory, report);
  const transport = new StdioTransport(stdin, stdout);
  let server: McpServer | undefined;
  const listen = once(() => changes.subscribe((event) => tell(server, event)));
  transport.onlisten = async () => {
    await changes.begin();
    listen();
  };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  transport.onend = resolve;
  const connection = serveStdio(
    ({ era }) => {
      const isModern = era === 'modern';
      server = createMcpServer(options, { subscribe: true, listChanged: isModern });
      if (!isModern) takeSubscriptions(server, changes);
      return server;
    },
    { transport, onerror: (error) => warn(error.message) },
  );
  return {
    ended,
    close: async () => {
      changes.close();
      await connection.close();
    },
  };
}

/** The transport filters the changes that a client of 2026 subscribed to. */
function tell(server: McpServer | undefined, event: ServerEvent): void {
  if (event.kind === 'resource_updated') void server?.server.sendResourceUpdated({ uri: event.uri }).catch(() => {});
  if (event.kind === 'resources_list_changed') void server?.server.sendResourceListChanged().catch(() => {});
}

/** Clients before 2026 subscribe to each resource by itself. */
function takeSubscriptions(server: McpServer, changes: ResourceChanges): void {
  const uris = new Set<string>();
  const begin = once(() =>
    changes.subscribe((event) => {
      if (event.kind === 'resource_updated' && uris.has(event.uri)) tell(server, event);
    }),
  );
  server.server.setRequestHandler('resources/subscribe', async ({ params }) => {
    await changes.begin();
    uris.add(params.uri);
    begin();
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri);
    return {};
  });
}

function once(work: () => unknown): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
