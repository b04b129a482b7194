/** Contract: facts, from being written to being deleted; and everything else about them. */

import assert from 'node:assert/strict';
import { failure, nth } from './contract-assertions.ts';
import { factIsolationContract } from './contract-fact-isolation.ts';
import { factQuestionsContract } from './contract-fact-questions.ts';
import { factTimelinesContract } from './contract-fact-timelines.ts';
import { memoryTest, type MemoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { dayOf, drinks, objects, timelineOf } from './fact-inputs.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE = { userId: 'alice' };

export function factsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('facts', () => {
    lifeContract(test);
    factTimelinesContract(test);
    factQuestionsContract(test);
    factIsolationContract(test);
  });
}

function lifeContract(test: MemoryTest): void {
  const clock = new ManualClock();
  test(
    'are written, said again, changed and deleted for good',
    async (subject) => {
      const { facts } = subject.as(ALICE);
      const now = new Date(clock.now()).toISOString();
      const source = { type: 'conversation', reference: 'msg-1' } as const;
      const written = await facts.add(drinks('tea', { confidence: 0.6, metadata: { a: 1, b: null }, source }));
      const { version, factId, ...rest } = written.fact;
      assert.deepEqual([written.status, written.closed], ['created', []]);
      assert.deepEqual(rest, {
        layer: 'user',
        identifiers: { userId: 'alice' },
        ...drinks('tea'),
        confidence: 0.6,
        trust: 'user',
        metadata: { a: 1, b: null },
        source,
        validFrom: now,
        validTo: null,
        createdAt: now,
        updatedAt: now,
      });
      assert.deepEqual(await facts.get({ factId }), written.fact);
      clock.advance(1000);
      assert.deepEqual(await facts.add(drinks('tea')), { status: 'unchanged', fact: written.fact, closed: [] });
      assert.equal((await facts.add(drinks('tea', { confidence: 0.3 }))).status, 'unchanged');
      const surer = await facts.add(drinks('tea', { confidence: 0.8, metadata: { b: 2 } }));
      assert.deepEqual([surer.status, surer.fact.factId, surer.fact.confidence], ['updated', factId, 0.8]);
      assert.deepEqual(surer.fact.metadata, { a: 1, b: 2 });
      assert.ok(surer.fact.version > version && surer.fact.updatedAt > now);

      await failure('VERSION_CONFLICT', facts.update({ factId, confidence: 0.1, ifVersion: version }));
      const change = { confidence: 0.1, validTo: now, removeMetadata: ['a', 'c'], metadata: { d: 3 } };
      const ended = await facts.update({ factId, ...change, ifVersion: surer.fact.version });
      assert.deepEqual([ended.confidence, ended.validTo, ended.metadata], [0.1, now, { b: 2, d: 3 }]);
      assert.equal((await facts.list({})).count, 0);
      // What holds no longer can hold again: that is another span.
      const again = await facts.add(drinks('tea'));
      assert.deepEqual([again.status, again.fact.factId === factId], ['created', false]);
      const overlap = await failure('VERSION_CONFLICT', facts.update({ factId, validTo: null }));
      assert.deepEqual(overlap.details, { conflictingId: again.fact.factId });
      await failure('VALIDATION_FAILED', facts.update({ factId, validTo: '1999-01-01T00:00:00Z' }));

      await failure('VERSION_CONFLICT', facts.delete({ factId, ifVersion: version }));
      assert.deepEqual(await facts.delete({ factId, ifVersion: ended.version }), { success: true });
      assert.deepEqual(await facts.delete({ factId }), { success: false });
      assert.equal(await facts.get({ factId }), null);
      await failure('NOT_FOUND', facts.update({ factId, confidence: 1 }));
      assert.deepEqual(objects((await facts.list({ includeClosed: true })).facts), ['tea']);
    },
    { clock },
  );

  test('keep the id that a caller brings, and give nobody another’s', async (subject) => {
    const [alice, bob] = [subject.as(ALICE).facts, subject.as({ userId: 'bob' }).facts];
    const factId = '0d9b6c1e-58a1-4f5e-9d6e-6f6d5a4b3c21';
    const { fact } = await alice.add(drinks('tea', { factId: factId.toUpperCase() }));
    assert.equal(fact.factId, factId);
    assert.equal((await alice.add(drinks('tea', { factId }))).status, 'unchanged');
    for (const facts of [alice, bob]) await failure('VERSION_CONFLICT', facts.add(drinks('milk', { factId })));
    await failure(
      'VERSION_CONFLICT',
      bob.addMany({ facts: [drinks('tea'), drinks('tea', { factId }), drinks('x', { factId })] }),
    );
    assert.equal((await bob.list({ includeClosed: true })).count, 0);
    assert.deepEqual(await alice.get({ factId }), fact);
  });

  test('of a batch are written all or none, in their order', async (subject) => {
    const { facts } = subject.as(ALICE);
    const one = { cardinality: 'one' } as const;
    const { results } = await facts.addMany({
      facts: [
        drinks('tea', { ...one, validFrom: dayOf('2026-01-01') }),
        drinks('milk', { ...one, validFrom: dayOf('2026-01-03') }),
        drinks('tea', { validFrom: dayOf('2026-01-02'), confidence: 0.5 }),
        drinks('rum', { ...one, validFrom: dayOf('2026-01-02') }),
      ],
    });
    assert.deepEqual(
      results.map(({ status }) => status),
      ['created', 'created', 'unchanged', 'created'],
    );
    assert.deepEqual(objects(nth(results, 3).closed), ['tea']);
    assert.deepEqual(await timelineOf(facts), [
      ['tea', '2026-01-01', '2026-01-02'],
      ['rum', '2026-01-02', '2026-01-03'],
      ['milk', '2026-01-03', null],
    ]);
    const bad = await failure(
      'FORBIDDEN',
      facts.addMany({ facts: [drinks('gin'), drinks('x', { identifiers: { userId: 'bob' } })] }),
    );
    assert.equal(bad.details?.['index'], 1);
    await failure('LIMIT_EXCEEDED', facts.addMany({ facts: Array.from({ length: 1001 }, (_, n) => drinks(`d${n}`)) }));
    assert.equal((await facts.list({ includeClosed: true })).count, 3);
  });
}
