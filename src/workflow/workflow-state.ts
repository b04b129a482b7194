/** The shared state of a plan, in the words of a workflow: a helper over working memory, embedded and remote alike. */

import type { Json, JsonObject } from '../domain/json.ts';
import type { Memory } from '../operations/memory.ts';

/** The list under which actions are recorded: a value of the plan like any other. */
const ACTION_HISTORY_KEY = 'action_history';

const PAGE_SIZE = 100;

export interface SetOptions {
  /** How long the value stays. Default: for good. */
  readonly ttlSeconds?: number;
  /** Refuses with `VERSION_CONFLICT` unless this version stands there; 0: unless nothing does. */
  readonly ifVersion?: number;
}

/**
 * Values are any JSON. Every change is atomic and durable once it resolves: of any number of callers at the same moment,
 * in whichever process, none is lost. What fails is a `LaminaError` and has changed nothing; over HTTP an answer that got
 * lost is `UNAVAILABLE`, and then `increment`, `append`, `extend` and `recordAction` may have been done.
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

  /** Sets the value, and answers with the version that it has from now on. */
  async set(key: string, value: Json, options: SetOptions = {}): Promise<number> {
    return (await this.#working.set({ planId: this.planId, key, value, ...options })).version;
  }

  /** Undefined when nothing is there; null is a value. */
  async get<Value extends Json = Json>(key: string): Promise<Value | undefined> {
    const item = await this.#working.get({ planId: this.planId, key });
    return item === null ? undefined : (item.value as Value);
  }

  async has(key: string): Promise<boolean> {
    return (await this.#working.get({ planId: this.planId, key })) !== null;
  }

  /** False when nothing was there. */
  async delete(key: string): Promise<boolean> {
    return (await this.#working.delete({ planId: this.planId, key })).success;
  }

  /**
   * Deletes everything of the plan, the history of actions too, and its pools where it is the run of a workflow; answers
   * with how many values of its own that were.
   */
  async cleanup(): Promise<number> {
    return (await this.#workflows.end({ workflowRunId: this.planId })).deletedValues;
  }

  /** Adds to a number and answers with the sum; a missing one counts as 0. */
  async increment(key: string, by = 1): Promise<number> {
    return (await this.#working.increment({ planId: this.planId, key, by })).value as number;
  }

  /** Adds one item to the end of a list and answers with the list; a missing one counts as empty. */
  append(key: string, item: Json): Promise<Json[]> {
    return this.extend(key, [item]);
  }

  /** Adds several items to the end of a list, in their order. */
  async extend(key: string, items: readonly Json[]): Promise<Json[]> {
    return (await this.#working.append({ planId: this.planId, key, items: [...items] })).value as Json[];
  }

  /** Sets fields of an object and answers with the object; a missing one counts as empty. */
  async updateDict(key: string, fields: JsonObject): Promise<JsonObject> {
    return (await this.#working.merge({ planId: this.planId, key, fields: { ...fields } })).value as JsonObject;
  }

  /** Notes that something was done, such as `research.completed`. */
  async recordAction(action: string): Promise<void> {
    await this.append(ACTION_HISTORY_KEY, action);
  }

  /** What was recorded, in that order. */
  async getActionHistory(): Promise<string[]> {
    return (await this.get<string[]>(ACTION_HISTORY_KEY)) ?? [];
  }

  /** Every value by its key. A plan of many values is read in portions, so others may write in between. */
  async getAll(): Promise<Record<string, Json>> {
    const entries: [string, Json][] = [];
    for await (const { key, value } of this.#items()) entries.push([key, value]);
    return Object.fromEntries(entries);
  }

  /** In the order of code points. */
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
