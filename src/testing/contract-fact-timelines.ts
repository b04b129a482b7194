/** Contract: facts follow each other on their timelines, whoever writes them in whatever order. */

import assert from 'node:assert/strict';
import { assertSameMembers } from './contract-assertions.ts';
import type { MemoryTest } from './contract-subject.ts';
import { DAYS, dayOf, drinks, objects, timelineOf, type FactInput } from './fact-inputs.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE = { userId: 'alice' };

export function factTimelinesContract(test: MemoryTest): void {
  test('of a single-valued predicate follow each other, whoever writes them in whatever order', async (subject) => {
    const random = new SeededRandom(5);
    const [alice, agent] = [subject.as(ALICE).facts, subject.as({ ...ALICE, agentId: 'a' }).facts];
    const breakpoints = new Map<string, string>();
    const at = (day: string): string | undefined =>
      breakpoints.get(
        [...breakpoints.keys()]
          .filter((each) => each <= day)
          .toSorted()
          .at(-1) ?? '',
      );
    for (let n = 0; n < 24; n += 1) {
      const [day, object] = [random.pick(DAYS), random.pick(['tea', 'milk', 'rum'])];
      const input = drinks(object, { validFrom: dayOf(day), cardinality: 'one' });
      const { status } = await random.pick([alice, agent]).add(input);
      assert.equal(status, at(day) === object ? 'unchanged' : 'created');
      if (status === 'created') breakpoints.set(day, object);
    }
    for (const day of DAYS) {
      const { facts } = await alice.list({ subject: 'Ada', asOf: dayOf(day) });
      assert.deepEqual(objects(facts), at(day) === undefined ? [] : [at(day)]);
    }
  });

  test('of many writers at once leave one that holds, and nothing lost', async (subject) => {
    const writers = Array.from({ length: 12 }, (_, n) => `drink ${n}`);
    const place = { layer: 'company' } as const;
    await Promise.all(
      writers.map((object, n) =>
        subject.as({ userId: `u${n % 3}` }).facts.add(drinks(object, { ...place, cardinality: 'one' })),
      ),
    );
    const { facts } = subject.as(ALICE);
    assert.equal((await facts.list(place)).count, 1);
    assertSameMembers(objects((await facts.list({ ...place, includeClosed: true })).facts), writers);
    // And of those who say the same, one has said it. Since one moment: who came later may have begun a millisecond earlier.
    const same = drinks('tea', { subject: 'Bo', validFrom: dayOf('2026-01-01') });
    const said = await Promise.all(writers.map(() => facts.add(same)));
    assertSameMembers(
      said.map(({ status }) => status),
      ['created', ...writers.slice(1).map(() => 'unchanged')],
    );
    assert.equal(new Set(said.map(({ fact }) => fact.factId)).size, 1);
  });

  test('of many values hold beside each other, and what says the same never twice', async (subject) => {
    const { facts } = subject.as(ALICE);
    const from = (day: string, more: Partial<FactInput> = {}): FactInput =>
      drinks('tea', { validFrom: dayOf(day), ...more });
    await facts.add(drinks('milk', { validFrom: dayOf('2026-01-01') }));
    assert.equal((await facts.add(from('2026-01-03'))).status, 'created');
    // Known to hold for longer than was known, and of an end that is yet to come.
    const earlier = await facts.add(from('2026-01-02'));
    assert.deepEqual([earlier.status, earlier.fact.validFrom], ['updated', dayOf('2026-01-02')]);
    assert.equal((await facts.add(from('2026-01-04', { validTo: dayOf('2026-01-06') }))).status, 'updated');
    assert.equal((await facts.add(from('2026-01-01', { validTo: dayOf('2026-01-05') }))).status, 'created');
    assert.deepEqual(
      (await timelineOf(facts)).filter(([object]) => object === 'tea'),
      [
        ['tea', '2026-01-01', '2026-01-02'],
        ['tea', '2026-01-02', '2026-01-06'],
      ],
    );
    assert.equal((await facts.list({ asOf: dayOf('2026-01-03') })).count, 2);
    // One that is the only one ends them all.
    const { closed } = await facts.add(drinks('rum', { validFrom: dayOf('2026-01-05'), cardinality: 'one' }));
    assertSameMembers(objects(closed), ['milk', 'tea']);
    assert.deepEqual(objects((await facts.list({ asOf: dayOf('2026-01-05') })).facts), ['rum']);
  });
}
