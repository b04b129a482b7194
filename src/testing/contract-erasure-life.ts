/** The life of a user: something of every kind that Lamina can hold, and every way to look for it again. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import type { ErasureCounts } from '../domain/erasure.ts';
import { NOTHING_COUNTED } from '../domain/erasure.ts';
import { failure, listed, recalled } from './contract-assertions.ts';

const PROJECT = { layer: 'project', identifiers: { projectId: 'atlas' } } as const;

/** What a user of this name leaves behind. Every text holds the mark, which nothing else does. */
export class UserLife {
  readonly mark: string;
  readonly ids: string[] = [];
  readonly #memory: Memory;
  readonly #userId: string;
  /** Knowledge that belongs to its project, although this user wrote it down. */
  commonId = '';
  /** A fact of the project's; likewise. */
  commonFactId = '';

  constructor(memory: Memory, userId: string, mark: string) {
    this.#memory = memory;
    this.#userId = userId;
    this.mark = mark;
  }

  /** Counts in step with {@link live}. */
  readonly expected: ErasureCounts = {
    ...NOTHING_COUNTED,
    entries: 9,
    versions: 2,
    embeddings: 9,
    // Nine created, two updated, and two of an entry that was deleted before.
    events: 13,
    state: 2,
    plans: 1,
    planContexts: 2,
    taskContexts: 1,
    sessions: 1,
    facts: 2,
    users: 1,
    // The project's knowledge names who wrote it, and so do its past and its two events.
    mentions: 4,
  };

  async live(): Promise<void> {
    await this.#remember();
    await this.#learn();
    await this.#share();
    await this.#plan();
    await this.#know();
  }

  async #remember(): Promise<void> {
    const [memory, mark, userId] = [this.#memory, this.mark, this.#userId];
    const own = await memory.addMany([
      { content: `${mark} likes tea`, layer: 'user', externalId: `${mark}-external`, metadata: { [mark]: mark } },
      { content: `${mark} is shared`, ...PROJECT, kind: 'episodic', visibility: 'shared' },
      { content: `${mark} is private`, ...PROJECT, visibility: 'private' },
      { content: `${mark} in a session`, layer: 'session', identifiers: { userId, sessionId: `${mark}-session` } },
      { content: `${mark} helps`, layer: 'agent', identifiers: { userId, agentId: 'helper' }, kind: 'procedural' },
      { content: `${mark} will be gone soon`, layer: 'user', expiresAt: '2999-01-01T00:00:00Z' },
    ]);
    this.ids.push(...own.map((each) => each.memory.id));
    const [first = ''] = this.ids;
    await memory.update({ id: first, content: `${mark} likes coffee` });
    await memory.update({ id: first, content: `${mark} likes water` });
    await memory.get({ id: first });
    const passing = await memory.add({ content: `${mark} in passing`, layer: 'user' });
    await memory.delete({ id: passing.memory.id });
  }

