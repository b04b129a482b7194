/** Contract: facts are placed on their timelines, found by what they say and when, walked along, and kept apart. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { assertSameMembers, failure, nth } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { FactModel } from './fact-model.ts';
import { canSee, isNamedBy, mayDo, principals, someDeed, someIdentifiers, type Known } from './isolation-model.ts';
import { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

type AddInput = OperationInput<'facts.add'>;
type ListInput = OperationInput<'facts.list'>;
type Fact = NonNullable<OperationOutput<'facts.get'>>;

const ALICE = { userId: 'alice' };
const PERSONAL = ['agent', 'user', 'session'];
const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'];

const drinks = (object: string, more: Partial<AddInput> = {}): AddInput => ({
  factType: 'habit',
  subject: 'Ada',
  predicate: 'drinks',
  object,
  ...more,
});

const dayOf = (day: string): string => `${day}T00:00:00.000Z`;

/** Every fact of a list, over all of its pages. */
async function listed({ facts }: Memory, input: ListInput): Promise<Fact[]> {
  const found: Fact[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await facts.list({ ...input, ...(cursor && { cursor }) });
    assert.equal(page.count, page.facts.length);
    found.push(...page.facts);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

const objects = (facts: readonly Fact[]): string[] => facts.map(({ object }) => object);

export function factsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('facts', () => {
    lifeContract(test);
    timelineContract(test);
    listContract(test);
    walkContract(test);
    factIsolationContract(test);
  });
}

type Test = ReturnType<typeof memoryTest>;

function lifeContract(test: Test): void {
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
      const ended = await facts.update({ factId, confidence: 0.1, validTo: now, ifVersion: surer.fact.version });
      assert.deepEqual([ended.confidence, ended.validTo], [0.1, now]);
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

/** The spans of what Ada drinks, as days, in their order. */
async function timelineOf(facts: Memory['facts']): Promise<(string | null)[][]> {
  const { facts: found } = await facts.list({ subject: 'Ada', predicate: 'drinks', includeClosed: true });
  const sorted = found.toSorted((a, b) => (a.validFrom < b.validFrom ? -1 : 1));
  return sorted.map(({ object, validFrom, validTo }) => [
    object,
    validFrom.slice(0, 10),
    validTo && validTo.slice(0, 10),
  ]);
}

function timelineContract(test: Test): void {
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
    // And of those who say the same, one has said it.
    const said = await Promise.all(writers.map(() => facts.add(drinks('tea', { subject: 'Bo' }))));
    assertSameMembers(
      said.map(({ status }) => status),
      ['created', ...writers.slice(1).map(() => 'unchanged')],
    );
    assert.equal(new Set(said.map(({ fact }) => fact.factId)).size, 1);
  });

  test('of many values hold beside each other, and what says the same never twice', async (subject) => {
    const { facts } = subject.as(ALICE);
    const from = (day: string, more: Partial<AddInput> = {}): AddInput =>
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

function listContract(test: Test): void {
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

function walkContract(test: Test): void {
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

/** The same rules as for entries: what a person has is private, what a group has is the group's. */
function factIsolationContract(test: Test): void {
  test('are seen and changed by exactly those who may, of random principals', async (subject) => {
    const random = new SeededRandom(21);
    const known = await populate(subject, random);
    // Every other one is half of each sort.
    for (const [turn, principal] of principals()
      .filter((_, index) => index % 2 === 0)
      .entries()) {
      const { facts } = subject.as(principal);
      const identifiers = someIdentifiers(random, turn % 2 === 0 ? principal.userId : undefined);
      const seen = await facts.list({ identifiers, limit: 100 });
      const visible = known.filter((one) => isNamedBy(identifiers, one) && canSee(principal, one));
      assertSameMembers(
        objects(seen.facts),
        visible.map(({ content }) => content),
      );
      const near = await facts.neighbours({ subject: 'hub', identifiers });
      assertSameMembers(
        near.nodes.map(({ node }) => node),
        visible.map(({ content }) => content),
      );
      for (const one of known.filter((_, index) => index % 12 === turn % 12)) {
        const isSeen = canSee(principal, one);
        assert.equal((await facts.get({ factId: one.id }))?.object, isSeen ? one.content : undefined);
        const updating = facts.update({ factId: one.id, metadata: { turn } });
        if (isSeen) assert.equal((await updating).metadata['turn'], turn);
        else await failure('NOT_FOUND', updating);
        if (!isSeen) assert.deepEqual(await facts.delete({ factId: one.id }), { success: false });
      }
    }
  });
}

/** Lets random principals write; whether they may is up to the model. */
async function populate(subject: MemorySubject, random: SeededRandom): Promise<Known[]> {
  const known: Known[] = [];
  for (let count = 0; count < 40; count += 1) {
    const some = someDeed(random);
    const deed = {
      ...some,
      kind: 'semantic' as const,
      visibility: PERSONAL.includes(some.layer) ? ('private' as const) : ('shared' as const),
    };
    const { principal, layer, identifiers, content } = deed;
    const statement = { factType: 't', subject: 'hub', predicate: 'p', object: content };
    const adding = subject.as(principal).facts.add({ ...statement, layer, identifiers });
    if (mayDo(deed)) known.push({ ...deed, id: (await adding).fact.factId });
    else await failure('FORBIDDEN', adding);
  }
  return known;
}
