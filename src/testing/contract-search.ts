/** Contract: what a search finds, how it scores, and that it always answers the same. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { SearchResult } from '../domain/recall.ts';
import { nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const CAROL: PrincipalInput = { userId: 'carol' };
const MODES = ['hybrid', 'keyword', 'semantic'] as const;
const DAY = 86_400_000;

const FACTS = [
  'Alice prefers dark roast coffee in the morning',
  'The production database runs on PostgreSQL fifteen',
  'Bob plays the cello in an orchestra',
  'The quarterly report is due on the last Friday',
  'Kubernetes pods restart when memory runs out',
  'The cat is called Schrödinger and hates boxes',
  'Invoices are paid within thirty days',
  'The meeting room is named after Ada Lovelace',
];

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

function assertUnit(value: number, name: string): void {
  assert.ok(value >= 0 && value <= 1, `${name} is ${value}`);
}

function idsOf(results: readonly SearchResult[]): string[] {
  return results.map(({ memory: { id } }) => id);
}

function assertPlausible({ score, similarity, signals }: SearchResult): void {
  assertUnit(score, 'score');
  const { evidence: _, ...parts } = signals;
  for (const [name, value = 0] of Object.entries(parts)) assertUnit(value, name);
  if (similarity !== null) assert.ok(Math.abs(similarity) < 1.00001, `similarity is ${similarity}`);
}

export function searchContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('search', () => {
    test('pictures are words', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(['Loves 🍕 on Fridays', 'Has a dog 🐶', 'Keeps the spare 🔑 here'].map(user));
      for (const mode of ['hybrid', 'keyword'] as const) {
        const { results } = await memory.search({ query: '🍕', mode, threshold: 0 });
        assert.equal(nth(results, 0).memory.content, 'Loves 🍕 on Fridays');
      }
      const { results } = await memory.search({ query: '🚗', mode: 'keyword', threshold: 0 });
      assert.deepEqual(results, []);
    });

    test('leaves out what is too sensitive before it can hide what is not, and counts it', async (subject) => {
      const memory = subject.as(ALICE);
      const content = 'The harbour master is called Ines';
      await memory.add({ content, layer: 'user', sensitivity: 'confidential' });
      await memory.add({ content, layer: 'company', sensitivity: 'internal' });
      const asked = { query: 'harbour master', threshold: 0 };
      const all = await memory.search(asked);
      assert.deepEqual([all.results.map(({ layer }) => layer), all.withheld], [['user'], undefined]);
      const shown = await memory.search({ ...asked, maxSensitivity: 'internal' });
      assert.deepEqual(
        [shown.results.map(({ layer }) => layer), shown.totalCount, shown.withheld],
        [['company'], 1, 1],
      );
      const none = await memory.search({ ...asked, maxSensitivity: 'public' });
      assert.deepEqual([none.results, none.totalCount, none.withheld], [[], 0, 2]);
      await assert.rejects(memory.search({ ...asked, maxSensitivity: 'secret' as 'public' }), {
        code: 'VALIDATION_FAILED',
      });
    });

    test('finds by exact words, by forms of words and by part of the words', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(FACTS.map(user));
      for (const [query, expected] of [
        ['postgresql', 1],
        ['the cellos of BOB', 2],
        ['restarting a pod', 4],
        ['schrödinger', 5],
        ['schro\u0308dinger', 5],
        ['coffee in the morning, please', 0],
        ['invoice', 6],
      ] as const) {
        for (const mode of ['hybrid', 'keyword'] as const) {
          assert.equal(nth(await recalled(memory, { query, mode })), FACTS[expected], `${mode}: ${query}`);
        }
      }
    });

    test('finds the same text with full similarity and a score past the default threshold', async (subject) => {
      // None of those who are named in them: what memory knows of oneself is searched for in two wordings.
      const memory = subject.as(CAROL);
      await memory.addMany(FACTS.map(user));
      for (const mode of MODES) {
        for (const query of FACTS) {
          const first = nth((await memory.search({ query, mode })).results);
          assert.equal(first.memory.content, query);
          assert.equal(first.similarity === null, mode === 'keyword');
          assert.ok(first.similarity === null || first.similarity > 0.9999);
        }
      }
    });

    test('keeps words and meaning apart where asked to', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(FACTS.map(user));
      const query = 'coffee for the cat';
      for (const { signals, similarity } of (await memory.search({ query, mode: 'keyword', threshold: 0 })).results) {
        assert.ok(signals.text > 0);
        assert.deepEqual([signals.vector, similarity], [0, null]);
      }
      const semantic = (await memory.search({ query, mode: 'semantic', threshold: 0 })).results;
      assert.equal(semantic.length, FACTS.length);
      for (const { signals } of semantic) assert.equal(signals.text, 0);
      for (const result of (await memory.search({ query, threshold: 0 })).results)
        assert.notEqual(result.similarity, null);
    });

    // Time stands still here, so that a score does not fall below its own threshold meanwhile.
    const still = new ManualClock();
    test(
      'has scores and signals between 0 and 1, in order, and nothing below the threshold',
      async (subject) => {
        const memory = subject.as(ALICE);
        const random = new SeededRandom(21);
        const vocabulary = Array.from({ length: 30 }, () => random.word());
        const text = (): string =>
          Array.from({ length: 1 + random.below(12) }, () => random.pick(vocabulary)).join(' ');
        await memory.addMany(
          Array.from({ length: 150 }, () => ({
            ...user(text()),
            importance: random.next(),
            confidence: random.next(),
            validFrom: new Date(still.now() - (random.below(900) - 30) * DAY).toISOString(),
          })),
        );
        for (let round = 0; round < 15; round += 1) {
          const mode = random.pick(MODES);
          const query = text();
          const all = (await memory.search({ query, mode, threshold: 0, limit: 100 })).results;
          for (const result of all) assertPlausible(result);
          assert.deepEqual(
            all,
            all.toSorted((a, b) => b.score - a.score),
          );
          const threshold = nth(all, Math.floor(all.length / 2)).score;
          const some = await memory.search({ query, mode, threshold, limit: 100 });
          assert.deepEqual(idsOf(some.results), idsOf(all.filter(({ score }) => score >= threshold)));
          assert.equal(some.totalCount, some.results.length);
        }
      },
      { clock: still },
    );

    test('gives at most the limit and counts what it left out', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(Array.from({ length: 40 }, (_, n) => user(`pebble number ${n} in the river`)));
      for (const mode of MODES) {
        const whole = await memory.search({ query: 'pebble river', mode, threshold: 0, limit: 100 });
        assert.deepEqual([whole.results.length, whole.totalCount], [40, 40]);
        const five = await memory.search({ query: 'pebble river', mode, threshold: 0, limit: 5 });
        assert.deepEqual(idsOf(five.results), idsOf(whole.results).slice(0, 5));
        assert.equal(five.totalCount, 40);
        assert.equal((await memory.search({ query: 'pebble river', mode, threshold: 0 })).results.length, 10);
      }
    });

    test('answers the same each time', async (subject) => {
      const memory = subject.as(ALICE);
      // All alike, so that only the tie-break is left to decide.
      await memory.addMany(Array.from({ length: 30 }, () => ({ ...user('tick'), kind: 'episodic' as const })));
      await memory.addMany(Array.from({ length: 30 }, (_, n) => user(`tock ${n % 3 === 0 ? 'tick' : 'tack'} ${n}`)));
      for (const mode of MODES) {
        for (const query of ['tick', 'tock tack']) {
          const ask = async (): Promise<unknown> =>
            idsOf((await memory.search({ query, mode, threshold: 0, limit: 7 })).results);
          const first = await ask();
          for (let again = 0; again < 3; again += 1) assert.deepEqual(await ask(), first);
        }
      }
    });

    test('looks only at the kinds that were named', async (subject) => {
      const memory = subject.as(ALICE);
      const kinds = ['semantic', 'episodic', 'procedural'] as const;
      for (const kind of kinds) await memory.add({ ...user(`backup the ${kind} volume`), kind });
      for (const kind of kinds) {
        for (const mode of MODES) {
          const found = await recalled(memory, { query: 'backup volume', kinds: [kind], mode });
          assert.deepEqual(found, [`backup the ${kind} volume`]);
        }
      }
      assert.equal((await recalled(memory, { query: 'backup', kinds: ['semantic', 'procedural'] })).length, 2);
    });

    test('finds a procedure by when it applies and by what it says', async (subject) => {
      const memory = subject.as(ALICE);
      const triggerCondition = 'the customer is angry';
      await memory.add({ ...user('Apologise first, then refund'), kind: 'procedural', triggerCondition });
      await memory.add({ ...user('Escalate outages at once'), kind: 'procedural' });
      const similarity = nth((await memory.search({ query: triggerCondition, threshold: 0 })).results).similarity;
      assert.ok((similarity ?? 0) > 0.9999);
      assert.deepEqual(await recalled(memory, { query: 'angry', mode: 'keyword' }), ['Apologise first, then refund']);
      assert.deepEqual(await recalled(memory, { query: 'refund', mode: 'keyword' }), ['Apologise first, then refund']);
    });

    test('takes a query of nothing but stop words or punctuation', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(FACTS.map(user));
      for (const query of ['who is it', 'to be or not to be', '?!', '***', '"', "'; --", '(((', 'a', '👍', '* OR *']) {
        for (const mode of MODES) {
          const { results } = await memory.search({ query, mode, threshold: 0 });
          for (const result of results) assertPlausible(result);
          assert.equal(results.length > 0, mode !== 'keyword', `${mode}: ${query}`);
        }
      }
    });

    test('takes a query of 8,192 characters', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(FACTS.map(user));
      const random = new SeededRandom(22);
      const long = `${random.words(900)} cello`.slice(-8192).padStart(8192, 'z ');
      for (const query of [long, 'cello '.repeat(1365), 'x'.repeat(8192), '🎻'.repeat(8192)]) {
        for (const mode of MODES) await memory.search({ query, mode, threshold: 0 });
      }
      assert.equal(nth(await recalled(memory, { query: long, mode: 'keyword' })), FACTS[2]);
    });

    const clock = new ManualClock();
    test(
      'prefers what is new, important and certain among equals',
      async (subject) => {
        const memory = subject.as(ALICE);
        const equal = { ...user('the gate code changed'), kind: 'episodic' } as const;
        const added = await memory.addMany([
          { ...equal, validFrom: new Date(clock.now() - 300 * DAY).toISOString() },
          { ...equal, importance: 1 },
          { ...equal, confidence: 0.2 },
          equal,
        ]);
        const [old, important, doubtful, plain] = added.map((one) => one.memory.id);
        for (const mode of MODES) {
          // Alike in words and meaning but of one scope and kind: only the first of them is shown.
          const scores = new Map<string, number>();
          for (const one of added) {
            const filter = { custom: { only: one.memory.id } };
            await memory.update({ id: one.memory.id, metadata: { only: one.memory.id } });
            const result = nth((await memory.search({ query: 'gate code', mode, threshold: 0, filter })).results);
            scores.set(one.memory.id, result.score);
          }
          const of = (id: string | undefined): number => scores.get(id ?? '') ?? Number.NaN;
          assert.ok(of(important) > of(plain), mode);
          assert.ok(of(plain) > of(old), mode);
          assert.ok(of(plain) > of(doubtful), mode);
        }
      },
      { clock },
    );
  });
}
