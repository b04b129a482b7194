/** Contract: episodes are occurrences of a user and an agent, kept in the order in which they happened. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const OWN_ID = '11111111-1111-4111-8111-111111111111';

/** All pages of recent history, by content. */
async function recent(memory: Memory, input: OperationInput<'episodic.recent'> = {}): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.episodic.recent({ limit: 7, ...input, ...(cursor && { cursor }) });
    assert.equal(page.count, page.episodes.length);
    contents.push(...page.episodes.map(({ content }) => content));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return contents;
}

async function found(memory: Memory, input: Partial<OperationInput<'episodic.search'>> = {}): Promise<string[]> {
  const { results, count } = await memory.episodic.search({ query: 'memo', threshold: 0, limit: 100, ...input });
  assert.equal(count, results.length);
  return results.map(({ content }) => content);
}

interface Logged {
  readonly principal: PrincipalInput;
  readonly agentId: string;
  readonly sessionId: string;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly at: number;
  readonly content: string;
}

const DAY = Date.parse('2026-02-03T00:00:00Z');
const USERS = ['u1', 'u10', "o'brien", 'u1","a1'];

async function populate(subject: MemorySubject, random: SeededRandom): Promise<Logged[]> {
  const logged: Logged[] = [];
  for (let count = 0; count < 60; count += 1) {
    const userId = random.pick(USERS);
    const agentId = random.pick(['a1', 'a10', '["a1"]']);
    const one: Logged = {
      principal: { userId, ...(random.below(3) === 0 && { agentId }) },
      agentId,
      sessionId: random.pick(['s1', 's10']),
      role: random.pick(['user', 'assistant', 'system', 'tool']),
      // Few distinct times, so that some are equal.
      at: DAY + random.below(20) * 60_000,
      content: `memo ${random.words(3)}`,
    };
    const { principal, at, ...input } = one;
    await subject.as(principal).episodic.log({ ...input, occurredAt: new Date(at).toISOString() });
    logged.push(one);
  }
  return logged;
}

export function episodicContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('logging episodes', () => logging(runner, open));
  runner.describe('recent episodes', () => reading(runner, open));
  runner.describe('searching episodes', () => searching(runner, open));
}

function logging(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('answers with the episode, private to user and agent', async (subject) => {
    const memory = subject.as(ALICE);
    const input = {
      agentId: 'billing',
      role: 'user',
      content: 'Why did my billing fail?',
      sessionId: 's',
      turn: 3,
      metadata: { channel: 'web' },
      occurredAt: '2026-02-03T05:06:07+01:00',
    } as const;
    const { status, id, ...episode } = await memory.episodic.log(input);
    assert.equal(status, 'created');
    assert.deepEqual(
      { ...episode, createdAt: '', updatedAt: '' },
      {
        ...input,
        userId: 'alice',
        sensitivity: 'internal',
        trust: 'user',
        tags: [],
        occurredAt: '2026-02-03T04:06:07.000Z',
        version: 1,
        createdAt: '',
        updatedAt: '',
      },
    );
    const entry = (await memory.get({ id })).memory;
    assert.deepEqual([entry?.kind, entry?.layer, entry?.visibility], ['episodic', 'agent', 'private']);
    assert.deepEqual(entry?.identifiers, { userId: 'alice', agentId: 'billing', sessionId: 's' });
    assert.equal((await subject.as({ userId: 'bob' }).get({ id })).memory, null);
    const brief = await memory.episodic.log({ agentId: 'billing', role: 'tool', content: 'ok' });
    assert.equal(brief.occurredAt, brief.createdAt);
    assert.equal('sessionId' in brief, false);
  });

  test('repeats are occurrences, unless they bring the same id', async (subject) => {
    const memory = subject.as({ userId: 'alice', agentId: 'a' });
    const input = { role: 'user', content: 'yes' } as const;
    for (let count = 0; count < 3; count += 1) assert.equal((await memory.episodic.log(input)).status, 'created');
    const first = await memory.episodic.log({ ...input, id: OWN_ID });
    const again = await memory.episodic.log({ ...input, id: OWN_ID });
    assert.deepEqual([first.status, again.status, again.id], ['created', 'unchanged', OWN_ID]);
    await failure('VERSION_CONFLICT', memory.episodic.log({ ...input, content: 'no', id: OWN_ID }));
    assert.equal((await recent(memory)).length, 4);
  });

  test('needs an agent, and is kept to it', async (subject) => {
    const input = { role: 'user', content: 'memo' } as const;
    const error = await failure('MISSING_IDENTIFIER', subject.as(ALICE).episodic.log(input));
    assert.match(error.message, /agent_?id/i);
    const bound = subject.as({ userId: 'alice', agentId: 'a1' });
    await failure('FORBIDDEN', bound.episodic.log({ ...input, agentId: 'a10' }));
    assert.equal((await bound.episodic.log(input)).agentId, 'a1');
  });

  test('is one with the layered operations', async (subject) => {
    const memory = subject.as(ALICE);
    const identifiers = { userId: 'alice', agentId: 'a' };
    const { id } = await memory.episodic.log({ agentId: 'a', role: 'user', content: 'memo logged' });
    await memory.add({ content: 'memo added', layer: 'agent', kind: 'episodic', identifiers });
    await memory.add({ content: 'memo known', layer: 'agent', identifiers });
    assertSameMembers(await recent(memory, { agentId: 'a' }), ['memo logged', 'memo added']);
    assertSameMembers(await found(memory), ['memo logged', 'memo added']);
    const everything = ['memo logged', 'memo added', 'memo known'];
    assertSameMembers(await recalled(memory, { query: 'memo', identifiers, layers: ['agent'] }), everything);
    assertSameMembers(await listed(memory, { layer: 'agent', identifiers }), everything);
    await memory.update({ id, content: 'memo corrected' });
    assert.equal((await memory.versions({ id })).versions.length, 2);
    await memory.forget({ ids: [id] });
    assert.deepEqual(await recent(memory), ['memo added']);
  });

  test('refuses what it cannot understand, and stores nothing', async (subject) => {
    const { episodic } = subject.as(ALICE);
    const good = { agentId: 'a', role: 'user', content: 'x' };
    const bad: unknown[] = [
      { ...good, role: 'robot' },
      { ...good, role: undefined },
      { ...good, content: '' },
      { ...good, turn: -1 },
      { ...good, turn: 1.5 },
      { ...good, agentId: '' },
      { ...good, agentId: 'a'.repeat(101) },
      { ...good, sessionId: 's'.repeat(101) },
      { ...good, occurredAt: 'yesterday' },
      { ...good, id: 'not-a-uuid' },
      { ...good, userId: 'bob' },
    ];
    for (const input of bad) await failure('VALIDATION_FAILED', episodic.log(input as never));
    assert.equal(subject.embedder.texts, 0);
    assert.deepEqual(await recent(subject.as(ALICE)), []);
  });
}

