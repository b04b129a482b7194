/** Messages to the MCP endpoint that no client sends, and calls of its tools with arguments made from their own schemas. */

import fc from 'fast-check';
import type { JsonSchema } from '../../src/operations/wire-schema.ts';
import type { SeededRandom } from '../../src/testing/seeded-random.ts';
import type { Exchange, FuzzAnswer, FuzzRequest } from './exchange.ts';
import { HOSTILE_TEXTS, RAW_JSON } from './hostile-values.ts';
import { valuesOf } from './schema-values.ts';

const CALLS_PER_TOOL = 12;

const ODD_MESSAGES: readonly string[] = [
  '',
  'null',
  '[]',
  '{}',
  '"x"',
  '[[]]',
  '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":null}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"__proto__":{"a":1}}}}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"lamina://../../x"}}',
  '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"\\u0000"}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x","capabilities":{},"clientInfo":{}}}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  `[${Array.from({ length: 200 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`).join()}]`,
  `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(100_000)}"}`,
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  '{"jsonrpc":"2.0","id":1,"method":"ping","id":2,"method":"tools/list"}',
];

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { Accept: 'text/html' },
  { 'Mcp-Session-Id': '../../x' },
  { 'Mcp-Protocol-Version': '9999-99-99' },
  { Origin: 'https://evil.example' },
  { 'Content-Type': 'text/plain' },
];

interface Tool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

export interface McpReport {
  readonly requests: number;
  readonly problems: readonly string[];
}

export async function attackMcp(exchange: Exchange, credential: string, random: SeededRandom): Promise<McpReport> {
  const post = (body: string, headers: Readonly<Record<string, string>> = {}): FuzzRequest => ({
    method: 'POST',
    path: '/mcp',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${credential}`,
      ...headers,
    },
    body,
  });
  const tools = toolsIn(await exchange(post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')));
  const requests = [
    ...ODD_MESSAGES.flatMap((body) => ODD_HEADERS.map((headers) => post(body, headers))),
    ...tools.flatMap((tool) => callsOf(tool, random).map((body) => post(body))),
  ];
  const problems: string[] = tools.length === 0 ? ['The endpoint has no tools to call.'] : [];
  for (const request of requests) {
    const problem = problemOf(await exchange(request));
    if (problem !== undefined) problems.push(`${String(request.body).slice(0, 300)}\n  ${problem}`);
  }
  return { requests: requests.length, problems };
}

function toolsIn({ text }: FuzzAnswer): readonly Tool[] {
  const message = JSON.parse(messageIn(text)) as { readonly result?: { readonly tools?: readonly Tool[] } };
  return message.result?.tools ?? [];
}

/** An answer is one message, alone or as the data of an event. */
function messageIn(text: string): string {
  return /^data: (.+)$/m.exec(text)?.[1] ?? text;
}

function callsOf({ name, inputSchema }: Tool, random: SeededRandom): string[] {
  const lookUp = (reference: string): JsonSchema => inputSchema.$defs?.[reference.replace('#/$defs/', '')] ?? {};
  const made = fc.sample(valuesOf(inputSchema, lookUp), { numRuns: CALLS_PER_TOOL, seed: random.below(2 ** 31) });
  return made.map((value, at) => {
    const fields = Object.keys(value as object);
    const field = fields.length === 0 ? 'x' : random.pick(fields);
    const hostile = at % 3 === 1 ? JSON.stringify(random.pick(HOSTILE_TEXTS)) : random.pick(RAW_JSON);
    const spoilt = JSON.stringify({ ...(value as object), [field]: 'hole' }).replace('"hole"', () => hostile);
    const args = at % 3 === 0 ? JSON.stringify(value) : spoilt;
    return `{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`;
  });
}

/** Stacks, paths and what databases say. */
const INSIDES = /node_modules|\.ts:\d|\bat \w+ \(|SQLITE_|syntax error at|fts5:/;

function problemOf({ status, text }: FuzzAnswer): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  const [leak] = INSIDES.exec(text) ?? [];
  if (leak !== undefined) return `tells of insides: ${leak}`;
  if (text === '') return status === 202 ? undefined : `${status} without a body`;
  try {
    JSON.parse(messageIn(text));
    return undefined;
  } catch {
    return `${status} with no JSON: ${text.slice(0, 100)}`;
  }
}
