/** The reference MCP memory server as a process of its own, spoken to by the official client; and graphs made comparable. */

import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { GraphOutput } from '../src/tools/graph-schemas.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const PROGRAM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

/** What a call came to: its output, or the text of its failure. */
export type Answer = { readonly output: object; readonly text: string } | { readonly failure: string };

export class ReferenceMemory {
  readonly #client: Client;
  readonly #folder: string;

  private constructor(client: Client, folder: string) {
    this.#client = client;
    this.#folder = folder;
  }

  static async start(): Promise<ReferenceMemory> {
    const folder = await makeFolder();
    const client = new Client({ name: 'test', version: '0.0.0' });
    const env = { PATH: process.env['PATH'] ?? '', MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM], env, stderr: 'ignore' }),
    );
    return new ReferenceMemory(client, folder);
  }

  /** It is read anew for each call. */
  get file(): string {
    return join(this.#folder, 'memory.jsonl');
  }

  call(name: string, input: object): Promise<Answer> {
    return callBy(this.#client, name, input);
  }

  async tools(): Promise<Awaited<ReturnType<Client['listTools']>>['tools']> {
    return (await this.#client.listTools()).tools;
  }

  async empty(): Promise<void> {
    await rm(this.file, { force: true });
  }

  async close(): Promise<void> {
    await this.#client.close();
    await removeFolder(this.#folder);
  }
}

export async function callBy(client: Client, name: string, input: object): Promise<Answer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...input } });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return isError === true ? { failure: text } : { output: structuredContent as object, text };
}

/** Neither promises an order. */
export function inOrder(graph: Pick<GraphOutput, 'entities' | 'relations'>): object {
  const byText = (items: readonly unknown[]): unknown[] => items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return {
    entities: byText(graph.entities.map((entity) => ({ ...entity, observations: entity.observations.toSorted() }))),
    relations: byText(graph.relations),
  };
}

function key(item: unknown): string {
  return JSON.stringify(item, Object.keys(item as object).toSorted());
}
