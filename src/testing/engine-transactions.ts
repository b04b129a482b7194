/** Engine contract: transactions are whole, alone and durable. */

import assert from 'node:assert/strict';
import { MAX_ACCESS_TIMES } from '../domain/access-times.ts';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Engine } from '../ports/engine.ts';
import type { Candidate, Entries, Probe } from '../ports/entry-store.ts';
import { nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';

const PLACE = partitionOfEntry(entryOf({ content: 'anything' }));

async function insert(store: Entries, entries: readonly Entry[], principal: Principal = TENANT): Promise<void> {
  const writes = await Promise.all(entries.map(writeOf));
  await store.transaction(principal, (tx) => tx.insert(writes));
}

/** All that can be seen of the place, to be compared before and after. */
async function view(store: Entries, terms: readonly string[], principal: Principal = TENANT): Promise<unknown> {
  const partitions = [PLACE];
  const embedding = await embeddingOf(terms.join(' '));
  const inOrder = async (probe: Probe): Promise<Candidate[]> =>
    (await store.candidates(principal, { partitions }, probe, 1000)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const entries = await store.list(principal, { partitions }, 1000);
  const ids = entries.map(({ id }) => id);
  return {
    entries,
    count: await store.count(principal, { partitions }),
    histories: await Promise.all(ids.map((id) => store.history(principal, id))),
    statistics: await store.textStatistics(principal, partitions, terms),
    byText: await inOrder(wordsProbe(...terms)),
    byVector: await inOrder({ terms: [], embedding }),
    vectors: [...(await store.vectors(principal, embedding.space, ids))].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  };
}

export function engineTransactions(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('transactions', () => {
    test('are whole: one that throws leaves nothing, in the store and in the indexes', async ({
      engine: { entries: store },
    }) => {
      const [kept, doomed] = [entryOf({ content: 'kept here' }), entryOf({ content: 'doomed here' })];
      await insert(store, [kept, doomed]);
      const terms = ['kept', 'doomed', 'here', 'new', 'changed'];
      const before = await view(store, terms);
      const failure = new Error('enough');
      const failing = store.transaction(TENANT, async (tx) => {
        await tx.insert([await writeOf(entryOf({ content: 'new here' }))]);
        await tx.replace([await writeOf(nextVersion(kept, { content: 'changed here' }))]);
        await tx.remove([doomed.id]);
        assert.equal((await tx.list({ partitions: [PLACE] }, 10)).length, 2);
        throw failure;
      });
      await assert.rejects(failing, (error) => error === failure);
      assert.deepEqual(await view(store, terms), before);
    });

    test('see what they wrote themselves, and answer with what their work answers', async ({
      engine: { entries: store },
    }) => {
      const entry = entryOf({ content: 'first', externalId: 'x' });
      const answer = await store.transaction(TENANT, async (tx) => {
        await tx.insert([await writeOf(entry)]);
        assert.deepEqual(await tx.find([entry.id]), [entry]);
        const second = nextVersion(entry, { content: 'second' });
        await tx.replace([await writeOf(second)]);
        const identity = { partition: PLACE, ownerId: null, externalId: 'x' };
        assert.deepEqual(await tx.findSame([identity]), [second]);
        await tx.remove([entry.id]);
        assert.deepEqual(await tx.find([entry.id]), []);
        return 'answer';
      });
      assert.equal(answer, 'answer');
      assert.equal(await store.count(TENANT, { partitions: [PLACE] }), 0);
    });

    test('run one after the other: no update is lost', async ({ engine: { entries: store } }) => {
      const entry = entryOf({ content: 'counter', metadata: { n: 0 } });
      await insert(store, [entry]);
      const rounds = Array.from({ length: 40 }, () =>
        store.transaction(TENANT, async (tx) => {
          const current = nth(await tx.find([entry.id]));
          const next = nextVersion(current, { metadata: { n: Number(current.metadata['n']) + 1 } });
          await tx.replace([{ ...(await writeOf(next)), embedding: undefined }]);
        }),
      );
      await Promise.all(rounds);
      const [current] = await store.find(TENANT, [entry.id]);
      assert.deepEqual([current?.metadata['n'], current?.version], [40, 41]);
      assert.equal((await store.history(TENANT, entry.id)).length, 40);
    });

    test('refuse a version that does not follow the stored one, and leave everything as it is', async ({
      engine: { entries: store },
    }) => {
      const [entry, other] = [entryOf({ content: 'first' }), entryOf({ content: 'other' })];
      await insert(store, [entry, other]);
      const second = nextVersion(entry, { content: 'second' });
      await store.transaction(TENANT, async (tx) => tx.replace([await writeOf(second)]));
      const before = await view(store, ['first', 'second', 'other']);
      for (const version of [1, 2, 4]) {
        for (const isSeen of [true, false]) {
          const refused = store.transaction(TENANT, async (tx) => {
            if (isSeen) await tx.find([entry.id]);
            const wrong = { ...nextVersion(second, { content: 'wrong' }), version };
            await tx.replace([await writeOf(nextVersion(other, {})), await writeOf(wrong)]);
          });
          const isConflict = (error: unknown): boolean =>
            error instanceof LaminaError && error.code === 'VERSION_CONFLICT';
          await assert.rejects(refused, isConflict, `version ${version}`);
        }
      }
      assert.deepEqual(await view(store, ['first', 'second', 'other']), before);
      await store.transaction(TENANT, async (tx) => tx.replace([await writeOf(nextVersion(second, {}))]));
      assert.equal((await store.history(TENANT, entry.id)).length, 2);
    });

    test('that fail do not take their neighbours down', async ({ engine: { entries: store } }) => {
      const entries = Array.from({ length: 30 }, (_, n) => entryOf({ content: `neighbour ${n}` }));
      const outcomes = await Promise.allSettled(
        entries.map((entry, index) =>
          store.transaction(TENANT, async (tx) => {
            await tx.insert([await writeOf(entry)]);
            if (index % 3 === 0) throw new LaminaError('VERSION_CONFLICT', `neighbour ${index} fails`);
            // The same id twice: whatever the database says to that is the failure of this one alone.
            if (index % 3 === 1) await tx.insert([await writeOf(entry)]);
          }),
        ),
      );
      const stored = await store.list(TENANT, { partitions: [PLACE] }, 100);
      assert.deepEqual(
        stored.map(({ content }) => content).toSorted(),
        entries.flatMap(({ content }, index) => (index % 3 === 2 ? [content] : [])).toSorted(),
      );
      for (const [index, outcome] of outcomes.entries()) {
        assert.equal(outcome.status, index % 3 === 2 ? 'fulfilled' : 'rejected');
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof LaminaError);
      }
      const { documents } = await store.textStatistics(TENANT, [PLACE], []);
      assert.equal(documents, 10);
    });

    test('are durable: another engine on the same store sees all of it', async (subject) => {
      const entries = Array.from({ length: 20 }, (_, n) =>
        entryOf({ content: `durable thing ${n}`, externalId: `${n}` }),
      );
      await insert(subject.engine.entries, entries);
      const changed = nth(entries, 3);
      await subject.engine.entries.transaction(TENANT, async (tx) => {
        await tx.replace([await writeOf(nextVersion(changed, { content: 'changed thing' }))]);
        await tx.remove(entries.slice(10, 15).map(({ id }) => id));
      });
      const terms = ['durable', 'thing', 'changed', '12'];
      const before = await view(subject.engine.entries, terms);
      const { entries: reopened } = await subject.reopen();
      assert.deepEqual(await view(reopened, terms), before);
      assert.equal(await reopened.count(TENANT, { partitions: [PLACE] }), 15);
    });
  });

  runner.describe('the store', () => {
    test('tells the same by id, then by external id, then by content', async ({
      engine: { entries: store },
    }, clock) => {
      const named = entryOf({ content: 'shared words', externalId: 'n' });
      const anonymous = entryOf({ content: 'shared words' });
      const other = entryOf({ content: 'other words', ownerId: 'v', visibility: 'private' });
      const expiring = entryOf({ content: 'brief words', expiresAt: new Date(clock.now() + 1000).toISOString() });
      const episode = entryOf({ content: 'spoken words', kind: 'episodic', ownerId: 'u', visibility: 'private' });
      await insert(store, [named, anonymous, expiring, episode]);
      await insert(store, [other], userOf('v'));
      clock.advance(2000);
      const place = { partition: PLACE, ownerId: null };
      const { contentHash } = anonymous;
      for (const [identity, expected] of [
        [{ ...place, id: anonymous.id, externalId: 'n', contentHash }, anonymous],
        [{ ...place, externalId: 'n', contentHash }, named],
        [{ ...place, contentHash }, anonymous],
        [{ ...place, externalId: 'unknown', contentHash }, anonymous],
        [{ ...place, externalId: 'unknown' }, null],
        [{ ...place, contentHash: other.contentHash }, null],
        [{ ...place, contentHash: expiring.contentHash }, expiring],
        [{ partition: partitionOfEntry(episode), ownerId: 'u', contentHash: episode.contentHash }, null],
      ] as const) {
        assert.deepEqual(await store.findSame(TENANT, [identity]), [expected]);
      }
      // What is private is told to whose it is.
      for (const [identity, expected] of [
        [{ ...place, id: other.id, externalId: 'n', contentHash }, other],
        [{ ...place, ownerId: 'v', contentHash: other.contentHash }, other],
        [{ ...place, contentHash: other.contentHash }, null],
      ] as const) {
        assert.deepEqual(await store.findSame(userOf('v'), [identity]), [expected]);
      }
      assert.deepEqual(await store.find(TENANT, [expiring.id]), []);
    });

    test('keeps tenants apart, and answers with nothing where there is nothing', async ({
      engine: { entries: store },
    }) => {
      const entry = entryOf({ content: 'mine alone' });
      await insert(store, [entry]);
      const terms = ['mine', 'alone'];
      const nothing = {
        entries: [],
        count: 0,
        histories: [],
        statistics: { documents: 0, averageLength: 0, episodes: 0, documentFrequencies: [0, 0] },
        byText: [],
        byVector: [],
        vectors: [],
      };
      assert.deepEqual(await view(store, terms, OTHER_TENANT), nothing);
      assert.deepEqual(await store.find(OTHER_TENANT, [entry.id]), []);
      assert.deepEqual(await store.findSame(OTHER_TENANT, [{ id: entry.id, partition: PLACE, ownerId: null }]), [null]);
      await insert(store, [entry], OTHER_TENANT);
      await store.transaction(OTHER_TENANT, (tx) => tx.remove([entry.id]));
      assert.deepEqual(await store.find(TENANT, [entry.id]), [entry]);
    });

    test('counts accesses sooner or later, at the latest when it closes', async (subject, clock) => {
      const entry = entryOf({ content: 'looked at' });
      await insert(subject.engine.entries, [entry]);
      subject.engine.entries.touch(TENANT, [entry.id]);
      clock.advance(5000);
      subject.engine.entries.touch(TENANT, [entry.id, '00000000-0000-4000-8000-00000000dead']);
      const lastAccessedAt = new Date(clock.now()).toISOString();
      const times = [clock.now(), clock.now() - 5000];
      const reopened = await subject.reopen();
      assert.deepEqual(await reopened.entries.find(TENANT, [entry.id]), [{ ...entry, accessCount: 2, lastAccessedAt }]);
      assert.deepEqual(await reopened.inspector.accessTimes(TENANT, entry.id), times);
    });

    test('keeps the latest times of access, newest first, and gives them to an archive', async (subject, clock) => {
      const entry = entryOf({ content: 'looked at often' });
      await insert(subject.engine.entries, [entry]);
      const look = ({ entries }: Engine, count: number): number[] =>
        Array.from({ length: count }, () => {
          clock.advance(1000);
          entries.touch(TENANT, [entry.id]);
          return clock.now();
        });
      const first = look(subject.engine, MAX_ACCESS_TIMES + 5);
      const reopened = await subject.reopen();
      assert.deepEqual(await reopened.inspector.accessTimes(TENANT, entry.id), first.slice(5).toReversed());
      const second = look(reopened, 8);
      const { inspector, archive } = await subject.reopen();
      const kept = [...first, ...second].slice(-MAX_ACCESS_TIMES).toReversed();
      assert.deepEqual(await inspector.accessTimes(TENANT, entry.id), kept);
      const { items } = await archive.read(TENANT.tenantId, 'entries', 10);
      await archive.write(OTHER_TENANT.tenantId, 'entries', items);
      assert.deepEqual(await inspector.accessTimes(OTHER_TENANT, entry.id), kept);
      assert.deepEqual((await archive.read(OTHER_TENANT.tenantId, 'entries', 10)).items, items);
    });

    test('knows its size by layer', async ({ engine }) => {
      await insert(engine.entries, [entryOf({ content: 'a' }), entryOf({ content: 'b' })]);
      const own = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;
      await insert(engine.entries, [entryOf({ content: 'c', ...own })], OTHER_TENANT);
      assert.deepEqual(await engine.size(), { project: 2, user: 1 });
    });

    test('can be checked while it is open, and refuses everything once it is closed', async ({ engine }) => {
      await engine.check();
      await engine.close();
      const isUnavailable = (error: unknown): boolean => error instanceof LaminaError && error.code === 'UNAVAILABLE';
      await assert.rejects(engine.check(), isUnavailable);
      await assert.rejects(
        engine.entries.transaction(TENANT, async () => {}),
        isUnavailable,
      );
    });
  });
}
