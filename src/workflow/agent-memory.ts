/** The working memory of an agent in a task: a helper over that group of operations, embedded and remote alike. */

import type { Json } from '../domain/json.ts';
import type { Memory } from '../operations/memory.ts';
import { WorkflowState } from './workflow-state.ts';

const PAGE_SIZE = 100;

export interface AgentMemoryOptions {
  /** An agent of the principal's; the one that the principal names, where it names one. */
  readonly agentId: string;
  /** Default: what the agent keeps in no task. */
  readonly taskId?: string;
}

export interface StoreOptions {
  /** How long the value stays. Default: 1800. */
  readonly ttlSeconds?: number;
}

/** Who something is shared with: one of your own agents by its id, or another user's (without an agent: the user). */
export type ShareTarget = string | { readonly userId: string; readonly agentId?: string };

/** Who shared something: one of your own agents by its id, or another user's. */
export type ShareSource = string | { readonly userId: string; readonly agentId: string };

export interface ShareOptions {
  /** How long they have it. Default: 1800. */
  readonly ttlSeconds?: number;
}

/**
 * Values are any JSON, and expire. Every change is atomic: concurrent changes, from any process, are never lost. A failed
 * call throws a `LaminaError` and has changed nothing, except for `loadFromDatabase`, which reports how far it got; over
 * HTTP a lost answer is `UNAVAILABLE`, and then the appends may have been done.
 */
export class AgentMemory {
  readonly agentId: string;
  readonly taskId: string | undefined;
  readonly #memory: Pick<Memory, 'agentMemory' | 'working' | 'workflows'>;
  readonly #task: { readonly agentId: string; readonly taskId?: string };

  constructor(memory: Pick<Memory, 'agentMemory' | 'working' | 'workflows'>, { agentId, taskId }: AgentMemoryOptions) {
    this.#memory = memory;
    this.agentId = agentId;
    this.taskId = taskId;
    this.#task = { agentId, ...(taskId !== undefined && { taskId }) };
  }

  async store(key: string, value: Json, options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.store({ ...this.#task, key, value, ...options });
  }

  /** Null if there is no value. If you store null as a value, use `exists`. The same holds for all reads here. */
  async retrieve<Value extends Json = Json>(key: string): Promise<Value | null> {
    return valueOf<Value>(await this.#memory.agentMemory.retrieve({ ...this.#task, key }));
  }

  async exists(key: string): Promise<boolean> {
    return (await this.#memory.agentMemory.exists({ ...this.#task, key })).exists;
  }

  /** False if there was no value. */
  async remove(key: string): Promise<boolean> {
    return (await this.#memory.agentMemory.remove({ ...this.#task, key })).success;
  }

  /** The keys of stored values, sorted by code point. */
  async keys(): Promise<string[]> {
    const keys: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Memory['agentMemory']['keys']>> = await this.#memory.agentMemory.keys({
        ...this.#task,
        limit: PAGE_SIZE,
        ...(cursor !== null && { cursor }),
      });
      keys.push(...page.keys);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return keys;
  }

  /** Removes everything of the task, in every section; returns how many values there were. */
  async clear(): Promise<number> {
    return (await this.#memory.agentMemory.clear(this.#task)).deletedCount;
  }

  async storeTaskState(state: Json, options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.storeTaskState({ ...this.#task, state, ...options });
  }

  async taskState<Value extends Json = Json>(): Promise<Value | null> {
    return valueOf<Value>(await this.#memory.agentMemory.taskState(this.#task));
  }

  async storeIntermediateResult(step: string, result: Json, options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.storeResult({ ...this.#task, step, result, ...options });
  }

  async intermediateResult<Value extends Json = Json>(step: string): Promise<Value | null> {
    return valueOf<Value>(await this.#memory.agentMemory.result({ ...this.#task, step }));
  }

  async storeConversationContext(messages: readonly Json[], options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.storeConversation({ ...this.#task, messages: [...messages], ...options });
  }

  /** Returns the resulting conversation. */
  async appendToConversation(...messages: readonly Json[]): Promise<Json[]> {
    const item = await this.#memory.agentMemory.appendToConversation({ ...this.#task, messages: [...messages] });
    return item.value as Json[];
  }

  async conversationContext(): Promise<Json[]> {
    return valueOf<Json[]>(await this.#memory.agentMemory.conversation(this.#task)) ?? [];
  }

  async storeToolState(tool: string, state: Json, options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.storeToolState({ ...this.#task, tool, state, ...options });
  }

  async toolState<Value extends Json = Json>(tool: string): Promise<Value | null> {
    return valueOf<Value>(await this.#memory.agentMemory.toolState({ ...this.#task, tool }));
  }

  async storeScratchPad(content: string, options: StoreOptions = {}): Promise<void> {
    await this.#memory.agentMemory.storeScratchPad({ ...this.#task, content, ...options });
  }

  /** On its own line; returns the resulting scratch pad. */
  async appendToScratchPad(content: string): Promise<string> {
    return (await this.#memory.agentMemory.appendToScratchPad({ ...this.#task, content })).value as string;
  }

  async scratchPad(): Promise<string> {
    return valueOf<string>(await this.#memory.agentMemory.scratchPad(this.#task)) ?? '';
  }

  async shareWithAgent(target: ShareTarget, key: string, value: Json, options: ShareOptions = {}): Promise<void> {
    await this.#memory.agentMemory.share({ agentId: this.agentId, key, value, ...targetOf(target), ...options });
  }

  /** Passes on what somebody shared with this agent; refused for anyone it came through. */
  async passOn(source: ShareSource, target: ShareTarget, key: string, options: ShareOptions = {}): Promise<void> {
    const from = typeof source === 'string' ? { agentId: source } : source;
    await this.#memory.agentMemory.share({ agentId: this.agentId, key, from, ...targetOf(target), ...options });
  }

  /** Withdraws a share; false if there was none. */
  async withdraw(target: ShareTarget, key: string): Promise<boolean> {
    return (await this.#memory.agentMemory.withdraw({ agentId: this.agentId, key, ...targetOf(target) })).success;
  }

  async retrieveShared<Value extends Json = Json>(source: ShareSource, key: string): Promise<Value | null> {
    const { agentId } = this;
    const from =
      typeof source === 'string'
        ? { sourceAgentId: source }
        : { sourceAgentId: source.agentId, sourceUserId: source.userId };
    return valueOf<Value>(await this.#memory.agentMemory.retrieveShared({ agentId, key, ...from }));
  }

  /** The working memory shared by everyone on a workflow run or a plan. */
  workflowMemory(runId: string): WorkflowState {
    return new WorkflowState(this.#memory, runId);
  }

  /** All or nothing; returns how many values there are. */
  async persistToDatabase(options: { readonly ttlSeconds?: number } = {}): Promise<number> {
    return (await this.#memory.agentMemory.persist({ ...this.#task, ...options })).persistedCount;
  }

  /** Overwrites values under the same keys; returns how many were written back. */
  async loadFromDatabase(): Promise<number> {
    return (await this.#memory.agentMemory.load(this.#task)).loadedCount;
  }
}

function valueOf<Value extends Json>(item: { readonly value: Json } | null): Value | null {
  return item === null ? null : (item.value as Value);
}

function targetOf(target: ShareTarget): { readonly targetUserId?: string; readonly targetAgentId?: string } {
  if (typeof target === 'string') return { targetAgentId: target };
  const { userId, agentId } = target;
  return { targetUserId: userId, ...(agentId !== undefined && { targetAgentId: agentId }) };
}
