/** The shared state of a plan, in the words of a workflow: a helper over working memory, embedded and remote alike. */

import type { Json, JsonObject } from '../domain/json.ts';
import type { Memory } from '../operations/memory.ts';

/** The list under which actions are recorded: a value of the plan like any other. */
const ACTION_HISTORY_KEY = 'action_history';

const PAGE_SIZE = 100;

export interface SetOptions {
  /** How long the value stays. Default: forever. */
  readonly ttlSeconds?: number;
  /** Throws `VERSION_CONFLICT` unless this is the current version; 0: unless there is no value. */
  readonly ifVersion?: number;
}

/**
 * Values are any JSON. Every change is atomic and durable once it resolves: concurrent changes, from any process, are never
 * lost. A failed call throws a `LaminaError` and has changed nothing; over HTTP a lost answer is `UNAVAILABLE`, and then
 * `increment`, `append`, `extend` and `recordAction` may have been done.
 */
export class WorkflowState {
  readonly planId: string;
  readonly #working: Memory['working'];
  readonly #workflows: Memory['workflows'];

  constructor(memory: Pick<Memory, 'working' | 'workflows'>, planId: string) {
    this.#working = memory.working;
    this.#workflows = memory.workflows;
    this.planId = planId;
  }

  /** Sets the value, and returns its new version. */
  async set(key: string, value: Json, options: SetOptions = {}): Promise<number> {
    return (await this.#working.set({ planId: this.planId, key, value, ...options })).version;
  }

  /** Undefined if there is no value; null is a value. */
  async get<Value extends Json = Json>(key: string): Promise<Value | undefined> {
    const item = await this.#working.get({ planId: this.planId, key });
    return item === null ? undefined : (item.value as Value);
  }

  async has(key: string): Promise<boolean> {
    return (await this.#working.get({ planId: this.planId, key })) !== null;
  }

  /** False if there was no value. */
  async delete(key: string): Promise<boolean> {
    return (await this.#working.delete({ planId: this.planId, key })).success;
  }

  /**
   * Deletes everything of the plan, including the history of actions, and its pools if it is a workflow run; returns how
   * many values of its own there were.
   */
  async cleanup(): Promise<number> {
    return (await this.#workflows.end({ workflowRunId: this.planId })).deletedValues;
  }

  /** Adds to a number and returns the sum; a missing one counts as 0. */
  async increment(key: string, by = 1): Promise<number> {
    return (await this.#working.increment({ planId: this.planId, key, by })).value as number;
  }

  /** Appends one item to a list and returns the list; a missing one counts as empty. */
  append(key: string, item: Json): Promise<Json[]> {
    return this.extend(key, [item]);
  }

  /** Appends several items to a list, in order. */
  async extend(key: string, items: readonly Json[]): Promise<Json[]> {
    return (await this.#working.append({ planId: this.planId, key, items: [...items] })).value as Json[];
  }

  /** Sets fields of an object and returns the object; a missing one counts as empty. */
  async updateDict(key: string, fields: JsonObject): Promise<JsonObject> {
    return (await this.#working.merge({ planId: this.planId, key, fields: { ...fields } })).value as JsonObject;
  }

  /** Records an action, such as `research.completed`. */
  async recordAction(action: string): Promise<void> {
    await this.append(ACTION_HISTORY_KEY, action);
  }

  /** The recorded actions, in order. */
  async getActionHistory(): Promise<string[]> {
    return (await this.get<string[]>(ACTION_HISTORY_KEY)) ?? [];
  }

  /** Every value by its key. A plan with many values is read in pages, so others may write in between. */
  async getAll(): Promise<Record<string, Json>> {
    const entries: [string, Json][] = [];
    for await (const { key, value } of this.#items()) entries.push([key, value]);
    return Object.fromEntries(entries);
  }

  /** Sorted by code point. */
  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#items()) keys.push(key);
    return keys;
  }

  async *#items(): AsyncGenerator<{ readonly key: string; readonly value: Json }> {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Memory['working']['list']>> = await this.#working.list({
        planId: this.planId,
        limit: PAGE_SIZE,
        ...(cursor !== null && { cursor }),
      });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