function reading(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('show each principal its own, by agent, session, role and time', async (subject) => {
    const random = new SeededRandom(51);
    const logged = await populate(subject, random);
    for (let count = 0; count < 40; count += 1) {
      const userId = random.pick(USERS);
      const bound = random.pick(['', '', 'a1']);
      const agentId = random.pick(['', 'a1', 'a10']);
      const sessionId = random.pick(['', 's1']);
      const role = random.pick(['', '', 'user'] as const);
      const [from, to] = [random.pick([0, DAY + 5 * 60_000]), random.pick([0, DAY + 12 * 60_000])];
      const memory = subject.as({ userId, ...(bound && { agentId: bound }) });
      const which = {
        ...(agentId && { agentId }),
        ...(sessionId && { sessionId }),
        ...(role && { role }),
        ...(from && { from: new Date(from).toISOString() }),
        ...(to && { to: new Date(to).toISOString() }),
      };
      const agent = agentId || bound;
      const expected = logged.filter(
        (one) =>
          one.principal.userId === userId &&
          (agent === '' || one.agentId === agent) &&
          // A principal that names its agent is kept to it.
          (bound === '' || one.agentId === bound) &&
          (sessionId === '' || one.sessionId === sessionId) &&
          (role === '' || one.role === role) &&
          (from === 0 || one.at >= from) &&
          (to === 0 || one.at <= to),
      );
      const contents = expected.map(({ content }) => content);
      const shown = await recent(memory, which);
      assertSameMembers(shown, contents);
      const times = shown.map((content) => expected.find((one) => one.content === content)?.at ?? 0);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
      assertSameMembers(
        await found(memory, { ...which, mode: random.pick(['hybrid', 'keyword', 'semantic']) }),
        contents,
      );
    }
  });

  const clock = new ManualClock();
  test(
    'come in the order in which they happened, page by page, while others write',
    async (subject) => {
      const memory = subject.as({ userId: 'alice', agentId: 'a' });
      for (let turn = 0; turn < 9; turn += 1) {
        await memory.episodic.log({ role: 'user', content: `turn ${turn}`, turn });
        clock.advance(1000);
      }
      const first = await memory.episodic.recent({ limit: 4 });
      assert.deepEqual(
        first.episodes.map(({ turn }) => turn),
        [8, 7, 6, 5],
      );
      await memory.episodic.log({ role: 'user', content: 'a newer one' });
      await memory.episodic.log({ role: 'user', content: 'an older one', occurredAt: '2001-01-01T00:00:00Z' });
      await memory.episodic.log({ role: 'user', content: 'an ancient one', occurredAt: '0001-01-01T00:00:00Z' });
      assert.ok(first.nextCursor);
      const rest: string[] = [];
      let cursor: string | null = first.nextCursor;
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof memory.episodic.recent>> = await memory.episodic.recent({
          limit: 4,
          cursor,
        });
        rest.push(...page.episodes.map(({ content }) => content));
        cursor = page.nextCursor;
      }
      assert.deepEqual(rest, ['turn 4', 'turn 3', 'turn 2', 'turn 1', 'turn 0', 'an older one', 'an ancient one']);
      assert.equal(nth(await recent(memory)), 'a newer one');
    },
    { clock },
  );

  test('refuse broken cursors, ranges that end before they begin, and the like', async (subject) => {
    const { episodic } = subject.as(ALICE);
    for (const content of ['one', 'two']) await episodic.log({ agentId: 'a', role: 'user', content });
    const { nextCursor } = await episodic.recent({ agentId: 'a', limit: 1 });
    assert.ok(nextCursor);
    const bad: unknown[] = [
      { cursor: nextCursor },
      { agentId: 'a', cursor: nextCursor, role: 'user' },
      { agentId: 'a', cursor: nextCursor, from: '2020-01-01T00:00:00Z' },
      { agentId: 'a', cursor: `${nextCursor}x` },
      { cursor: 'broken' },
      { limit: 0 },
      { limit: 101 },
      { role: 'robot' },
      { from: 'monday' },
      { from: '2026-02-03T00:00:01Z', to: '2026-02-03T00:00:00Z' },
      { userId: 'bob' },
    ];
    for (const input of bad) await failure('VALIDATION_FAILED', episodic.recent(input as never));
    assert.equal((await episodic.recent({ agentId: 'a', cursor: nextCursor, limit: 5 })).count, 1);
    const backwards = { query: 'x', from: '2026-02-03T00:00:00.001Z', to: '2026-02-03T01:00:00+01:00' };
    await failure('VALIDATION_FAILED', episodic.search(backwards));
    assert.equal((await episodic.search({ ...backwards, from: '2026-02-03T00:00:00Z' })).count, 0);
  });

  test('of more than a hundred agents are read by agent', async (subject) => {
    const memory = subject.as(ALICE);
    const logged = Array.from({ length: 101 }, (_, n) => ({
      content: `memo ${n}`,
      kind: 'episodic' as const,
      layer: 'agent' as const,
      identifiers: { userId: 'alice', agentId: `a${n}` },
    }));
    await memory.addMany(logged.slice(1));
    assert.equal((await recent(memory)).length, 100);
    await memory.addMany(logged.slice(0, 1));
    const { message } = await failure('VALIDATION_FAILED', memory.episodic.recent({}));
    assert.match(message, /agentId|agent_id/);
    await failure('VALIDATION_FAILED', memory.episodic.search({ query: 'memo' }));
    assert.deepEqual(await recent(memory, { agentId: 'a0' }), ['memo 0']);
  });

  test('of nobody are none', async (subject) => {
    const memory = subject.as(ALICE);
    assert.deepEqual(await memory.episodic.recent({}), { episodes: [], count: 0, nextCursor: null });
    assert.deepEqual(await memory.episodic.search({ query: 'anything' }), { results: [], count: 0 });
  });
}

function searching(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('ranks by relevance and says how it came to that', async (subject) => {
    const memory = subject.as(ALICE);
    for (const [agentId, content] of [
      ['a', 'We talked about the roof of the barn'],
      ['b', 'The user asked for the invoice of March'],
      ['a', 'The invoice was sent'],
    ] as const) {
      await memory.episodic.log({ agentId, role: 'user', content, sessionId: 's' });
    }
    const { results } = await memory.episodic.search({ query: 'invoice of March', threshold: 0 });
    assert.deepEqual(
      results.slice(0, 2).map(({ content, agentId }) => [agentId, content]),
      [
        ['b', 'The user asked for the invoice of March'],
        ['a', 'The invoice was sent'],
      ],
    );
    const best = nth(results);
    assert.equal(best.sessionId, 's');
    assert.ok(best.score > 0.7 && best.signals.text > 0 && (best.similarity ?? 0) > 0);
    assert.deepEqual(await found(memory, { query: 'invoice of March', agentId: 'a', limit: 1 }), [
      'The invoice was sent',
    ]);
    await failure('VALIDATION_FAILED', memory.episodic.search({ query: '' }));
    await failure('QUERY_TOO_LONG', memory.episodic.search({ query: 'x'.repeat(8_193) }));
  });
}
