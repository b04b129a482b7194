/** A task whose parts others do: saved, delegated, resumed as results come in, completed exactly once. */

import { v7 as newId } from 'uuid';
import type { Metadata } from '../domain/entry.ts';
import { LaminaError, type ErrorCode } from '../domain/error.ts';
import { DEFAULT_RESPONSE_TOPIC, type SaveTaskInput, type TaskContextRecord } from '../domain/task-context.ts';
import type { Memory } from '../operations/memory.ts';

/** What it needs of a memory, embedded or remote. */
export type TaskMemory = Pick<Memory, 'tasks'>;

export interface Delegation {
  readonly eventType: string;
  readonly data?: Metadata;
  readonly responseEvent?: string;
  readonly responseTopic?: string;
  /** Default: a new one. */
  readonly subTaskId?: string;
}

/** What to send to whoever does a part. */
export interface SubTask extends Required<Omit<Delegation, 'responseEvent'>> {
  readonly responseEvent?: string | undefined;
  readonly parentTaskId: string;
  readonly planId?: string | undefined;
}

/** What to send to whoever asked for the task. */
export interface TaskResponse {
  readonly taskId: string;
  readonly planId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly topic: string;
  readonly result: unknown;
}

/** Hands a message to whatever carries messages here; Lamina does not. */
export type Publish<Message> = (message: Message) => unknown;

type Stored = Omit<TaskContextRecord, 'version' | 'createdAt' | 'updatedAt'>;
type Change = Partial<Pick<Stored, 'subTasks' | 'state'>>;
/** What is changed here before it is stored. */
type Local = Pick<Stored, 'data' | 'state'>;

interface Sent {
  readonly written: Local;
  /** The one that was known then. */
  readonly version: number | undefined;
}

/**
 * Everything that is not local is atomic, whatever other instances of the same task do meanwhile, in this process or in
 * others. `state` and `data` are local until {@link save} (or any other change) writes them; that is refused with
 * `VERSION_CONFLICT` when somebody else changed the task since it was read. Fields of theirs that are changed while a
 * write is under way stay local until the next one. Results lie under `state.results`.
 */
export class TaskContext {
  readonly #memory: TaskMemory;
  #stored: Stored;
  /** Undefined until it is stored. */
  #version: number | undefined;
  /** What was stored of the fields that can be changed here. */
  #clean: string;
  #isCompleted = false;

  private constructor(memory: TaskMemory, stored: Stored, version?: number) {
    this.#memory = memory;
    this.#stored = stored;
    this.#version = version;
    this.#clean = this.#localText();
  }

  /** A task that has just been asked for. Nothing is stored yet. */
  static create(memory: TaskMemory, task: SaveTaskInput): TaskContext {
    const { responseTopic = DEFAULT_RESPONSE_TOPIC, data = {}, state = {}, subTasks = [] } = task;
    return new TaskContext(memory, { ...task, responseTopic, data, state, subTasks });
  }

  /** The task as it is stored; null when it is not there. */
  static async restore(memory: TaskMemory, taskId: string): Promise<TaskContext | null> {
    return TaskContext.#over(memory, await memory.tasks.get({ taskId }));
  }

  /** The task that waits for this sub-task; null when none does, because it was answered before or is nobody's. */
  static async restoreBySubtask(memory: TaskMemory, subtaskId: string): Promise<TaskContext | null> {
    return TaskContext.#over(memory, await memory.tasks.bySubtask({ subtaskId }));
  }

