/**
 * A chat that remembers: two runs of a program on one folder of memory, by the AI SDK. The model is scripted, so that this
 * runs without a key and without a network; any model of the AI SDK takes its place.
 */

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import { generateText, isStepCount, wrapLanguageModel } from 'ai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// In a program of yours: from 'lamina' and 'lamina/ai-sdk'.
import { memoryMiddleware, memoryTools } from '../../src/ai-sdk/index.ts';
import { Lamina } from '../../src/index.ts';

const USER = 'ada';
const AGENT = 'kitchen-helper';

/** The last thing that the user said, with what memory put before it. */
function askedIn({ prompt }: LanguageModelV4CallOptions): string {
  const message = prompt.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** What a language model would make of it: it saves what it is told to remember, and answers from what it finds. */
function think(options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const asked = askedIn(options);
  if (options.prompt.at(-1)?.role === 'tool') return [{ type: 'text', text: 'Noted, I will remember that.' }];
  const [, fact] = /Please remember: (.*)$/s.exec(asked) ?? [];
  if (fact !== undefined) {
    const input = JSON.stringify({ content: fact, tags: ['kitchen'] });
    return [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'memory_save_fact', input }];
  }
  const [memory = ''] = asked.split('[User Message]');
  const hasNuts = memory.includes('hazelnuts');
  return [{ type: 'text', text: hasNuts ? 'Pesto with pine nuts, no hazelnuts.' : 'Pesto with hazelnuts?' }];
}

const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** In your program: `openai('…')`, `anthropic('…')` and so on. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'example',
  modelId: 'scripted',
  supportedUrls: {},
  async doGenerate(options) {
    console.log(indented(askedIn(options)));
    const content = think(options);
    const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  },
  doStream: () => Promise.reject(new Error('This example does not stream.')),
};

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    | ');
}

/** One run of the program: it opens the memory, has one turn, and is gone. */
async function run(folder: string, sessionId: string, message: string): Promise<void> {
  await using lamina = await Lamina.open({ folder });
  const memory = lamina.as({ userId: USER, agentId: AGENT });
  console.log(`\n${USER}: ${message}\n  The model reads:`);
  const { text } = await generateText({
    model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { sessionId }) }),
    tools: memoryTools(memory, { sessionId }),
    stopWhen: isStepCount(5),
    prompt: message,
  });
  console.log(`${AGENT}: ${text}`);
}

/** Both sides of every turn were written down as well. */
async function showLog(folder: string): Promise<void> {
  await using lamina = await Lamina.open({ folder });
  const { episodes } = await lamina.as({ userId: USER, agentId: AGENT }).episodic.recent({});
  console.log('\nWhat was said:');
  for (const { sessionId, role, content } of episodes.toReversed()) console.log(`  ${sessionId} ${role}: ${content}`);
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-ai-sdk-chat-'));
try {
  await run(folder, 'monday', 'What sauce goes with pasta?');
  await run(folder, 'monday', 'Please remember: Ada is allergic to hazelnuts, so no sauce may have them.');
  await run(folder, 'friday', 'What sauce goes with pasta?');
  await showLog(folder);
} finally {
  await rm(folder, { recursive: true });
}
