/** Two MCP clients, one after the other, on the same memory: what the first was told, the second knows. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const PROGRAM = fileURLToPath(new URL('../../bin/lamina.js', import.meta.url));

/** Starts `lamina mcp` as Claude Code, Cursor or VS Code do: as a process of their own. */
async function connect(name: string, folder: string): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' });
  const args = [PROGRAM, 'mcp', '--database', `sqlite:${folder}`, '--user', 'ada'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  return client;
}

/** Calls a tool and shows what a model would read. */
async function call(client: Client, name: string, input: Record<string, unknown>): Promise<void> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  console.log(
    `${name} ${JSON.stringify(input)}\n  ${isError === true ? 'failed: ' : ''}${text.replace(/\s+/g, ' ').slice(0, 160)}`,
  );
}

async function firstDay(folder: string): Promise<void> {
  const editor = await connect('an editor', folder);
  const { tools } = await editor.listTools();
  console.log(`An editor connects and is offered ${tools.length} tools: ${tools[0]?.name}, ${tools[1]?.name} …`);
  await call(editor, 'memory_save_fact', { content: 'Ada wants tests written before the code.' });
  const compiler = { name: 'Analytical Engine', entityType: 'project', observations: ['is written in punched cards'] };
  await call(editor, 'create_entities', { entities: [compiler] });
  await call(editor, 'memory_recall', { qery: 'a spelling mistake' });
  await editor.close();
}

async function nextDay(folder: string): Promise<void> {
  const assistant = await connect('an assistant', folder);
  console.log('\nThe next day an assistant connects, which has never heard of any of this.');
  await call(assistant, 'memory_recall', { query: 'How does Ada like her tests?' });
  await call(assistant, 'search_nodes', { query: 'punched cards' });
  const { resources } = await assistant.listResources();
  const memories = resources.filter(({ uri }) => uri.startsWith('memory://entries/'));
  console.log(`Memories that can be attached: ${memories.map(({ name }) => `"${name}"`).join(', ')}`);
  const message = 'Please write a parser, with tests.';
  const { messages } = await assistant.getPrompt({ name: 'turn-context', arguments: { message } });
  const [first] = messages;
  console.log(`The prompt of a turn:\n${first?.content.type === 'text' ? first.content.text : ''}`);
  await assistant.close();
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-mcp-'));
try {
  await firstDay(folder);
  await nextDay(folder);
} finally {
  await rm(folder, { recursive: true });
}
