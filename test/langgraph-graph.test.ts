/** LaminaStore as the store of real LangGraph programs: what a graph learns in one thread it knows in the next. */

import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  END,
  getStore,
  MemorySaver,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LaminaStore } from '../src/langgraph/index.ts';
import { openStores, type Stores } from './langgraph-stores.ts';
import { ScriptedChatModel } from './scripted-chat-model.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const State = Annotation.Root({
  message: Annotation<string>,
  recalled: Annotation<string[]>,
  noted: Annotation<number>,
});

function storeOf(config: LangGraphRunnableConfig): BaseStore {
  if (!config.store) throw new Error('The graph has no store.');
  return config.store;
}

const notesOf = (config: LangGraphRunnableConfig): string[] => [
  'users',
  String(config.configurable?.['user_id']),
  'notes',
];

/** Looks for what it knows of what is said, then notes what was said; under the user that the configuration names. */
const chat = new StateGraph(State)
  .addNode('recall', async ({ message }, config) => {
    const found = await storeOf(config).search(notesOf(config), { query: message, limit: 2 });
    return { recalled: found.map(({ value }) => String(value['text'])) };
  })
  .addNode('note', async ({ message }, config) => {
    const store = getStore(config);
    await store?.put(notesOf(config), crypto.randomUUID(), { text: message });
    const all = await store?.search(notesOf(config), { limit: 100 });
    return { noted: all?.length ?? 0 };
  })
  .addEdge(START, 'recall')
  .addEdge('recall', 'note')
  .addEdge('note', END);

const thread = (user: string, id: string): { configurable: Record<string, string> } => ({
  configurable: { user_id: user, thread_id: id },
});

describe('a graph', () => {
  it.each(['embedded', 'remote'])('knows in another thread what it was told, %s', async (where) => {
    const memory = where === 'remote' ? stores.remoteMemory() : stores.memory();
    const graph = chat.compile({ store: new LaminaStore(memory), checkpointer: new MemorySaver() });
    const first = await graph.invoke({ message: 'I drink green tea' }, thread('ada@example.com', '1'));
    expect(first).toMatchObject({ recalled: [], noted: 1 });
    await graph.invoke({ message: 'My car is blue' }, thread('ada@example.com', '1'));
    const third = await graph.invoke({ message: 'Which tea do I drink?' }, thread('ada@example.com', '2'));
    expect(third.recalled[0]).toBe('I drink green tea');
    expect(third.noted).toBe(3);
    const other = await graph.invoke({ message: 'Which tea do I drink?' }, thread('ada@example', '3'));
    expect(other).toMatchObject({ recalled: [], noted: 1 });
    const { results } = await memory.search({ query: 'green tea', threshold: 0.2 });
    expect(results.map((result) => result.memory.content)).toContain('text: I drink green tea');
  });

  it('runs for each user on a memory of their own, given with the call', async () => {
    const graph = chat.compile();
    for (const userId of ['ada-of-graph', 'bob-of-graph']) {
      const store = new LaminaStore(stores.memory(userId));
      for (const round of [1, 2]) {
        const { noted } = await graph.invoke({ message: `round ${round}` }, { ...thread('same', '1'), store });
        expect(noted).toBe(round);
      }
    }
  });

  it('many runs at once keep every note', async () => {
    const store = new LaminaStore(stores.memory());
    const graph = chat.compile({ store });
    const runs = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(runs.map((index) => graph.invoke({ message: `note ${index}` }, thread(`u${index % 4}`, '1'))));
    for (const user of ['u0', 'u1', 'u2', 'u3']) expect(await store.search(['users', user])).toHaveLength(5);
    expect(await store.listNamespaces({ prefix: ['users'], maxDepth: 2 })).toHaveLength(4);
  });

  it('hears why something could not be kept', async () => {
    const graph = new StateGraph(State)
      .addNode('note', async ({ message }, config) => {
        await storeOf(config).put(notesOf(config), 'k', { text: message });
        return { noted: 1 };
      })
      .addEdge(START, 'note')
      .compile({ store: new LaminaStore(stores.memory()) });
    const run = graph.invoke({ message: 'x'.repeat(70_000) }, thread('ada', '1'));
    await expect(run).rejects.toThrow('The value under "k" in ["users","ada","notes"] is too large');
  });
});

describe('a prebuilt agent', () => {
  const saveMemory = tool(
    async ({ text }, config: LangGraphRunnableConfig) => {
      await storeOf(config).put(['memories'], text, { text });
      return 'saved';
    },
    { name: 'save_memory', description: 'Remembers a text.', schema: z.object({ text: z.string() }) },
  );
  const recall = tool(
    async ({ query }, config: LangGraphRunnableConfig) => {
      const found = await storeOf(config).search(['memories'], { query, limit: 1 });
      return found.map(({ value }) => String(value['text'])).join('\n') || 'nothing';
    },
    { name: 'recall', description: 'Looks for memories.', schema: z.object({ query: z.string() }) },
  );

  function calling(name: string, args: Record<string, unknown>): AIMessage {
    return new AIMessage({ content: '', tool_calls: [{ id: crypto.randomUUID(), name, args, type: 'tool_call' }] });
  }

  it('saves with a tool in one conversation, and recalls in another', async () => {
    const store = new LaminaStore(stores.memory());
    const ask = async (text: string, answers: readonly AIMessage[]): Promise<ScriptedChatModel> => {
      const llm = new ScriptedChatModel(answers);
      const agent = createReactAgent({ llm, tools: [saveMemory, recall], store });
      await agent.invoke({ messages: [new HumanMessage(text)] });
      return llm;
    };
    await ask('Remember that I am allergic to nuts', [
      calling('save_memory', { text: 'The user is allergic to nuts' }),
      new AIMessage('I will.'),
    ]);
    const { asked } = await ask('May I eat this cake with nuts?', [
      calling('recall', { query: 'allergic to nuts' }),
      new AIMessage('Better not.'),
    ]);
    expect(asked.at(-1)).toContain('The user is allergic to nuts');
    expect(await store.search(['memories'])).toHaveLength(1);
  });
});
