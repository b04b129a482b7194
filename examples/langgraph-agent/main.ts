/** A LangGraph agent that knows in a new thread what it was told in an old one, each user in a memory of their own. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { HumanMessage, SystemMessage, type BaseMessage } from '@langchain/core/messages';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
// In a program of yours: from 'lamina' and 'lamina/langgraph'.
import { Lamina } from '../../src/index.ts';
import { LaminaStore } from '../../src/langgraph/index.ts';

const NOTES = ['notes'];

/** Stands in for a language model, so that the example needs none: it has its answers from a list. */
const model = new FakeListChatModel({ responses: ['Noted.', 'Noted.', 'Green tea, then.', 'I do not know yet.'] });

/** What the last message brings to mind goes before the conversation. */
async function answer(
  { messages }: typeof MessagesAnnotation.State,
  { store }: LangGraphRunnableConfig,
): Promise<{ messages: BaseMessage[] }> {
  const query = messages.at(-1)?.text ?? '';
  const found = (await store?.search(NOTES, { query, limit: 2 })) ?? [];
  const known = found.map(({ value, score }) => `${String(value['text'])} (${score?.toFixed(2) ?? 'unranked'})`);
  console.log(`  recalled: ${known.join('; ') || 'nothing'}`);
  const prompt = new SystemMessage(`What the user told you before:\n${known.join('\n')}`);
  return { messages: [await model.invoke([prompt, ...messages])] };
}

/** What the user says is kept, but for questions. */
async function remember(
  { messages }: typeof MessagesAnnotation.State,
  { store }: LangGraphRunnableConfig,
): Promise<object> {
  const said = messages.findLast((message) => message.getType() === 'human')?.text ?? '';
  if (!said.endsWith('?')) await store?.put(NOTES, crypto.randomUUID(), { text: said });
  return {};
}

const agent = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addNode('remember', remember)
  .addEdge(START, 'answer')
  .addEdge('answer', 'remember')
  .addEdge('remember', END)
  .compile({ checkpointer: new MemorySaver() });

const folder = await mkdtemp(join(tmpdir(), 'lamina-langgraph-'));
const lamina = await Lamina.open({ folder });
try {
  const ask = async (userId: string, threadId: string, text: string): Promise<void> => {
    console.log(`${userId} in thread ${threadId}: ${text}`);
    const store = new LaminaStore(lamina.as({ userId }), { index: ['text'] });
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(text)] },
      { configurable: { thread_id: `${userId}-${threadId}` }, store },
    );
    console.log(`  agent: ${messages.at(-1)?.text}`);
  };
  await ask('ada', '1', 'I only drink green tea.');
  await ask('ada', '1', 'My car is an old blue Volvo.');
  await ask('ada', '2', 'What shall I order to drink?');
  await ask('bob', '1', 'What shall I order to drink?');

  // What the graph kept are memories like any other.
  const { results } = await lamina.as({ userId: 'ada' }).search({ query: 'beverages', threshold: 0.3, limit: 1 });
  const [best] = results;
  console.log(
    `An ordinary search finds: ${best?.memory.content} (from ${best?.memory.source?.reference?.slice(0, 18)}…)`,
  );
  if (best?.memory.content !== 'I only drink green tea.') process.exitCode = 1;
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
