/** Contract: facts are found by what they say and when, in one order, and walked along: against a plain model. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { failure } from './contract-assertions.ts';
import type { MemoryTest } from './contract-subject.ts';
import { DAYS, dayOf, type ReadFact } from './fact-inputs.ts';
import { FactModel } from './fact-model.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

const ALICE = { userId: 'alice' };

export function factQuestionsContract(test: MemoryTest): void {
  listContract(test);
  walkContract(test);
}

/** Every fact of a list, over all of its pages. */
async function listed({ facts }: Memory, input: OperationInput<'facts.list'>): Promise<ReadFact[]> {
  const found: ReadFact[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await facts.list({ ...input, ...(cursor && { cursor }) });
    assert.equal(page.count, page.facts.length);
    found.push(...page.facts);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

function listContract(test: MemoryTest): void {
  const clock = new ManualClock();
  test(
    'are found by any combination, the most certain and newest first, page by page',
    async (subject) => {
      const random = new SeededRandom(7);
      const memory = subject.as({ ...ALICE, agentId: 'a' });
      const model = new FactModel();
      for (let n = 0; n < 8; n += 1) {
        const inputs = Array.from({ length: 15 }, () => model.someInput(random, DAYS));
        const { results } = await memory.facts.addMany({ facts: inputs });
        for (const { fact, closed } of results) model.learn(fact, ...closed);
        clock.advance(random.below(2));
      }
      for (let n = 0; n < 30; n += 1) {
        const query = model.someQuery(random, DAYS);
        const limit = 1 + random.below(40);
        assert.deepEqual(await listed(memory, { ...query, limit }), model.list(query, clock.now()));
      }
      const { nextCursor: cursor } = await memory.facts.list({ limit: 1, layer: 'user' });
      assert.ok(cursor);
      await failure('VALIDATION_FAILED', memory.facts.list({ cursor, limit: 1 }));
      await failure('VALIDATION_FAILED', memory.facts.list({ asOf: dayOf('2026-01-01'), includeClosed: true }));
      await failure('MISSING_IDENTIFIER', memory.facts.list({ layer: 'project' }));
    },
    { clock },
  );
}

function walkContract(test: MemoryTest): void {
  test('lead to neighbours and by the shortest path to anything', async (subject) => {
    const random = new SeededRandom(3);
    const memory = subject.as(ALICE);
    const model = new FactModel();
    const node = (): string => `node ${random.below(30)}`;
    const inputs = Array.from({ length: 45 }, (_, n) => ({
      factType: 'edge',
      subject: node(),
      predicate: random.pick(['near', 'far']),
      object: node(),
      ...(n % 5 === 0 && { layer: 'company' as const }),
      ...(n % 7 === 0 && { validFrom: dayOf(DAYS[0] ?? ''), validTo: dayOf(DAYS[1] ?? '') }),
    }));
    const { results } = await memory.facts.addMany({ facts: inputs });
    model.learn(...results.map(({ fact }) => fact));
    for (let n = 0; n < 12; n += 1) {
      const walk = {
        direction: random.pick(['out', 'in', 'both'] as const),
        ...(n % 3 === 0 && { predicates: ['near'] }),
        ...(n % 4 === 0 && { asOf: dayOf(DAYS[0] ?? '') }),
      };
      const [from, to] = [node(), node()];
      const distances = model.distances(from, walk);
      const near = await memory.facts.neighbours({ subject: from, hops: 2, ...walk });
      const expected = [...distances].filter(([, distance]) => distance > 0 && distance <= 2);
      assert.deepEqual(new Map(near.nodes.map((each) => [each.node, each.distance])), new Map(expected));
      assert.equal(near.truncated, false);
      const ends = new Set([from, ...near.nodes.map((each) => each.node)]);
      assert.ok(near.facts.every(({ subject: one, object }) => ends.has(one) && ends.has(object)));

      const { path, truncated } = await memory.facts.path({ from, to, ...walk });
      const distance = distances.get(to);
      const isNear = distance !== undefined && distance <= 5;
      assert.deepEqual([path?.length, truncated], [isNear ? distance : undefined, false]);
      if (path !== null)
        assert.equal(
          path.reduce((at, fact) => (fact.subject === at ? fact.object : fact.subject), from),
          to,
        );
    }
    const few = await memory.facts.neighbours({ subject: 'node 1', hops: 5, limit: 2 });
    assert.deepEqual([few.nodes.length, few.truncated], [2, true]);
    assert.deepEqual(await memory.facts.path({ from: 'x', to: 'x' }), { path: [], truncated: false });
  });
}