  async #learn(): Promise<void> {
    const [memory, mark] = [this.#memory, this.mark];
    const learnt = [
      await memory.semantic.store({ content: `${mark} knows`, userId: this.#userId }),
      await memory.episodic.log({ agentId: 'helper', role: 'user', content: `${mark} asks` }),
      await memory.procedural.add({
        agentId: 'helper',
        content: `${mark} first`,
        triggerCondition: `when ${mark} asks`,
        procedureType: 'system_prompt',
      }),
    ];
    this.ids.push(...learnt.map(({ id }) => id));
  }

  async #share(): Promise<void> {
    const identifiers = { ...PROJECT.identifiers, userId: this.#userId };
    const common = { ...PROJECT, identifiers, externalId: 'common' };
    this.commonId = (await this.#memory.add({ ...common, content: 'Atlas stands on a hill' })).memory.id;
    await this.#memory.update({ id: this.commonId, content: 'Atlas stands on two hills' });
  }

  async #plan(): Promise<void> {
    const [memory, mark] = [this.#memory, this.mark];
    const goalData = { topic: mark };
    await memory.sessions.create({ sessionId: `${mark}-session`, metadata: { mark } });
    await memory.plans.create({ planId: `${mark}-plan`, goalEvent: 'goal', goalData });
    await memory.planContexts.save({
      planId: `${mark}-plan`,
      goalEvent: 'goal',
      goalData,
      correlationIds: [`${mark}-correlation`],
    });
    // Only its session says whose it is.
    await memory.planContexts.save({ planId: `${mark}-loose`, sessionId: `${mark}-session`, goalEvent: 'goal' });
    await memory.tasks.save({
      taskId: `${mark}-task`,
      planId: `${mark}-plan`,
      eventType: 'asked',
      data: { mark },
      subTasks: [`${mark}-subtask`],
    });
    await memory.working.set({ planId: `${mark}-plan`, key: 'note', value: { mark } });
    await memory.working.set({ planId: `${mark}-loose`, key: 'note', value: [mark] });
  }

  /** Two facts of the user's own, and one of the project's. */
  async #know(): Promise<void> {
    const [{ facts }, mark] = [this.#memory, this.mark];
    const drinks = { factType: mark, subject: mark, predicate: 'drinks', metadata: { mark } };
    await facts.add({ ...drinks, object: `${mark} tea`, validFrom: '2026-01-01T00:00:00Z' });
    await facts.add({ ...drinks, object: `${mark} water`, cardinality: 'one' });
    const stands = { factType: 'place', subject: 'Atlas', predicate: 'stands on', object: 'a hill' };
    this.commonFactId = (await facts.add({ ...PROJECT, ...stands })).fact.factId;
  }

  /** No operation finds anything of it, as this user or as anyone. */
  async assertGone(memories: readonly Memory[]): Promise<void> {
    for (const memory of memories) {
      await this.#assertNoEntries(memory);
      await this.#assertNoRecords(memory);
    }
  }

  async #assertNoEntries(memory: Memory): Promise<void> {
    for (const id of this.ids) {
      assert.deepEqual(await memory.get({ id }), { memory: null });
      await failure('MEMORY_NOT_FOUND', memory.versions({ id }));
      assert.deepEqual(await memory.delete({ id }), { success: false });
    }
    const identifiers = {
      userId: this.#userId,
      agentId: 'helper',
      sessionId: `${this.mark}-session`,
      projectId: 'atlas',
    };
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      const found = await recalled(memory, { query: `${this.mark} likes water`, mode, identifiers });
      assert.deepEqual(
        found.filter((content) => content.includes(this.mark)),
        [],
        mode,
      );
    }
    for (const layer of ['user', 'agent', 'session', 'project'] as const) {
      const found = await listed(memory, { layer, identifiers });
      assert.deepEqual(
        found.filter((content) => content.includes(this.mark)),
        [],
        layer,
      );
    }
    for (const answer of [
      await memory.episodic.recent({ agentId: 'helper' }),
      await memory.procedural.list({ agentId: 'helper' }),
      await memory.semantic.search({ query: 'who knows' }),
      await memory.episodic.search({ query: 'who asks', agentId: 'helper' }),
      await memory.procedural.context({ query: 'when somebody asks', agentId: 'helper' }),
    ]) {
      assert.doesNotMatch(JSON.stringify(answer), new RegExp(this.mark));
    }
  }

  async #assertNoRecords(memory: Memory): Promise<void> {
    const mark = this.mark;
    assert.equal(await memory.sessions.get({ sessionId: `${mark}-session` }), null);
    assert.equal(await memory.plans.get({ planId: `${mark}-plan` }), null);
    assert.equal(await memory.tasks.get({ taskId: `${mark}-task` }), null);
    assert.equal(await memory.tasks.bySubtask({ subtaskId: `${mark}-subtask` }), null);
    assert.equal(await memory.planContexts.byCorrelation({ correlationId: `${mark}-correlation` }), null);
    for (const planId of [`${mark}-plan`, `${mark}-loose`]) {
      assert.equal(await memory.planContexts.get({ planId }), null);
      assert.equal(await memory.working.get({ planId, key: 'note' }), null);
      assert.deepEqual((await memory.working.list({ planId })).items, []);
    }
    const identifiers = { userId: this.#userId, projectId: 'atlas' };
    const facts = memory.facts.list({ identifiers, includeClosed: true });
    for (const list of [memory.plans.list({}), memory.sessions.list({}), facts]) {
      assert.doesNotMatch(JSON.stringify(await list), new RegExp(mark));
    }
  }

  /** Everything is where it was left. */
  async assertThere(): Promise<void> {
    const memory = this.#memory;
    for (const id of this.ids) assert.notEqual((await memory.get({ id })).memory, null);
    const query = `${this.mark} likes water`;
    assert.ok((await recalled(memory, { query })).includes(query));
    assert.notEqual(await memory.sessions.get({ sessionId: `${this.mark}-session` }), null);
    assert.notEqual(await memory.plans.get({ planId: `${this.mark}-plan` }), null);
    assert.notEqual(await memory.tasks.bySubtask({ subtaskId: `${this.mark}-subtask` }), null);
    assert.notEqual(await memory.planContexts.byCorrelation({ correlationId: `${this.mark}-correlation` }), null);
    assert.notEqual(await memory.working.get({ planId: `${this.mark}-plan`, key: 'note' }), null);
    assert.equal((await memory.facts.list({ subject: this.mark })).count, 1);
  }
}
