/**
 * A chat that remembers: runs of a program on one folder of memory, by the AI SDK. The model is scripted, so that this runs
 * without a key and without a network; any model of the AI SDK takes its place.
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

/** What a language model would make of it: it saves what it is asked to remember, and answers from what it reads. */
function think(options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const asked = askedIn(options);
  if (options.prompt.at(-1)?.role === 'tool') return [{ type: 'text', text: 'Noted, I will remember that.' }];
  // What stands before the message is memory, and no request.
  const message = asked.split('[User Message]\n').at(-1) ?? '';
  const [, fact] = /^Please remember: (.*)$/s.exec(message) ?? [];
  if (fact !== undefined) {
    const input = JSON.stringify({ content: fact, tags: ['kitchen'] });
    return [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'memory_save_fact', input }];
  }
  if (message.startsWith('I am')) return [{ type: 'text', text: 'I am sorry to hear that.' }];
  const isAllergic = asked.includes('allergic to hazelnuts');
  const sauce = isAllergic ? 'Pesto with pine nuts, as hazelnuts are not for you.' : 'Pesto with hazelnuts?';
  const guests = asked.includes('two children') ? ' Enough for you and two children.' : '';
  return [{ type: 'text', text: sauce + guests }];
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
  // Nothing is saved or extracted here: it is said, and written down.
  await run(folder, 'monday', 'I am allergic to hazelnuts, so please no sauce with them.');
  await run(folder, 'friday', 'What sauce goes with pasta?');
  // What matters for long the model itself can save, as knowledge of its own.
  await run(folder, 'friday', 'Please remember: Ada cooks pasta for two children.');
  await run(folder, 'sunday', 'What sauce goes with pasta?');
  await showLog(folder);
} finally {
  await rm(folder, { recursive: true });
}
