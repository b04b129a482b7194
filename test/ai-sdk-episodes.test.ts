/** What the middleware of the AI SDK writes down comes back in later conversations, and is not repeated in its own. */

import { generateText, wrapLanguageModel, type ModelMessage } from 'ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { memoryMiddleware, type MemoryMiddlewareOptions } from '../src/ai-sdk/index.ts';
import { LaminaClient } from '../src/client/index.ts';
import type { Memory } from '../src/operations/memory.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { scriptedModel, sentTo } from './scripted-model.ts';
import { parsePrompt } from './turn-prompt-parser.ts';

const TOLD = 'My boat Aurora lies in the harbour of Kiel.';
const QUESTION = 'In which harbour lies my boat Aurora?';

type As = (userId: string, agentId?: string) => Memory;

beforeAll(() => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
});

async function embedded(): Promise<As> {
  const { lamina } = untilTestEnds(await openLamina());
  return (userId, agentId = 'helper') => lamina.as({ userId, agentId });
}

async function remote(): Promise<As> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  const client = untilTestEnds(new LaminaClient({ url }));
  return (userId, agentId = 'helper') => client.as({ userId, agentId });
}

/** One turn, as a program of its own has it. What the model was sent last is given back. */
async function turn(
  memory: Memory,
  options: MemoryMiddlewareOptions,
  messages: readonly ModelMessage[],
  answer = 'Noted.',
): Promise<string> {
  const model = scriptedModel(answer);
  const { warnings } = await generateText({
    model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory, options) }),
    messages: [...messages],
  });
  expect(warnings).toEqual([]);
  return sentTo(model);
}

const user = (content: string): ModelMessage => ({ role: 'user', content });

const recalledIn = (sent: string): readonly string[] =>
  sent.startsWith('[') ? (parsePrompt(sent).sections['Relevant Memory'] ?? []) : [];

describe.each([
  ['embedded', embedded],
  ['remote', remote],
])('what was said, %s', (_, open) => {
  it.each(['episodes', 'remember'] as const)('is known in a later conversation, by %s alone', async (log) => {
    const as = await open();
    await turn(as('ada'), { log, sessionId: 'monday' }, [user(TOLD)]);
    const friday = { log, sessionId: 'friday' };
    const today = new Date().toISOString().slice(0, 10);
    expect(recalledIn(await turn(as('ada'), friday, [user(QUESTION)]))).toContain(`${today}, user: ${TOLD}`);
    expect(await turn(as('bob'), friday, [user(QUESTION)])).toBe(QUESTION);
    expect(await turn(as('ada', 'another'), friday, [user(QUESTION)])).toBe(QUESTION);
  });

  it('is not, where the program wants what is known alone', async () => {
    const memory = (await open())('ada');
    await turn(memory, { sessionId: 'monday' }, [user(TOLD)]);
    const only = { sessionId: 'friday', recall: { kinds: ['semantic' as const] } };
    expect(await turn(memory, only, [user(QUESTION)])).toBe(QUESTION);
  });
});

describe('what stands in the prompt', () => {
  it('is not repeated from memory, while other conversations still come', async () => {
    const memory = (await embedded())('ada');
    await turn(memory, { sessionId: 'monday' }, [user(TOLD)]);
    const chat: ModelMessage[] = [user('The boat Aurora leaves the harbour at noon.')];
    await turn(memory, { sessionId: 'friday' }, chat, 'So the boat Aurora leaves the harbour at noon?');
    chat.push({ role: 'assistant', content: 'So the boat Aurora leaves the harbour at noon?' }, user(QUESTION));
    const lines = recalledIn(await turn(memory, { sessionId: 'friday' }, chat, 'In Kiel.'));
    expect(lines.filter((line) => line.endsWith(TOLD))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('at noon'))).toEqual([]);
    // In another conversation the same is news.
    expect((await turn(memory, {}, [user(QUESTION)])).match(/at noon/g)).toHaveLength(2);
  });

  it('may be in parts, blank, or more than memory takes', async () => {
    const memory = (await embedded())('ada');
    await turn(memory, {}, [user(TOLD)]);
    const parts = ['Well:', TOLD].map((text) => ({ type: 'text' as const, text }));
    const before: ModelMessage[] = Array.from({ length: 1100 }, (__, at) => user(`Question ${at}`));
    const chat: ModelMessage[] = [...before, user(''), { role: 'user', content: parts }, user(QUESTION)];
    expect((await turn(memory, { log: false }, chat)).includes(TOLD)).toBe(false);
    expect(await turn(memory, { log: false }, [user(QUESTION)])).toContain(TOLD);
  });
});

it('a question that is asked every day does not find itself', async () => {
  const memory = (await embedded())('ada');
  await turn(memory, {}, [user(TOLD)]);
  for (let day = 0; day < 4; day += 1) await turn(memory, {}, [user(QUESTION)], `Answer ${day}.`);
  const sent = await turn(memory, { recall: { limit: 1 } }, [user(QUESTION)]);
  expect(sent.split(QUESTION)).toHaveLength(2);
  expect(sent).toContain(TOLD);
});
