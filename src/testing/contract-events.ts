/** Contract: what happens to memories can be followed: once, in order, by those who may see them and nobody else. */

import assert from 'node:assert/strict';
import type { Event } from '../domain/event.ts';
import type { Memory } from '../operations/memory.ts';
import { failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

/** Events come at once, or within seconds where a hint got lost; one that does not come at all must not hang a test. */
const PATIENCE_MS = 20_000;

const SHARED = { layer: 'company' } as const;

/** As many events as asked for after a position; fails when they do not come. */
async function take({ events }: Memory, count: number, after?: string): Promise<Event[]> {
  const taken: Event[] = [];
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for await (const event of events.follow({ ...(after !== undefined && { after }), signal })) {
    if (taken.push(event) === count) return taken;
  }
  return assert.fail(`${taken.length} events came instead of ${count}: ${JSON.stringify(taken.slice(-5))}`);
}

const positionOf = async ({ events }: Memory): Promise<string> => (await events.position({})).position;

const add = async (memory: Memory, content: string, input: object = SHARED): Promise<string> =>
  (await memory.add({ content, layer: 'company', ...input })).memory.id;

const idsOf = (events: readonly Event[]): string[] => events.map(({ memoryId }) => memoryId);

export function eventsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  runner.describe('events', () => {
    test('tell that a memory was created, updated and deleted, once and in order', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const after = await positionOf(memory);
      const id = await add(memory, 'The kettle is blue.');
      const { memory: updated } = await memory.update({ id, content: 'The kettle is green.' });
      await memory.update({ id, content: 'The kettle is green.' });
      await memory.delete({ id });
      const marker = await add(memory, 'The end.');
      const events = await take(memory, 4, after);
      assert.deepEqual(
        events.map(({ type, memoryId, version }) => [type, memoryId, version]),
        [
          ['created', id, 1],
          ['updated', id, updated.version],
          ['deleted', id, updated.version],
          ['created', marker, 1],
        ],
      );
      assert.equal(new Set(events.map((event) => event.id)).size, 4);
    });

    test('say nothing of what a memory says', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const after = await positionOf(memory);
      await add(memory, 'Marmalade.', { metadata: { colour: 'orange' }, tags: ['breakfast'] });
      const told = JSON.stringify(await take(memory, 1, after));
      assert.doesNotMatch(told, /marmalade|orange|breakfast|alice/i);
    });

    test('come as they happen to one who has been following all along', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const before = await add(memory, 'Long before.');
      const stop = new AbortController();
      const events = memory.events.follow({ signal: stop.signal })[Symbol.asyncIterator]();
      let first = events.next();
      // Nobody can tell from outside when it has begun: so something happens until it has.
      const has = { begun: false };
      first.finally(() => (has.begun = true)).catch(() => {});
      const written: string[] = [];
      for (let n = 0; !has.begun && n < 1000; n += 1) {
        written.push(await add(memory, `Marker ${n}.`));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      for (let n = 0; n < 20; n += 1) written.push(await add(memory, `Later ${n}.`));
      const seen: string[] = [];
      while (seen.at(-1) !== written.at(-1)) {
        const { done, value } = await first;
        assert.ok(!done);
        seen.push(value.memoryId);
        first = events.next();
        first.catch(() => {});
      }
      assert.ok(!seen.includes(before));
      assert.deepEqual(seen, written.slice(-seen.length));
      stop.abort();
      assert.equal((await first).done, true);
    });

    test('of what is private reach its user and nobody else', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const stranger = subject.as({ userId: 'alice', tenantId: '00000000-0000-0000-0000-00000000000b' });
      const [ofBob, ofStranger] = [await positionOf(bob), await positionOf(stranger)];
      const secret = await add(alice, 'My diary.', { layer: 'user' });
      const hidden = await add(alice, 'My draft.', { visibility: 'private' });
      await alice.update({ id: secret, content: 'My diary, continued.' });
      await alice.delete({ id: secret });
      const shared = await add(alice, 'Our calendar.');
      const elsewhere = await add(stranger, 'Their calendar.');
      assert.deepEqual(idsOf(await take(bob, 1, ofBob)), [shared]);
      assert.deepEqual(idsOf(await take(stranger, 1, ofStranger)), [elsewhere]);
      assert.deepEqual(idsOf(await take(alice, 5, ofBob)), [secret, hidden, secret, secret, shared]);
    });

    test("of an agent's own memory reach that agent and its user", async (subject) => {
      const user = subject.as({ userId: 'alice' });
      const [writer, reader] = ['writer', 'reader'].map((agentId) => subject.as({ userId: 'alice', agentId }));
      assert.ok(writer && reader);
      const after = await positionOf(user);
      const own = await add(writer, 'How I write.', { layer: 'agent' });
      const shared = await add(writer, 'What I wrote.');
      assert.deepEqual(idsOf(await take(reader, 1, after)), [shared]);
      assert.deepEqual(idsOf(await take(writer, 2, after)), [own, shared]);
      assert.deepEqual(idsOf(await take(user, 2, after)), [own, shared]);
    });

    test('of a change of who may see a memory reach those from whom it was taken', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const place = { layer: 'user', identifiers: { userId: 'alice' }, visibility: 'shared' } as const;
      const id = await add(alice, 'My address.', place);
      const after = await positionOf(bob);
      const { memory: hidden } = await alice.update({ id, visibility: 'private' });
      await alice.update({ id, content: 'My new address.' });
      const marker = await add(alice, 'The end.');
      const seen = await take(bob, 2, after);
      assert.deepEqual(idsOf(seen), [id, marker]);
      assert.equal(nth(seen).version, hidden.version);
      assert.equal((await bob.get({ id })).memory, null);
    });

    test('go on after any of them, with nothing missed and nothing twice', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const after = await positionOf(memory);
      const inputs = Array.from({ length: 230 }, (_, n) => ({ content: `Number ${n}.`, layer: 'company' }) as const);
      const ids = (await memory.addMany(inputs)).map((added) => added.memory.id);
      const all = await take(memory, 230, after);
      assert.deepEqual(idsOf(all), ids);
      for (const at of [0, 98, 99, 100, 199, 228]) {
        const rest = await take(memory, 229 - at, nth(all, at).id);
        assert.deepEqual(rest, all.slice(at + 1));
      }
    });

    test('of many writers at once each come once', async (subject) => {
      const writers = ['a', 'b', 'c', 'd'].map((userId) => subject.as({ userId }));
      const reader = subject.as({ userId: 'reader' });
      const after = await positionOf(reader);
      const reading = take(reader, 100, after);
      const written = await Promise.all(
        writers.map(async (writer, n) => {
          const ids: string[] = [];
          for (let at = 0; at < 25; at += 1) ids.push(await add(writer, `Writer ${n}, entry ${at}.`));
          return ids;
        }),
      );
      const seen = await reading;
      assert.deepEqual(idsOf(seen).toSorted(), written.flat().toSorted());
      assert.deepEqual(idsOf(await take(reader, 100, after)).toSorted(), written.flat().toSorted());
      for (const ids of written)
        assert.deepEqual(
          idsOf(seen).filter((id) => ids.includes(id)),
          ids,
        );
    });

    test('end when they are told to, also before they begin', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      for await (const event of memory.events.follow({ signal: AbortSignal.abort() })) assert.fail(event.id);
      const stop = new AbortController();
      const next = memory.events.follow({ signal: stop.signal })[Symbol.asyncIterator]().next();
      setTimeout(() => stop.abort(), 50);
      assert.equal((await next).done, true);
    });

    test('refuse what is no position', async (subject) => {
      const { events } = subject.as({ userId: 'alice' });
      for (const after of ['nowhere', '-1', '1.2.x', "1.1'; --", 'x'.repeat(5000)]) {
        const iterator = events.follow({ after })[Symbol.asyncIterator]();
        await failure('VALIDATION_FAILED', iterator.next());
      }
    });
  });
}
