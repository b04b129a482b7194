/** Contract: about an earlier moment it answers from the versions that stood and the validity that held then. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { SearchResult } from '../domain/recall.ts';
import { assertRandomPast, IDENTIFIERS } from './as-of-looks.ts';
import { failure, listed, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob' };
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** What a result says, but for how often it was read. */
function told({ memory: { id, version, content }, score, similarity, signals }: SearchResult): object {
  const rounded = (value: number | undefined): number => Math.round((value ?? -1) * 1e5) / 1e5;
  const { evidence: _, ...known } = signals;
  const parts = Object.entries({ score, similarity: similarity ?? -1, ...known });
  return { id, version, content, parts: parts.map(([name, value]) => [name, rounded(value)]) };
}

export function asOfContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const clock = new ManualClock();
  runner.describe('as of an earlier moment', () => {
    test(
      'search, list and get show what the model kept, whatever happened since',
      async (subject) => {
        await assertRandomPast(subject, clock, { seed: 701, writes: 45, looks: 4, modesPerLook: 1 });
      },
      { clock },
    );

    test(
      'a search ranks as it did then, by words, meaning and age',
      async (subject) => {
        const memory = subject.as(ALICE);
        const random = new SeededRandom(702);
        const topics = Array.from({ length: 6 }, () => random.word());
        const input = { layer: 'user', visibility: 'private' } as const;
        for (let n = 0; n < 14; n += 1) {
          const content = `${random.pick(topics)} ${random.pick(topics)} ${random.words(1 + random.below(4))}`;
          await memory.add({ ...input, content, externalId: `${n}`, importance: random.next() });
          clock.advance(random.below(40) * 3_600_000);
        }
        const ask = (mode: (typeof MODES)[number], asOf?: string): Promise<{ results: SearchResult[] }> =>
          memory.search({ query: `${topics[0]} ${topics[1]}`, mode, threshold: 0, ...(asOf && { asOf }) });
        const before = new Map<string, object[]>();
        for (const mode of MODES) before.set(mode, (await ask(mode)).results.map(told));
        const asOf = isoTime(clock.now());
        clock.advance(50 * 86_400_000);
        const { memories } = await memory.list({ layer: 'user' });
        for (const [index, { id }] of memories.entries()) {
          if (index % 3 === 0) await memory.update({ id, content: `${topics[2]} ${random.words(2)}` });
          if (index % 3 === 1) await memory.archive({ id });
        }
        for (const mode of MODES) assert.deepEqual((await ask(mode, asOf)).results.map(told), before.get(mode), mode);
      },
      { clock },
    );

    test(
      'what was deleted since is gone from the past as well, and so is what has expired',
      async (subject) => {
        const memory = subject.as(ALICE);
        const { id } = (await memory.add({ content: 'The zeppelin lands at noon', layer: 'user' })).memory;
        const expiresAt = isoTime(clock.now() + 60_000);
        const brief = (await memory.add({ content: 'The zeppelin is late', layer: 'user', expiresAt })).memory;
        const asOf = isoTime(clock.now());
        clock.advance(1000);
        await memory.update({ id, content: 'The train arrives at noon' });
        assert.equal((await recalled(memory, { query: 'zeppelin', mode: 'keyword', asOf })).length, 2);
        await memory.delete({ id });
        clock.advance(60_000);
        for (const mode of MODES) assert.deepEqual(await recalled(memory, { query: 'zeppelin', mode, asOf }), []);
        assert.deepEqual(await listed(memory, { layer: 'user', status: 'all', asOf }), []);
        for (const gone of [id, brief.id]) {
          assert.deepEqual(await memory.get({ id: gone, asOf }), { memory: null });
          await failure('MEMORY_NOT_FOUND', memory.versions({ id: gone, asOf }));
        }
      },
      { clock },
    );

    test(
      'what was private then, or is now, is told to nobody else',
      async (subject) => {
        const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
        const add = async (visibility: 'private' | 'shared'): Promise<string> =>
          (
            await alice.add({
              content: `The heron nests: ${visibility} at first`,
              layer: 'project',
              kind: 'episodic',
              identifiers: IDENTIFIERS,
              visibility,
            })
          ).memory.id;
        const [opened, closed] = [await add('private'), await add('shared')];
        const asOf = isoTime(clock.now());
        clock.advance(1000);
        await alice.update({ id: opened, visibility: 'shared', content: 'The heron nests: told to all' });
        await alice.update({ id: closed, visibility: 'private' });
        const asked = { identifiers: IDENTIFIERS, asOf };
        for (const [memory, count] of [
          [alice, 2],
          [bob, 0],
        ] as const) {
          for (const mode of MODES) {
            assert.equal((await recalled(memory, { ...asked, query: 'heron', mode })).length, count, mode);
          }
          assert.equal((await memory.list({ ...asked, layer: 'project' })).totalCount, count);
          for (const id of [opened, closed]) {
            assert.equal((await memory.get({ id, asOf })).memory?.version, count === 0 ? undefined : 1);
          }
        }
        await failure('MEMORY_NOT_FOUND', bob.versions({ id: opened, asOf }));
        assert.equal((await bob.versions({ id: opened })).versions.length, 1);
      },
      { clock },
    );

    test(
      'get and versions tell the state and the history of then, with its vector',
      async (subject) => {
        const memory = subject.as(ALICE);
        const first = (await memory.add({ content: 'Draft one', layer: 'user' })).memory;
        const { id } = first;
        const created = clock.now();
        clock.advance(1000);
        await memory.update({ id, content: 'Draft two' });
        clock.advance(1000);
        await memory.update({ id, tags: ['final'] });
        const asOf = isoTime(created + 999);
        const [vector] = await subject.embedder.embed(['Draft one']);
        const past = (await memory.get({ id, asOf, includeEmbedding: true })).memory;
        assert.deepEqual({ ...past, embedding: undefined }, { ...first, embedding: undefined });
        assert.ok(past?.embedding?.every((value, index) => Math.abs(value - (vector?.[index] ?? 9)) < 1e-6));
        const found = await memory.search({ query: 'Draft', asOf, threshold: 0, includeEmbeddings: true });
        assert.deepEqual(found.results[0]?.memory, past);
        assert.deepEqual((await memory.versions({ id, asOf })).versions, [{ memory: first, replacedAt: null }]);
        const later = (await memory.versions({ id, asOf: isoTime(created + 1000) })).versions;
        assert.deepEqual(
          later.map((version) => [version.memory.version, version.replacedAt]),
          [
            [2, null],
            [1, isoTime(created + 1000)],
          ],
        );
        // What was written in that very millisecond was there.
        await memory.add({ content: 'Draft of today', layer: 'user' });
        const today = isoTime(clock.now());
        assert.deepEqual(await listed(memory, { layer: 'user', asOf: today }), ['Draft of today', 'Draft two']);
        const before = isoTime(created - 1);
        assert.deepEqual(await memory.get({ id, asOf: before }), { memory: null });
        await failure('MEMORY_NOT_FOUND', memory.versions({ id, asOf: before }));
        const now = (await memory.get({ id })).memory;
        assert.deepEqual([now?.accessCount, now?.version], [0, 3]);
      },
      { clock },
    );

    test(
      'a moment that is still to come is refused',
      async (subject) => {
        const memory = subject.as(ALICE);
        const asOf = isoTime(clock.now() + 1);
        const id = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';
        for (const call of [
          () => memory.search({ query: 'x', asOf }),
          () => memory.list({ layer: 'user', asOf }),
          () => memory.get({ id, asOf }),
          () => memory.versions({ id, asOf }),
        ]) {
          const error = await failure('VALIDATION_FAILED', call());
          assert.match(error.message, /asOf: is in the future/);
        }
        const { memories } = await memory.list({ layer: 'user', asOf: isoTime(clock.now()) });
        assert.deepEqual(memories, []);
      },
      { clock },
    );
  });
}