  static #over(memory: TaskMemory, record: TaskContextRecord | null): TaskContext | null {
    return record === null ? null : new TaskContext(memory, storedOf(record), record.version);
  }

  get taskId(): string {
    return this.#stored.taskId;
  }

  get planId(): string | undefined {
    return this.#stored.planId;
  }

  get eventType(): string {
    return this.#stored.eventType;
  }

  get data(): Metadata {
    return this.#stored.data;
  }

  set data(data: Metadata) {
    this.#stored = { ...this.#stored, data };
  }

  get state(): Metadata {
    return this.#stored.state;
  }

  set state(state: Metadata) {
    this.#stored = { ...this.#stored, state };
  }

  /** Sub-tasks that have not come back. */
  get subTasks(): readonly string[] {
    return pendingOf(this.#stored);
  }

  /** What came back, by sub-task. */
  get results(): Readonly<Record<string, unknown>> {
    return resultsOf(this.#stored);
  }

  /**
   * Stores the task. The first time it takes the place of whatever is stored under its id, later it is refused with
   * `VERSION_CONFLICT` when somebody else changed it since, and with `NOT_FOUND` when it was completed.
   */
  async save(): Promise<void> {
    const { tasks } = this.#memory;
    const { taskId, data, state } = this.#stored;
    const isNew = this.#version === undefined;
    const sent = this.#sending('data', 'state');
    this.#adopt(
      isNew ? await tasks.save(this.#stored) : await tasks.update({ taskId, data, state, ifVersion: this.#version }),
      sent,
    );
  }

  /**
   * Gives a part to somebody else: its id is stored before it is published, so that no result can arrive too early.
   * For several parts use {@link delegateAll}: after one `delegate` a quick result would be the last one.
   */
  async delegate(delegation: Delegation, publish?: Publish<SubTask>): Promise<string> {
    const [subTaskId = ''] = await this.delegateAll([delegation], publish);
    return subTaskId;
  }

  /** The same for several parts, all of which are stored before the first is published. Ids in their order. */
  async delegateAll(delegations: readonly Delegation[], publish?: Publish<SubTask>): Promise<string[]> {
    const parts = delegations.map((delegation) => this.#partOf(delegation));
    const ids = parts.map(({ subTaskId }) => subTaskId);
    await this.#add(ids);
    const sent = await Promise.allSettled(parts.map(async (part) => publish?.(part)));
    const lost = sent.flatMap((each, index) => (each.status === 'rejected' ? [{ id: ids[index], ...each }] : []));
    const [first] = lost;
    if (first === undefined) return ids;
    await this.#drop(new Set(lost.map(({ id }) => id)));
    throw first.reason;
  }

  /** Waits for a sub-task that was given away by other means. */
  async addSubtask(subTaskId: string): Promise<void> {
    await this.#add([subTaskId]);
  }

  /**
   * Takes in the result of a sub-task; the first one counts. True when nothing is left to wait for: then
   * {@link complete}. A result that arrives again says so too as long as the task is not completed, so that a worker
   * that was stopped in between is made good. Parts that follow from a result are delegated before this is called.
   */
  async subtaskDone(subTaskId: string, result: unknown = null): Promise<boolean> {
    try {
      await this.#change((task) => {
        const results = resultsOf(task);
        if (!task.subTasks.includes(subTaskId) || Object.hasOwn(results, subTaskId)) return undefined;
        const left = pendingOf(task).filter((id) => id !== subTaskId);
        // The last one stays listed, so that its result finds the task again if it has to be delivered again.
        const subTasks = left.length > 0 ? left : [subTaskId];
        return { subTasks, state: { ...task.state, results: { ...results, [subTaskId]: result } } };
      });
    } catch (error) {
      if (isError(error, 'NOT_FOUND')) return false;
      throw error;
    }
    return Object.hasOwn(this.results, subTaskId) && this.subTasks.length === 0;
  }

  /**
   * Changes the state based on its current value. `change` may be called more than once, and may take effect twice if the
   * answer of a service is lost, so it should tolerate that.
   */
  async updateState(change: (state: Metadata) => Metadata): Promise<void> {
    await this.#change(({ state }) => ({ state: change(state) }));
  }

  /**
   * Ends the task: its context is deleted, then the response published. True for exactly one of all callers; also false if
   * sub-tasks were added that this instance does not know of. If publishing fails, the context is restored. A `LaminaError`
   * that leaves open whether it was deleted (`UNAVAILABLE`) is passed on.
   */
  async complete(result: unknown = null, publish?: Publish<TaskResponse>): Promise<boolean> {
    if (this.#isCompleted || !(await this.#remove())) return false;
    this.#isCompleted = true;
    const { taskId, planId, responseEvent: eventType, responseTopic: topic } = this.#stored;
    try {
      await publish?.({ taskId, planId, eventType, topic, result });
      return true;
    } catch (error) {
      if (this.#version !== undefined) {
        const sent = this.#sending('data', 'state');
        this.#adopt(await this.#memory.tasks.save(this.#stored), sent);
      }
      this.#isCompleted = false;
      throw error;
    }
  }

  async #remove(): Promise<boolean> {
    const { taskId } = this.#stored;
    for (;;) {
      // What was never stored is nobody else's.
      if (this.#version === undefined) return true;
      try {
        return (await this.#memory.tasks.delete({ taskId, ifVersion: this.#version })).success;
      } catch (error) {
        if (!isError(error, 'VERSION_CONFLICT')) throw error;
      }
      const known = this.#stored.subTasks;
      if (!(await this.#refresh()) || this.subTasks.some((id) => !known.includes(id))) return false;
    }
  }

  #partOf({ subTaskId = newId(), data = {}, responseTopic = DEFAULT_RESPONSE_TOPIC, ...rest }: Delegation): SubTask {
    return { ...rest, subTaskId, data, responseTopic, parentTaskId: this.taskId, planId: this.planId };
  }

  async #add(ids: readonly string[]): Promise<void> {
    if (this.#version === undefined) await this.save();
    // What is already listed is not written again: it may be this very change, whose answer was lost.
    await this.#change((task) => {
      const isThere = ids.every((id) => task.subTasks.includes(id));
      return isThere ? undefined : { subTasks: [...new Set([...pendingOf(task), ...ids])] };
    });
  }

  /** Nobody will answer these, so nobody should wait for them. */
  async #drop(ids: ReadonlySet<string | undefined>): Promise<void> {
    try {
      await this.#change((task) => {
        const isThere = task.subTasks.some((id) => ids.has(id));
        return isThere ? { subTasks: pendingOf(task).filter((id) => !ids.has(id)) } : undefined;
      });
    } catch {
      // The caller needs the error about sending.
    }
  }

  /**
   * Compare-and-set, retried until it succeeds: a conflict means that another caller succeeded. `change` returns undefined
   * if there is nothing to do, which counts only on a fresh read.
   */
  async #change(change: (task: Stored) => Change | undefined): Promise<void> {
    if (this.#version === undefined || this.#localText() !== this.#clean) await this.save();
    for (let isFresh = false; ; isFresh = true) {
      const changed = change(this.#stored);
      if (changed === undefined && isFresh) return;
      try {
        if (changed !== undefined) {
          const { taskId } = this.#stored;
          const sent = changed.state === undefined ? this.#sending() : this.#sending('state');
          this.#adopt(await this.#memory.tasks.update({ taskId, ...changed, ifVersion: this.#version }), sent);
          return;
        }
      } catch (error) {
        if (!isError(error, 'VERSION_CONFLICT')) throw error;
      }
      if (!(await this.#refresh())) throw new LaminaError('NOT_FOUND', 'The task has been completed or deleted.');
    }
  }

  async #refresh(): Promise<boolean> {
    const record = await this.#memory.tasks.get({ taskId: this.taskId });
    if (record !== null) this.#adopt(record);
    return record !== null;
  }

  /** What will be stored once these fields have been sent. A copy: they may be changed meanwhile. */
  #sending(...fields: (keyof Local)[]): Sent {
    const local = JSON.parse(this.#localText()) as Local;
    const written = {
      ...(JSON.parse(this.#clean) as Local),
      ...Object.fromEntries(fields.map((field) => [field, local[field]])),
    };
    return { written, version: this.#version };
  }

  /** Adopts what is stored, but keeps local changes that were not sent. */
  #adopt(record: TaskContextRecord, sent?: Sent): void {
    const { data, state } = this.#stored;
    // Where another answer came in between, what was sent is no measure of what is local any more.
    const written =
      sent !== undefined && sent.version === this.#version ? sent.written : (JSON.parse(this.#clean) as Local);
    this.#stored = storedOf(record);
    this.#version = record.version;
    this.#clean = this.#localText();
    this.#stored = {
      ...this.#stored,
      data: rebased(this.#stored.data, written.data, data),
      state: rebased(this.#stored.state, written.state, state),
    };
  }

  #localText(): string {
    const { data, state } = this.#stored;
    return JSON.stringify({ data, state } satisfies Local);
  }
}

function storedOf(record: TaskContextRecord): Stored {
  const { taskId, planId, eventType, responseEvent, responseTopic, data, subTasks, state } = record;
  return { taskId, planId, eventType, responseEvent, responseTopic, data, subTasks, state };
}

/** What is stored, with the fields set and removed in which the local object differs from what was written of it. */
function rebased(stored: Metadata, written: Metadata, local: Metadata): Metadata {
  const next = new Map(Object.entries(stored));
  for (const field of new Set([...Object.keys(written), ...Object.keys(local)])) {
    if (JSON.stringify(local[field]) === JSON.stringify(written[field])) continue;
    if (Object.hasOwn(local, field)) next.set(field, local[field]);
    else next.delete(field);
  }
  return Object.fromEntries(next);
}

function resultsOf({ state }: Stored): Record<string, unknown> {
  const results = state['results'];
  const isObject = typeof results === 'object' && results !== null && !Array.isArray(results);
  return isObject ? (results as Record<string, unknown>) : {};
}

function pendingOf(task: Stored): string[] {
  const results = resultsOf(task);
  return task.subTasks.filter((id) => !Object.hasOwn(results, id));
}

function isError(error: unknown, code: ErrorCode): boolean {
  return error instanceof LaminaError && error.code === code;
}
