/** The official MCP client on a `lamina mcp` process and on `/mcp`, in either era of the protocol. */

import { resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';

/** The revision before sessions went, and the one after. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const PROGRAM = resolve('bin/lamina.js');

function makeClient(revision: Revision): Client {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  return new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
}

export interface StdioClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** What the process has said on standard error. */
  stderr(): string;
}

/** Closed when the test ends. */
export async function connectStdio(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  revision: Revision = '2025-11-25',
): Promise<StdioClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const client = makeClient(revision);
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, transport, stderr: () => said };
}

/** Closed when the test ends. */
export async function connectHttp(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  revision: Revision = '2025-11-25',
): Promise<Client> {
  const client = makeClient(revision);
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } }));
  return client;
}

/** The structured output of a tool; a client that has listed the tools has held it to its schema. */
export async function output(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- each test looks at its own part
): Promise<any> {
  const result = await client.callTool({ name, arguments: input });
  expect(result.isError, `${name}: ${textOf(result)}`).not.toBe(true);
  expect(result.structuredContent, name).toBeTypeOf('object');
  expect(textOf(result)).not.toBe('');
  return result.structuredContent;
}

/** What a tool says that went wrong: the text for the model, and the error as data. */
export async function failure(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<{ readonly text: string; readonly code: unknown }> {
  const result = await client.callTool({ name, arguments: input });
  expect(result.isError, `${name}: ${textOf(result)}`).toBe(true);
  return { text: textOf(result), code: codeOf(result) };
}

/** The code of the error that a tool answered with. */
export function codeOf({ _meta: meta = {} }: CallToolResult): unknown {
  return (meta['lamina/error'] as { readonly code?: unknown } | undefined)?.code;
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** What a resource holds, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- each test looks at its own part
export async function resource(client: Client, uri: string): Promise<any> {
  const { contents } = await client.readResource({ uri });
  expect(contents).toHaveLength(1);
  expect(contents[0]).toMatchObject({ uri, mimeType: 'application/json' });
  return JSON.parse((contents[0] as { readonly text: string }).text);
}
